#include "kernel/event_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sf::kernel {

EventId EventQueue::schedule(EventSpec spec) {
  ++version_;
  const EventId id = next_ordinal_++;
  const Key key{spec.time, spec.rank,
                ties_.word(Purpose::kTieBreak, spec.entity,
                              static_cast<std::uint64_t>(spec.time.ns())),
                id};
  keys_.emplace(id, key);
  events_.emplace(key, std::move(spec));
  return id;
}

void EventQueue::cancel(EventId id) {
  const auto found = keys_.find(id);
  if (found == keys_.end()) return;
  ++version_;
  events_.erase(found->second);
  keys_.erase(found);
}

SimTime EventQueue::next_time() const {
  return events_.empty() ? SimTime::never() : events_.begin()->first.time;
}

EventSpec EventQueue::pop() {
  SF_CHECK(!events_.empty());
  ++version_;
  auto first = events_.begin();
  EventSpec spec = std::move(first->second);
  keys_.erase(first->first.ordinal);
  events_.erase(first);
  return spec;
}

SimTime EventQueue::horizon_of(NodeId node, Duration least_latency) const {
  SimTime bound = SimTime::never();
  for (const auto& [key, event] : events_) {
    if (key.time >= bound) break;   // later events only give later bounds
    const bool own = event.concern == Concern::kRoomWide || event.node == node;
    // What ranks behind programs lets them act at its very instant: the bound lies just after it.
    // At that instant itself they would be woken before it again and again.
    const Duration after = key.rank > Rank::kWake ? nanoseconds(1) : Duration(0);
    bound = std::min(bound, own ? key.time + after : key.time + least_latency);
  }
  return bound;
}

}  // namespace sf::kernel
