#include "kernel/journal.h"

#include <iterator>
#include <utility>

#include "base/check.h"

namespace sf::kernel {

std::string_view property_kind_name(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::kAssert: return "assert";
    case PropertyKind::kAlways: return "always";
    case PropertyKind::kSometimes: return "sometimes";
    case PropertyKind::kReachable: return "reachable";
    case PropertyKind::kUnreachable: return "unreachable";
  }
  return "unknown";
}

Journal::Journal(std::size_t nodes, TraceSink& trace, PropertySink& properties)
    : trace_(trace), properties_(properties), queues_(nodes + 1) {}

void Journal::add(Record record, std::optional<PropertyHit> property) {
  SF_CHECK(record.time >= released_);
  const std::size_t queue = record.node == kTheRoom
                                ? queues_.size() - 1
                                : static_cast<std::size_t>(index_of(record.node));
  SF_CHECK(queue < queues_.size());
  // Nearly always the end: only what the host's kernel does can fall behind its own program.
  auto place = queues_[queue].end();
  while (place != queues_[queue].begin() && std::prev(place)->record.time > record.time) --place;
  queues_[queue].insert(place, Entry{std::move(record), std::move(property)});
}

std::deque<Journal::Entry>* Journal::next_queue(SimTime until, Edge edge) {
  std::deque<Entry>* best = nullptr;
  for (auto& queue : queues_) {
    if (queue.empty()) continue;
    const SimTime time = queue.front().record.time;
    if (edge == Edge::kBefore ? time >= until : time > until) continue;
    if (best == nullptr || time < best->front().record.time) best = &queue;
  }
  return best;
}

void Journal::release(SimTime until, Edge edge) {
  while (std::deque<Entry>* queue = next_queue(until, edge)) {
    Entry entry = std::move(queue->front());
    queue->pop_front();
    ++steps_;
    released_ = entry.record.time;
    trace_.record(steps_, entry.record);
    if (entry.property) properties_.hit(*entry.property);
  }
}

}  // namespace sf::kernel
