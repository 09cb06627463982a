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

#include "base/host/worker_pool.h"
#include "search/seed_outcome.h"
#include "search/tally.h"
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
  // Disk images per power loss of a seed's own run, that run's among them; see branching.h.
  std::uint32_t images = 1;
};
inline constexpr std::uint32_t kImagesMax = 1024;      // of `images`
inline constexpr std::uint64_t kSelfCheckEvery = 32;

struct SweepProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::uint64_t failing = 0;
  std::uint64_t images = 0;
  std::optional<std::uint64_t> lowest_failing;
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
  std::uint64_t images = 0;                            // run, those of the seeds' own among them
  std::uint64_t failing_images = 0;                    // those beside the seeds' own
  std::vector<FindingGroup> groups;                    // by lowest run
  std::vector<SeedOutcome> lowest_failing;             // none or one run, with its faults
  std::vector<SeedOutcome> troubles;                   // nondeterministic or broken, lowest first
  Tally tally;
  std::uint64_t hash = 0;                              // of all seeds' hashes, in order
};

// The result of these outcomes, in the order of seeds and, in a seed, its own run before its
// branches: so it does not depend on who finished first.
SweepResult put_together(const SweepOptions& options,
                         const std::map<std::uint64_t, SeedOutcome>& outcomes);

// The outcome in a worker's reply; kBroken, with this seed, when the worker died.
SeedOutcome outcome_of_reply(const host::WorkerPool::Reply& reply, std::uint64_t seed);

Result<SweepResult> sweep(const world::World& world, const SweepOptions& options,
                          const std::function<void(const SweepProgress&)>& progress);

}  // namespace sf::search
