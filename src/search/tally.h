// What many runs exercised and found, summed. Equal whatever the order in which runs are added, but
// for the samples: those are of the lowest run, so runs that fail are added in order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/seed_outcome.h"

namespace sf::search {

// One distinct problem over all runs.
struct FindingGroup {
  FindingSummary sample;              // of its lowest run
  std::string title;                  // the message without its numbers
  std::uint64_t seeds = 0;            // with this finding in the seed's own run or in a branch
  std::uint64_t branches = 0;         // of them: images or sites with this finding
  std::uint64_t lowest = 0;           // seed
  std::optional<fault::ImageId> lowest_image;   // unset: the seed's own run
  std::optional<fault::SiteId> lowest_site;
  std::uint64_t last_seed = 0;        // while adding: that it counts a seed once
};

// Adds a failing run to the group of its fingerprint. Runs come in order.
void add_to_groups(std::vector<FindingGroup>& groups, const SeedOutcome& run);

struct Tally {
  struct PropertyTotal {
    world::PropertyCount count;
    std::uint64_t seeds_held = 0;                      // seeds in which it held at least once
  };
  std::map<std::string, std::uint64_t> evidence;
  std::map<std::string, PropertyTotal> properties;
  std::int64_t simulated_ns = 0;
  double cpu_seconds = 0;

  // A seed with its branches.
  void add(const SeedOutcome& seed);
  double simulated_seconds() const { return static_cast<double>(simulated_ns) / 1e9; }
};

}  // namespace sf::search
