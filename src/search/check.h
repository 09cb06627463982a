// Runs a seed twice and compares every event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "search/seed_outcome.h"
#include "world/run.h"

namespace sf::search {

struct SeedOptions {
  bool keep_going = false;
  std::uint32_t images = 1;     // per power loss, see search/branching.h
};

// Which branches are repeated, too.
enum class CheckDepth : std::uint8_t { kLastBranch, kAllBranches };

// The outcome of the seed; kNondeterminism when its two runs differ, with `trouble` naming the
// first differing event with both sides and the events around it. Branches are compared with a
// repetition that is not forked.
SeedOutcome check_seed(const world::World& world, std::uint64_t seed, const SeedOptions& options,
                       CheckDepth depth);

// One run, without comparison.
SeedOutcome run_seed(const world::World& world, std::uint64_t seed, const SeedOptions& options);

}  // namespace sf::search
