// `run -sites`: one run without faults per seed, and one crash at each of its disk operations.
//
// Each operation of a service at which the config lets faults happen is tried with a power loss and
// a kill, before, inside and after it, as far as these differ (fault/sites.h). A seed is first run
// alone, to count its operations; then workers take ranges of them, and branch (branching.h), so
// that a site costs only what comes after it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/sweep.h"

namespace sf::search {

struct SiteOptions {
  SeedRange seeds{1, 1};
  unsigned workers = 1;
  bool check = false;                 // every site is repeated from its faults, without a fork
  bool keep_going = false;
  std::uint32_t images = 1;           // per power loss
};
// More operations in one seed would run for days: the workload should be shorter.
inline constexpr std::uint64_t kSiteOperationsMax = 200'000;

struct SiteProgress {
  std::uint64_t operations_done = 0;
  std::uint64_t operations_known = 0;    // of the seeds that were counted so far
  std::uint64_t seeds_counted = 0;
  std::uint64_t tried = 0;
  std::uint64_t failing = 0;
};

struct SiteResult {
  SeedRange seeds;
  std::uint64_t seeds_completed = 0;
  std::uint64_t operations = 0;            // of completed seeds
  std::uint64_t power = 0;                 // power losses that were tried, images not counted
  std::uint64_t kill = 0;
  std::uint64_t images = 0;                // disk images that power losses left, all of them
  std::uint64_t repeated = 0;              // crashes that left what another one of theirs had left
  std::uint64_t spared = 0;                // crashes that a quiet window called off
  std::uint64_t failing = 0;               // crashes (or images) with a finding
  bool interrupted = false;
  std::uint64_t resume_from = 0;           // interrupted: the lowest seed that is not complete
  std::vector<SeedOutcome> faultless;      // seeds that fail without any fault, lowest first
  std::vector<SeedOutcome> lowest_failing; // none or one, with its fault
  std::vector<FindingGroup> groups;        // by lowest site
  std::vector<SeedOutcome> troubles;       // nondeterministic or broken
  Tally tally;                             // of the crashed runs, each from its crash on
  std::uint64_t hash = 0;                  // of all runs, in order
};

// Fails with kUsage when a seed has no operation to crash at, or too many.
Result<SiteResult> site_sweep(const world::World& world, const SiteOptions& options,
                              const std::function<void(const SiteProgress&)>& progress);

// "12-power-before" or, with an image, "12-power-before-image-1.3": for names of files.
std::string site_word(const SeedOutcome& run);

}  // namespace sf::search
