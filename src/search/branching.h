// Runs that branch: the further disk images of a seed's power losses (-fanout), and the crash sites
// of a run without faults (-sites). A branch is a forked process that goes on from the crash.
#pragma once

#include <cstdint>
#include <optional>

#include "search/seed_outcome.h"
#include "world/run.h"

namespace sf::search {

struct BranchOptions {
  std::uint32_t images = 1;                  // per power loss, the run's own among them
  std::optional<fault::SiteRange> sites;
};

// The run's outcome, with those of its branches in `branches`, in the order in which they branch
// off. The run itself is what it would be without them. A branch counts from where it branched: its
// evidence and properties are those of its own part. kBroken when it cannot be carried out. The
// process must be single-threaded.
SeedOutcome run_branching(const world::World& world, const world::RunSpec& spec,
                          const BranchOptions& options, trace::HashSink& trace);

// Repeats a branch of that run without any fork, from what its outcome names, and compares the
// hashes: the outcome, or one of kind kNondeterminism.
SeedOutcome check_branch(const world::World& world, const world::RunSpec& spec, SeedOutcome branch);

// Clean outcomes go without their faults and their hashes are enough.
void drop_faults_of_clean(SeedOutcome& outcome);

}  // namespace sf::search
