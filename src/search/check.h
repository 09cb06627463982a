// Runs a seed twice and compares every event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "search/seed_outcome.h"
#include "world/run.h"

namespace sf::search {

// The outcome of the seed; kNondeterminism when its two runs differ, with `trouble` naming the
// first differing event with both sides and the events around it.
SeedOutcome check_seed(const world::World& world, std::uint64_t seed, bool keep_going);

// One run, without comparison.
SeedOutcome run_seed(const world::World& world, std::uint64_t seed, bool keep_going);

}  // namespace sf::search
