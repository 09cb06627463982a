// Faults that hold on one node for a while (full disk, no descriptors, slow disk) or act on its
// disk at once (eviction, bit rot): opened by the planner or the list, closed by time or by a
// quiet window.
#pragma once

#include <map>

#include "fault/recorder.h"
#include "kernel/event_queue.h"
#include "kernel/ids.h"

namespace sf::fault {

class NodeWindows {
 public:
  explicit NodeWindows(Recorder& recorder) : recorder_(recorder) {}
  void attach(kernel::Room& room) { room_ = &room; }

  // Opens the fault's window now, for fault.length. One of the same kind that is open on that node
  // is prolonged to the later end.
  void open(Fault fault, NodeId node);
  void act(Fault fault, NodeId node);    // Manner::kMoment
  void close_all();

 private:
  struct Open {
    SimTime until;
    kernel::EventId event = 0;
  };
  using Key = std::pair<NodeId, FaultKind>;
  void set(const Key& key, const Fault* fault, const std::string& words);
  void close(const Key& key);

  Recorder& recorder_;
  kernel::Room* room_ = nullptr;
  std::map<Key, Open> open_;
};

}  // namespace sf::fault
