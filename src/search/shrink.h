// Shrink: the smallest fault schedule that still gives the same finding.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fault/schedule.h"
#include "world/run.h"

namespace sf::search {

struct ShrinkResult {
  std::vector<fault::Fault> faults;       // what is left, with the effects of the last run
  std::size_t faults_before = 0;
  std::uint64_t runs = 0;
  kernel::Finding finding;                // of the shrunk run
  world::RunResult result;                // of the shrunk run
};

// Drops faults to a fixed point: whatever single fault is dropped from the answer, the finding is
// another one or none. `progress` gets (faults left, runs so far). Fails when the run has no
// finding or when its own list of faults, replayed without the planner, does not give it.
Result<ShrinkResult> shrink(const world::World& world, const world::RunSpec& original,
                            const std::function<void(std::size_t, std::uint64_t)>& progress);

// The same over any way to run: `run` must be a pure function of its spec.
using RunFunction = std::function<Result<world::RunResult>(const world::RunSpec&)>;
Result<ShrinkResult> shrink_with(const RunFunction& run, const world::RunSpec& original,
                                 const std::function<void(std::size_t, std::uint64_t)>& progress);

}  // namespace sf::search
