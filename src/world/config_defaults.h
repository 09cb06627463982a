// What a config means when it does not say: every default number, each with its source.
//
// key_table.cc repeats them as text for the reference page; a test reads that text back and
// compares. Numbers named after a section of core-interfaces.md are decisions made there.
#pragma once

#include "world/config.h"

namespace sf::world::defaults {

// Long enough for about 30 crashes at a rate of 0.5/s; the tool we follow uses the same.
inline constexpr Duration kHorizon = seconds(60);

// A service manager's pause (systemd's RestartSec is 100 ms) plus the boot of a small program.
inline constexpr Duration kRestartAfter = milliseconds(500);

// Go's runtime reserves little on wasm; a server with a modest cache fits.
inline constexpr std::uint64_t kMemoryBytes = 256ULL << 20;

// core-interfaces.md 3: fsync takes an exponential time of mean 2 ms, at most 50 ms. That is a
// data-centre SSD without power-loss protection; the cap keeps one draw from deciding a run.
inline constexpr Latency kFsync{LatencyKind::kExponential, milliseconds(2), milliseconds(50)};

// core-interfaces.md 3: other disk operations go to the page cache and cost CPU time only.
inline constexpr Latency kDiskOp{LatencyKind::kFixed, Duration(0), Duration(0)};

inline constexpr std::uint64_t kCapacityBytes = 1ULL << 30;

// Logical sectors of nearly every drive; 4096 is for native 4K drives.
inline constexpr std::uint32_t kSectorBytes = 512;

// core-interfaces.md 5: "default byte under in-order, sector elsewhere". The prefix model lets a
// cut fall anywhere; what the tool we follow calls torn writes cuts at bytes too. Without one order
// of all writes, and on drives whose sector is a page, only sectors are left.
inline constexpr TearUnit tear_of(const DiskConfig& disk) {
  const bool one_order =
      disk.profile == DiskProfile::kInOrder && disk.prefix_scope == PrefixScope::kNode;
  return one_order && disk.sector_bytes == kSectorBytes ? TearUnit::kByte : TearUnit::kSector;
}

// core-interfaces.md 3: one way, within a data centre.
inline constexpr Latency kNetworkLatency{LatencyKind::kUniform, microseconds(200), milliseconds(1)};

// core-interfaces.md 3: the charges of `cpu`, and how far a node may run ahead of the room.
inline constexpr Duration kSlice = milliseconds(1);
inline constexpr std::int64_t kNsPer1000Ticks = 4000;
inline constexpr Duration kHostCall = nanoseconds(200);
inline constexpr Duration kClockRead = nanoseconds(20);

// Preemptions per million ticks: enough to meet a window of a few hundred ticks within some tens of
// seeds, at less than 5 % of CPU time (docs/benchmarks.md, "Preemption").
inline constexpr PreemptPolicy kPreempt = PreemptPolicy::kRandom;
inline constexpr std::int64_t kPreemptRate = 50;

// The sample run of the tool we follow takes 867 steps; 20 million are minutes of host time.
inline constexpr std::uint64_t kSteps = 20'000'000;
inline constexpr std::uint64_t kTraceBytes = 256ULL << 20;
inline constexpr std::uint64_t kOpenFiles = 1024;             // the usual soft limit (ulimit -n)
inline constexpr std::uint64_t kOutputBytes = 8ULL << 20;
inline constexpr std::uint64_t kEventsPerInstant = 100'000;
// Far above any start-up work seen (a large Go server uses 0.3 s), far below the horizon.
inline constexpr Duration kSpin = seconds(5);

}  // namespace sf::world::defaults
