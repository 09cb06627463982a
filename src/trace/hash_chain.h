// The rolling hash over all records of a run: equal runs have equal values after every step.
//
// Text is left out, so the trace level never changes it.
#pragma once

#include <cstdint>

#include "base/hash.h"
#include "kernel/record.h"

namespace sf::trace {

class HashChain {
 public:
  void add(const kernel::Record& record) {
    value_ = mix_into(value_, static_cast<std::uint64_t>(record.time.ns()));
    value_ = mix_into(value_, (static_cast<std::uint64_t>(record.kind) << 32) | record.call);
    value_ = mix_into(value_, (static_cast<std::uint64_t>(index_of(record.node)) << 32) |
                                  record.incarnation);
    value_ = mix_into(value_, static_cast<std::uint64_t>(record.result));
    value_ = mix_into(value_, record.payload);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace sf::trace
