// Preemptions as data, and the two ways in which they come about: drawn, or from a list.
//
// A preemption is named by (node, incarnation, ticks used). It is no fault: it is legal at any
// time, quiet windows included, and costs no more than any goroutine switch. But it is recorded,
// replayed and shrunk like one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "fault/schedule.h"
#include "kernel/preemptor.h"

namespace sf::fault {

struct Preemption {
  std::string node;
  std::uint32_t incarnation = 0;
  std::uint64_t tick = 0;    // kExact: the trigger
  std::uint64_t pc = 0;      // where the program was; 0 unknown
  SimTime time;              // when it happened
  std::string place;         // "server/store.go:88 (main.(*store).claim)"; may be empty
  // Not stored. kNearest, while shrinking: others were dropped, so ticks have moved. It strikes
  // where the node reaches the same pc for the (skip + 1)th time at or after `time`.
  Aim aim = Aim::kExact;
  std::uint32_t skip = 0;
  bool operator==(const Preemption&) const = default;
};

// "server at server/store.go:88 (main.(*store).claim)".
std::string describe(const Preemption& preemption);

// Grouped by life of a node, one small list per preemption: there may be thousands.
Json to_json(const std::vector<Preemption>& preemptions);
Result<std::vector<Preemption>> preemptions_from_json(const Json& json, const std::string& where);

// What both ways share: the list of what happened.
class RecordedPreemptions : public kernel::Preemptor {
 public:
  const std::vector<Preemption>& done() const { return done_; }
  void attach(kernel::Room& room) override { room_ = &room; }
  void preempted(const kernel::PreemptionPoint& point, std::string place) override;

 protected:
  kernel::Room* room_ = nullptr;

 private:
  std::vector<Preemption> done_;
};

// Draws. Each life of a node has its own stream, keyed by (node, incarnation, ordinal): another
// node's preemptions, and every other decision, stay what they are.
//
// Under `burst`, stretches of some thousand ticks begin now and then, at a quarter of the wanted
// rate. In them the goroutine is preempted at every second edge (PreemptionPoint) and at every
// sixty-fourth other tick.
class DrawnPreemptions final : public RecordedPreemptions {
 public:
  explicit DrawnPreemptions(const kernel::PreemptSettings& settings) : settings_(settings) {}
  std::uint64_t next(kernel::NodeId node, kernel::Incarnation incarnation, std::uint64_t tick,
                     SimTime time) override;
  bool at(const kernel::PreemptionPoint& point) override;
  bool wants_place() const override { return false; }

 private:
  struct Stream {
    kernel::Incarnation incarnation = 0;
    std::uint64_t drawn = 0;         // arrivals so far: the ordinal of the next
    std::uint64_t burst_until = 0;   // ticks; the present burst ends before
  };
  std::uint64_t word(kernel::NodeId node, kernel::Incarnation incarnation, std::uint64_t use,
                     std::uint64_t index) const;
  std::uint64_t gap(std::uint64_t mean, std::uint64_t word) const;

  kernel::PreemptSettings settings_;
  std::map<kernel::NodeId, Stream> streams_;   // of the present lives
};

// Exactly these, and no others. One whose moment is not reached, or finds the runtime where no
// goroutine can be preempted, does not happen.
class ListedPreemptions final : public RecordedPreemptions {
 public:
  explicit ListedPreemptions(std::vector<Preemption> list);
  void attach(kernel::Room& room) override;
  std::uint64_t next(kernel::NodeId node, kernel::Incarnation incarnation, std::uint64_t tick,
                     SimTime time) override;
  bool at(const kernel::PreemptionPoint& point) override;
  bool wants_place() const override { return true; }

 private:
  // Those of one node in the order of the list; `at` is the next one.
  struct Queue {
    std::vector<Preemption> list;
    std::size_t at = 0;
  };
  std::vector<Preemption> list_;
  std::map<kernel::NodeId, Queue> queues_;
};

}  // namespace sf::fault
