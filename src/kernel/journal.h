// The journal: puts what nodes do into room-time order before anyone sees it.
//
// A node may run ahead of the room within its slice (core time rule), so its records carry times
// that the room has not reached. They wait here, one queue per node, and leave in (time, node)
// order once the room's time has passed them. What a node did after the end of the run never
// leaves: it did not happen. One node's records keep their own order.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "kernel/record.h"

namespace sf::kernel {

class Journal {
 public:
  Journal(std::size_t nodes, TraceSink& trace, PropertySink& properties);

  // Requires record.time >= every time already released.
  void add(Record record, std::optional<PropertyHit> property = {});
  bool wants_text() const { return trace_.wants_text(); }

  // Passes on all records with time < until (kBefore) or <= until (kThrough).
  enum class Edge : std::uint8_t { kBefore, kThrough };
  void release(SimTime until, Edge edge);

  std::uint64_t steps() const { return steps_; }

 private:
  struct Entry {
    Record record;
    std::optional<PropertyHit> property;
  };
  std::deque<Entry>* next_queue(SimTime until, Edge edge);

  TraceSink& trace_;
  PropertySink& properties_;
  std::vector<std::deque<Entry>> queues_;   // one per node, the room's own last
  SimTime released_;
  std::uint64_t steps_ = 0;
};

}  // namespace sf::kernel
