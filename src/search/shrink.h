// Shrink: the smallest schedule of faults and preemptions that still gives the same finding.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fault/preemptions.h"
#include "fault/schedule.h"
#include "world/run.h"

namespace sf::search {

struct ShrinkResult {
  std::vector<fault::Fault> faults;       // what is left, with the effects of the last run
  std::vector<fault::Preemption> preemptions;   // likewise
  std::size_t faults_before = 0;
  std::size_t preemptions_before = 0;
  std::uint64_t runs = 0;
  kernel::Finding finding;                // of the shrunk run
  world::RunResult result;                // of the shrunk run
};

struct ShrinkProgress {
  std::size_t faults = 0;                 // left
  std::size_t preemptions = 0;
  std::uint64_t runs = 0;                 // so far
};

// Drops to a fixed point: whatever single fault or preemption is dropped from the answer, the
// finding is another one or none. Fails when the run has no finding or when its own schedule,
// replayed without planner and draws, does not give it.
Result<ShrinkResult> shrink(const world::World& world, const world::RunSpec& original,
                            const std::function<void(const ShrinkProgress&)>& progress);

// The same over any way to run: `run` must be a pure function of its spec.
using RunFunction = std::function<Result<world::RunResult>(const world::RunSpec&)>;
Result<ShrinkResult> shrink_with(const RunFunction& run, const world::RunSpec& original,
                                 const std::function<void(const ShrinkProgress&)>& progress);

}  // namespace sf::search
