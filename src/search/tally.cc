#include "search/tally.h"

#include <set>

#include "base/check.h"
#include "kernel/finding.h"

namespace sf::search {

void add_to_groups(std::vector<FindingGroup>& groups, const SeedOutcome& run) {
  SF_CHECK(run.finding.has_value());
  const std::uint64_t branch = run.image || run.site ? 1 : 0;
  for (FindingGroup& group : groups) {
    if (group.sample.fingerprint != run.finding->fingerprint) continue;
    group.seeds += group.last_seed == run.seed ? 0 : 1;
    group.branches += branch;
    group.last_seed = run.seed;
    return;
  }
  groups.push_back(FindingGroup{*run.finding, kernel::generalised(run.finding->message), 1, branch,
                                run.seed, run.image, run.site, run.seed});
}

namespace {

// Adds one run; the identities that held in it go to `held`.
void add_run(Tally& tally, const SeedOutcome& run, std::set<std::string>& held) {
  for (const auto& [key, count] : run.evidence) tally.evidence[key] += count;
  for (const auto& [identity, count] : run.properties) {
    auto& total = tally.properties[identity];
    if (total.count.held + total.count.not_held == 0) {
      total.count.kind = count.kind;
      total.count.message = count.message;
      total.count.site = count.site;
    }
    total.count.held += count.held;
    total.count.not_held += count.not_held;
    if (count.held > 0) held.insert(identity);
  }
  tally.simulated_ns += run.end_ns - run.start_ns;
  tally.cpu_seconds += run.cpu_seconds;
  for (const SeedOutcome& branch : run.branches) add_run(tally, branch, held);
}

}  // namespace

void Tally::add(const SeedOutcome& seed) {
  std::set<std::string> held;
  add_run(*this, seed, held);
  for (const std::string& identity : held) ++properties[identity].seeds_held;
}

}  // namespace sf::search
