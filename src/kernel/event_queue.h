// The room's agenda: what happens next, and how far a node may run before anyone could notice.
//
// Order: time; then rank (what arrives comes before who acts on it, so a node that looks at time t
// sees everything that arrived up to t); then a seeded hash of the entity, never insertion or
// address; and first-in first-out within one entity, so that a stream never reorders itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "kernel/choices.h"
#include "kernel/ids.h"

namespace sf::kernel {

enum class Rank : std::uint8_t {
  kFault = 0,     // what befalls a node at t befalls it before it acts at t
  kArrival = 1,   // segments, completed operations, timers
  kWake = 2,      // a process goes on
  kOutcome = 3,   // an exit, a finding: what others do at that instant still counts
  kHorizon = 4,   // everything at the last instant still counts
};

// Whom an event concerns, for the look-ahead bound.
enum class Concern : std::uint8_t {
  kNode,  // only this node: others learn of it by messages, so not before the least link latency
  kRoomWide,  // everybody: nobody may run past it
};

using EventId = std::uint64_t;

struct EventSpec {
  SimTime time;
  Rank rank = Rank::kArrival;
  Entity entity;                 // ties at one instant are ordered by it
  Concern concern = Concern::kNode;
  NodeId node = kTheRoom;           // for kNode
  std::function<void()> action;
};

class EventQueue {
 public:
  explicit EventQueue(const Choices& choices) : ties_(choices) {}

  EventId schedule(EventSpec spec);
  void cancel(EventId id);              // no-op when it has run
  bool empty() const { return events_.empty(); }
  SimTime next_time() const;            // never() when empty
  // Nothing will happen any more but the end of the run. (An event after the horizon is somebody
  // who sleeps longer than the run lasts.)
  bool only_horizon_left() const {
    return events_.empty() ||
           (events_.size() == 1 && events_.begin()->first.rank == Rank::kHorizon);
  }
  // Removes the first event and returns it.
  EventSpec pop();

  // The first moment at which running `node` alone could be noticed: its own next event, the next
  // room-wide event, or another node's next event plus the least link latency.
  SimTime horizon_of(NodeId node, Duration least_latency) const;

  // Changes whenever an event is added or removed, so that a bound can be kept until then.
  std::uint64_t version() const { return version_; }

 private:
  struct Key {
    SimTime time;
    Rank rank;
    std::uint64_t tie;
    std::uint64_t ordinal;
    auto operator<=>(const Key&) const = default;
  };
  const Choices ties_;   // as the run began: a reseed may not reorder a stream
  std::map<Key, EventSpec> events_;
  std::map<EventId, Key> keys_;
  std::uint64_t next_ordinal_ = 1;
  std::uint64_t version_ = 0;
};

}  // namespace sf::kernel
