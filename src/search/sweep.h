// A sweep: many seeds on all cores, one verdict.
//
// The lowest failing seed is reported, and all lower ones are always completed. Results do not
// depend on the number of workers: they are put together in the order of seeds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/seed_outcome.h"
#include "world/world.h"

namespace sf::search {

struct SeedRange {
  std::uint64_t from = 1;
  std::uint64_t to = 1;      // included
};

struct SweepOptions {
  SeedRange seeds;
  unsigned workers = 1;
  bool check = false;        // every seed twice; otherwise one in kSelfCheckEvery
  bool keep_going = false;
};
inline constexpr std::uint64_t kSelfCheckEvery = 32;

struct SweepProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::uint64_t failing = 0;
  std::optional<std::uint64_t> lowest_failing;
};

// One distinct problem over all seeds.
struct FindingGroup {
  FindingSummary sample;              // of its lowest seed
  std::string title;                  // the message without its numbers
  std::uint64_t seeds = 0;
  std::uint64_t lowest = 0;
};

struct SweepResult {
  SeedRange seeds;
  std::uint64_t completed = 0;
  std::uint64_t clean = 0;
  std::uint64_t failing = 0;
  std::uint64_t broken = 0;
  std::uint64_t nondeterministic = 0;
  bool interrupted = false;
  std::uint64_t resume_from = 0;                       // interrupted: the lowest seed not completed
  std::vector<FindingGroup> groups;                    // by lowest seed
  std::vector<SeedOutcome> lowest_failing;             // none or one, with its faults
  std::vector<SeedOutcome> troubles;                   // nondeterministic or broken, lowest first
  std::map<std::string, std::uint64_t> evidence;       // summed
  struct PropertyTotal {
    world::PropertyCount count;
    std::uint64_t seeds_held = 0;                      // seeds in which it held at least once
  };
  std::map<std::string, PropertyTotal> properties;
  double simulated_seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t hash = 0;                              // of all seeds' hashes, in order
};

Result<SweepResult> sweep(const world::World& world, const SweepOptions& options,
                          const std::function<void(const SweepProgress&)>& progress);

}  // namespace sf::search
