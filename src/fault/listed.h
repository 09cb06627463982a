// Replays an explicit list of faults; nothing else breaks.
//
// Each fault fires when its trigger is reached: the operation with that ordinal of that
// incarnation, or else its time. A trigger that is never reached (the programs went another way,
// since other faults were dropped) means that the fault did not fire.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fault/node_windows.h"
#include "fault/recorder.h"
#include "kernel/event_queue.h"
#include "kernel/fault_oracle.h"

namespace sf::fault {

class ListedFaults final : public kernel::FaultOracle {
 public:
  explicit ListedFaults(std::vector<Fault> faults);

  const std::vector<Fault>& fired() const { return recorder_.fired(); }

  // kernel::FaultOracle
  void attach(kernel::Room& room) override;
  void booted(NodeId node, kernel::Incarnation incarnation, SimTime now) override;
  void gone(NodeId, kernel::Incarnation, SimTime) override {}
  void setup_complete(SimTime) override {}
  void quiet(SimTime from, SimTime until) override;
  void reseeded(SimTime) override {}      // nothing here is drawn
  std::optional<kernel::Strike> at_disk_op(const kernel::DiskOpContext& context) override;
  std::optional<kernel::IoFault> io_fault(const kernel::IoRequest& request) override;
  void io_failed(kernel::FaultHandle fault, const kernel::IoReport& report) override;
  kernel::disk::Survivors survivors(kernel::FaultHandle fault, const kernel::disk::Volume& volume,
                                    kernel::disk::InFlight in_flight) override;
  std::optional<std::uint32_t> pages_kept(kernel::FaultHandle fault, std::uint32_t pages) override;
  Duration inside_sync(kernel::FaultHandle fault, Duration length) override;
  Duration restart_delay(kernel::FaultHandle fault) override;
  void crashed(kernel::FaultHandle fault, const kernel::CrashReport& report) override;

 private:
  // The fault of that manner whose moment this operation is; 0: none.
  kernel::FaultHandle due(Manner manner, const kernel::DiskOpContext& context);
  bool is_moment_for(const Fault& fault, const kernel::DiskOpContext& context) const;
  void schedule_nearest(std::size_t index, NodeId node);
  void schedule_at_time(std::size_t index, NodeId node);
  void schedule_by_time();
  void start(std::size_t index, NodeId node);
  void start_partition(std::size_t index);
  void heal(std::size_t index);
  const Fault& get(kernel::FaultHandle fault) const { return faults_[fault - 1]; }

  std::vector<Fault> faults_;               // a handle is an index plus 1
  // An operation may meet an error and a crash.
  using OpKey = std::tuple<Manner, std::string, std::uint32_t, std::uint64_t>;
  std::map<OpKey, kernel::FaultHandle> at_operations_;   // of node, incarnation, ordinal
  using HuntKey = std::pair<Manner, std::string>;
  std::map<HuntKey, std::vector<std::size_t>> hunting_;  // kNearest, of a node, in time order
  kernel::Room* room_ = nullptr;
  Recorder recorder_;
  NodeWindows windows_{recorder_};
  bool scheduled_ = false;
  std::map<std::size_t, kernel::EventId> heals_;         // open partitions
};

}  // namespace sf::fault
