// The world as the user described it: seedfall.json, decoded, checked and with defaults filled in.
//
// Plain data, equal for equal texts; nothing here knows the kernel, and world/ turns it into the
// kernel's settings. Every value was checked against the table of keys (key_table.h), so users of
// these types need no checks of their own. Floating point ends here: rates have become gaps in
// nanoseconds and odds 64-bit thresholds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/odds.h"
#include "base/result.h"
#include "base/time.h"

namespace sf::world {

// Events per simulated second, kept as the mean gap between two of them. No gap: none ever.
struct Rate {
  std::optional<Duration> mean_gap;
  bool operator==(const Rate&) const = default;
};

enum class LatencyKind : std::uint8_t { kFixed, kUniform, kExponential, kLogNormal };

// A distribution of durations, in the forms "2ms", "0.1ms..1ms", "exp 2ms", "lognormal 1ms 0.5";
// the last two may end in "cap 50ms".
struct Latency {
  LatencyKind kind = LatencyKind::kFixed;
  Duration a;                        // fixed: the value; uniform: least; else mean or median
  Duration b;                        // the greatest value that is drawn; fixed: equal to a
  std::uint32_t sigma_percent = 0;   // log-normal: sigma of ln x, in hundredths
  bool operator==(const Latency&) const = default;
};

// The order is that of their names in key_table.cc.
enum class DiskProfile : std::uint8_t { kControl, kScc, kInOrder, kStrictPosix };
enum class TearUnit : std::uint8_t { kByte, kSector, kPage };
enum class PrefixScope : std::uint8_t { kNode, kFile };      // of in-order
enum class Dirents : std::uint8_t { kImplied, kStrict };     // of in-order; strict-posix is strict

struct DiskConfig {
  DiskProfile profile = DiskProfile::kInOrder;
  TearUnit tear = TearUnit::kByte;   // where a torn write may be cut
  PrefixScope prefix_scope = PrefixScope::kNode;
  Dirents dirents = Dirents::kImplied;
  std::uint32_t sector_bytes = 0;    // 512 or 4096
  Latency fsync;
  Latency op;
  Duration writeback;                // age at which dirty data is written back; zero: never
  std::uint64_t capacity_bytes = 0;
  bool operator==(const DiskConfig&) const = default;
};

enum class GuestKind : std::uint8_t { kGoPackage, kWasmFile, kCSources };

// Of kCSources.
struct CSources {
  std::vector<std::string> files;          // as written: files and patterns
  std::vector<std::string> file_places;    // for errors about each of them
  std::vector<std::string> flags;
  bool operator==(const CSources&) const = default;
};

// A folder of the host that a node's disk shows without ever writing it (`exec -dir`).
struct HostFolder {
  std::string host;           // absolute
  std::string guest;          // absolute, in the simulation
  std::string place;          // who asked for it, for errors: "-dir data"; empty: exec by itself
  std::string hidden = {};    // a folder of the host that is not shown with it; empty: none
  bool operator==(const HostFolder&) const = default;
};

// One node or workload process; `count` has been expanded.
struct NodeConfig {
  std::string name;
  GuestKind guest = GuestKind::kGoPackage;
  std::string source;         // as written: a Go package ("./server"), a wasm file, or C files
                              // joined by blanks
  std::string source_place;   // for errors about it: "seedfall.json:4:31: $.nodes[0].pkg"
  CSources c;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;   // in the order of the file
  bool supervise = false;
  std::uint64_t memory_bytes = 0;
  DiskConfig disk;
  Duration clock_offset;      // of its wall clock; may be negative
  std::int64_t drift_ppm = 0; // of its clocks; may be negative
  std::string files;          // as written: a folder copied to its empty disk; empty: none
  std::string files_place;
  std::string program_name;   // argv[0]; empty: the node's name
  std::vector<HostFolder> folders;
  bool operator==(const NodeConfig&) const = default;
};

struct NetworkConfig {
  Latency latency;            // one way, per message
  bool operator==(const NetworkConfig&) const = default;
};

// The order is that of their names in key_table.cc.
enum class PreemptPolicy : std::uint8_t { kOff, kRandom, kBurst };

struct CpuConfig {
  Duration slice;
  std::int64_t ns_per_1000_ticks = 0;
  Duration host_call;
  Duration clock_read;
  PreemptPolicy preempt = PreemptPolicy::kRandom;
  std::uint32_t preempt_rate = 0;    // per million ticks
  bool operator==(const CpuConfig&) const = default;
};

// "Crash" means power loss of a node, "kill" the death of its process.
struct FaultConfig {
  Rate crash;                 // per node
  Odds crash_on_io;           // per disk operation
  Rate kill;                  // per node
  Rate partition;             // of the whole network
  Duration restart_after;     // mean of an exponential
  Odds torn_writes;           // that a crash tears the write it meets
  Rate power_all;             // of the whole cluster
  Odds crash_in_recovery;     // per restart
  Odds fsync_eio;             // per fsync that has something to write
  Odds write_eio;             // per write, like short_writes
  Odds read_eio;              // per read
  Odds short_writes;
  Rate enospc;                // per node, like the rest
  Rate emfile;
  Rate evict;
  Rate disk_stall;
  Rate bit_rot;
  SimTime from;               // no fault before
  SimTime until = SimTime::never();
  bool operator==(const FaultConfig&) const = default;
};

struct LimitsConfig {
  std::uint64_t steps = 0;
  std::uint64_t trace_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t events_per_instant = 0;
  Duration spin;              // CPU time a process may use without any host call
  bool operator==(const LimitsConfig&) const = default;
};

struct WorldConfig {
  std::string name;
  std::string path;           // of the file, as given
  std::string directory;      // absolute; sources and `files` are relative to it
  std::vector<NodeConfig> nodes;        // at least one
  std::vector<NodeConfig> workloads;    // may be empty
  Duration horizon;
  bool horizon_ok = false;
  bool solo = false;          // one node only: the run ends when its program exits
  NetworkConfig network;
  CpuConfig cpu;
  FaultConfig faults;
  LimitsConfig limits;
  bool operator==(const WorldConfig&) const = default;
};

// Reads and checks a file, also that the packages, wasm files and folders it names exist. The first
// error in file order is reported, with kUsage (kCannotRun when the file cannot be read).
Result<WorldConfig> load_config(const std::string& path);

// The same for a text; touches no file, so the sources are not looked for and `directory` is empty.
// `path` is used in errors and for the default of `name`.
Result<WorldConfig> decode_config(std::string_view text, const std::string& path);

}  // namespace sf::world
