// Parts of answers that several commands print.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fault/schedule.h"
#include "search/seed_outcome.h"
#include "world/world.h"

namespace sf::front {

// "crash (power) 0.5/s, on I/O 0.5 %, torn writes"; "none".
std::string describe_faults(const world::FaultConfig& faults);

// "world kvlog-torn-tail: 1 node, 1 workload; faults: …".
std::string describe_world(const world::WorldConfig& config);

// "FAIL seed 23 at t=3.121302s (867 scheduler steps, 19ms real)" and the finding's own lines.
// Real time differs from run to run: a replay leaves it out.
enum class RealTime : std::uint8_t { kShow, kOmit };
std::string describe_failure(const search::SeedOutcome& outcome,
                             RealTime real_time = RealTime::kShow);

// "faults before the failure (2):" and a line each; at most `limit` of them. Those of a run that
// need not have failed are "faults (2):".
enum class FaultsOf : std::uint8_t { kFailure, kWholeRun };
std::string describe_fault_list(const std::vector<fault::Fault>& faults, std::size_t limit,
                                FaultsOf of = FaultsOf::kFailure);
// "preemptions of goroutines (2):" and a line each; above `limit` only their number. "" for none.
std::string describe_preemptions(const std::vector<fault::Preemption>& preemptions,
                                 std::size_t limit);

// Text that came from a guest, for a terminal: control characters and bytes that are no UTF-8 are
// escaped, tabs stay.
std::string printable(std::string_view text);
// The same for a text of several lines.
std::string printable_lines(std::string_view text);

// Loads the config, builds and loads the guests, with progress notes on stderr.
Result<std::unique_ptr<world::World>> open_world(const std::string& config_path);

}  // namespace sf::front
