// The world of `exec`: one program on one node, described by flags and, perhaps, a config file that
// says everything but the programs.
#pragma once

#include <string>

#include "base/result.h"
#include "world/config.h"

namespace sf::world {

// What differs for a single program from the defaults of a world: it is not under test by default,
// so nothing may stop it early, and its goroutines keep their order.
namespace exec_defaults {
inline constexpr Duration kHorizon = seconds(100LL * 24 * 3600);
inline constexpr std::uint64_t kMemoryBytes = 4ULL << 30;        // all that wasm32 can address
inline constexpr std::uint64_t kCapacityBytes = 4ULL << 30;
inline constexpr std::uint64_t kSteps = 1ULL << 62;
inline constexpr std::uint64_t kOutputBytes = 1ULL << 30;
inline constexpr Duration kSpin = seconds(3600);
// What a host call and a reading of a clock cost here, to the next round number
// (docs/benchmarks.md, "Host calls"): a program that polls a clock until a moment has come then
// takes about as long as anywhere else. With a world's charges it would take ten times that.
inline constexpr Duration kHostCall = microseconds(1);
inline constexpr Duration kClockRead = nanoseconds(250);
// Preemptions per million ticks. A goroutine that computes without end lets others run about as
// often as Go's monitor thread makes it elsewhere (forcePreemptNS, 10 ms, runtime/proc.go).
inline constexpr std::uint32_t kPreemptRate = 1;
}  // namespace exec_defaults

// A world without nodes and workload, with the defaults above where the file is silent. `disk` is
// what the file says of disks.
struct ExecSettings {
  WorldConfig world;
  DiskConfig disk;
};
// An empty path: no file; then the disk's profile is control, which is the fastest and differs in
// nothing as long as there are no faults. A profile that is not empty goes before the file's.
Result<ExecSettings> load_exec_settings(const std::string& path, const std::string& profile);
// The same for a text.
Result<ExecSettings> decode_exec_settings(std::string_view text, const std::string& path,
                                          const std::string& profile);

}  // namespace sf::world
