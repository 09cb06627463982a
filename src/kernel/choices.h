// Choices: every decision that chance would make in reality.
//
// A choice is a pure function of (root, purpose, entity, index): counter-based, no shared sequence.
// Removing one fault or one message therefore moves no other decision, which is what replay, shrink
// and cause rest on. An entity's key carries its incarnation wherever it has one.
//
// The root may change at given moments (reseed); a run is seed + reseeds + schedule edits.
#pragma once

#include <cstdint>

#include "base/fixed_point.h"
#include "base/hash.h"
#include "base/odds.h"
#include "base/time.h"

namespace sf::kernel {

// What a decision is about. Values are part of what a seed means: never renumber, only append.
enum class Purpose : std::uint32_t {
  kEntropy = 1,        // bytes a guest reads
  kTieBreak = 2,       // order of events at one instant
  kLatency = 3,        // of one chunk on one link
  kSyncTime = 4,       // how long an fsync takes
  kOpTime = 5,         // how long another disk operation takes
  kArrival = 6,        // gap to the next arrival of a fault kind
  kFaultParameter = 7, // what a fault does: restart delay, partition shape, duration, aim
  kPerOperation = 8,   // odds asked at one operation
  kSurvivors = 9,      // what a power loss keeps
  kSdkRandom = 10,     // sim.Rand
  kPort = 11,          // ephemeral ports
  kKillTear = 12,      // pages of a write that a kill leaves in the cache
  kPreemption = 13,    // when a goroutine loses the processor
};

// Identifies who decides: a mix of up to three words (kind or node, incarnation, object).
struct Entity {
  std::uint64_t key = 0;
  static constexpr Entity of(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
    return Entity{mix_into(mix_into(mix_into(0, a + 1), b + 1), c + 1)};
  }
  bool operator==(const Entity&) const = default;
};

// Draws that belong to one decision: dice.next() gives as many words as the decision needs, without
// touching any other decision.
class Dice {
 public:
  explicit constexpr Dice(std::uint64_t key) : key_(key) {}
  constexpr std::uint64_t next() { return mix64(key_ + 0x9e3779b97f4a7c15ULL * ++count_); }
  bool hit(Odds odds) { return odds.hit(next()); }
  std::uint64_t below(std::uint64_t n) { return sf::below(next(), n); }   // n > 0
  // Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) { return uniform(next(), low, high); }

 private:
  std::uint64_t key_;
  std::uint64_t count_ = 0;
};

class Choices {
 public:
  explicit Choices(std::uint64_t root) : root_(root) {}

  // One 64-bit word for this decision.
  std::uint64_t word(Purpose purpose, Entity entity, std::uint64_t index) const {
    return mix_into(mix_into(mix_into(root_ * 0xda942042e4dd58b5ULL + 1,
                                      static_cast<std::uint64_t>(purpose)),
                             entity.key),
                    index);
  }
  Dice dice(Purpose purpose, Entity entity, std::uint64_t index) const {
    return Dice(word(purpose, entity, index));
  }

  std::uint64_t root() const { return root_; }
  // Every later decision uses the new root.
  void reseed(std::uint64_t root) { root_ = root; }

 private:
  std::uint64_t root_;
};

}  // namespace sf::kernel
