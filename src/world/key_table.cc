#include "world/key_table.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/strings.h"

namespace sf::world {
namespace {

constexpr int kLater = kStageLater;

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3'600 * kSecond;
constexpr std::int64_t kYear = 8'766 * kHour;
constexpr std::int64_t kKiB = 1 << 10;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;

// A link has at least 10 us: it bounds how far a node may run ahead (core-interfaces.md 3).
constexpr std::int64_t kLinkLeast = 10 * kMicrosecond;

// The built ones stand in the order of their enumerations in config.h.
constexpr std::array<Choice, 8> kProfiles = {{{"control"}, {"scc"}, {"in-order"},
                                              {"strict-posix"}, {"ext4", kLater},
                                              {"ext4-writeback", kLater}, {"xfs", kLater},
                                              {"btrfs", kLater}}};
constexpr std::array<Choice, 3> kTears = {{{"byte"}, {"sector"}, {"page"}}};
constexpr std::array<Choice, 2> kPrefixScopes = {{{"node"}, {"file"}}};
constexpr std::array<Choice, 2> kDirents = {{{"implied"}, {"strict"}}};
constexpr std::array<Choice, 3> kPreempts = {{{"off"}, {"random"}, {"burst"}}};
constexpr std::array<Choice, 2> kAntithesisModes = {{{"off"}, {"auto", kLater}}};

using enum KeyType;
constexpr Scope R = Scope::kRoot, N = Scope::kNode, S = Scope::kC, D = Scope::kDisk,
                W = Scope::kNetwork, C = Scope::kCpu, F = Scope::kFaults, B = Scope::kBudget,
                K = Scope::kCheck, A = Scope::kAntithesis, L = Scope::kLimits;

constexpr Key object(Scope scope, std::string_view name, int stage, Scope inner,
                     std::string_view documentation) {
  return {scope, name, kObject, stage, "", documentation, 0, 0, {}, inner};
}

constexpr Key choice(Scope scope, std::string_view name, int stage, std::string_view otherwise,
                     std::span<const Choice> choices, std::string_view documentation) {
  return {scope, name, kChoice, stage, otherwise, documentation, 0, 0, choices};
}

// Columns: scope, name, type, stage, default, documentation, least, greatest.
constexpr Key kTable[] = {
    {R, "$schema", kText, 1, "", "The JSON Schema that editors should use; not read."},
    {R, "name", kTitle, 1, "", "The world's name in reports; by default the file's name."},
    {R, "nodes", kNodes, 1, "", "The programs under test, one simulated machine each."},
    {R, "workload", kWorkloads, 1, "",
     "The program (or a list of them) that drives the nodes; its exit ends the run, and process "
     "and disk faults leave it alone."},
    {R, "horizon", kDuration, 1, "60s",
     "The simulated time after which the run ends with the verdict horizon.", 1, kYear},
    {R, "horizon_ok", kBool, 1, "false", "Whether reaching the horizon is a clean end."},
    {R, "net_overlay", kBool, 5, "false",
     "Puts plain net, net/http and os/signal on the simulated network."},
    {R, "supervise", kBool, 1, "false",
     "Restarts nodes that exit by themselves, after faults.restart_after."},
    object(R, "disk", 1, D, "The disks of all nodes; a node's own disk overrides it key by key."),
    object(R, "network", 1, W, "The network between the nodes."),
    object(R, "cpu", 1, C, "What computing costs in simulated time."),
    object(R, "faults", 1, F, "What may go wrong; everything is off unless it is named."),
    object(R, "budget", kLater, B, "How much may go wrong at once."),
    {R, "swarm", kBool, kLater, "false", "Draws a different mix of faults for each seed."},
    object(R, "check", kLater, K, "Judgements over the recorded histories."),
    choice(R, "antithesis", kLater, "auto", kAntithesisModes,
           "Support for the Antithesis SDK."),
    object(R, "limits", 1, L, "Bounds of a run; reaching one is a verdict of its own."),

    {N, "name", kName, 1, "", "The host name, which other nodes dial."},
    {N, "pkg", kSource, 1, "", "The Go package to build, such as ./server."},
    {N, "wasm", kSource, 1, "", "A WASI preview 1 program that is built already."},
    object(N, "c", 1, S, "The C and C++ program to build with clang."),
    {N, "rust", kAny, kLater, "", "A Rust package to build."},
    {N, "native", kAny, kLater, "", "A Linux program to run as it is."},
    {N, "count", kInteger, 1, "1",
     "How many such nodes; above 1 they are called name-1 to name-n.", 1, 100},
    {N, "args", kTexts, 1, "[]", "Command line arguments after the program's name."},
    {N, "env", kEnvironment, 1, "{}", "Environment variables; nothing is inherited from the host."},
    {N, "supervise", kBool, 1, "", "Overrides the world's supervise for this node."},
    {N, "memory", kSize, 1, "256MiB", "The most memory the program may use.", kMiB, 4 * kGiB},
    object(N, "disk", 1, D, "Overrides the world's disk, key by key."),
    {N, "clock_offset", kSignedDuration, 1, "0s", "How far its wall clock is ahead of true time.",
     -10 * kYear, 10 * kYear},
    {N, "drift_ppm", kInteger, 1, "0", "How much faster its clocks run, in parts per million.",
     -100'000, 100'000},
    {N, "files", kSource, 1, "", "A folder whose content is on its disk at the first start."},
    {N, "after", kAny, 5, "", "The nodes that start before it."},
    {N, "role", kAny, 5, "", "A hint for faults that aim at a role."},
    {N, "upgrade", kAny, kLater, "", "A second build that takes over the same disk."},

    {S, "sources", kSources, 1, "", "Its files, or patterns such as src/*.c."},
    {S, "flags", kFlags, 1, "", "Flags for compiling and linking it, such as -Iinclude."},

    choice(D, "profile", 1, "in-order", kProfiles,
           "What a power loss may leave of writes not yet synced."),
    {D, "strict_posix", kBool, 1, "false", "The same as the profile strict-posix."},
    choice(D, "tear", 1, "", kTears,
           "Where a torn write may be cut: byte where writes have one order, else sector."),
    choice(D, "prefix_scope", 1, "node", kPrefixScopes,
           "Under in-order: whether writes keep their order per node or per file."),
    choice(D, "dirents", 1, "implied", kDirents,
           "Whether syncing a file makes its name durable or its directory must be synced too."),
    {D, "sector", kInteger, 1, "512", "Bytes that a drive writes as one: 512 or 4096.", 512, 4096},
    {D, "fsync", kLatency, 1, "exp 2ms cap 50ms", "How long a sync takes.", 0, kHour},
    {D, "writeback", kDuration, 1, "0s",
     "The age at which data in the page cache is written back; 0s: only by a sync.",
     0, kHour},
    {D, "op", kLatency, 1, "0s", "How long a read or write takes, beside its CPU time.", 0,
     kHour},
    {D, "capacity", kSize, 1, "1GiB", "The size of the disk.", 64 * kKiB, 1024 * kGiB},

    {W, "latency", kLatency, 1, "0.2ms..1ms",
     "How long a message is under way.", kLinkLeast, kHour},
    {W, "bandwidth", kAny, 4, "", "How much a link carries per second."},
    {W, "per_link", kAny, 4, "", "Overrides for single links."},

    choice(C, "preempt", 1, "random", kPreempts,
           "Whether goroutines are preempted at drawn moments, and how these are spread."),
    {C, "preempt_rate", kInteger, 1, "50", "Preemptions of goroutines per million ticks.", 1,
     100'000},
    {C, "slice", kDuration, 1, "1ms", "The longest stretch that a node runs alone.",
     10 * kMicrosecond, kSecond},
    {C, "ns_per_1000_ticks", kInteger, 1, "4000",
     "The cost of computing, in ns per 1,000 ticks.", 1,
     1'000'000'000},
    {C, "host_call_ns", kInteger, 1, "200", "The cost of a host call, in ns.", 0, 1'000'000'000},
    {C, "clock_read_ns", kInteger, 1, "20",
     "The cost of reading a clock, in ns.", 0, 1'000'000'000},

    {F, "crash_per_sec", kRate, 1, "0", "Crashes (power) per node and second."},
    {F, "crash_on_io", kOdds, 1, "0", "The odds that a disk operation meets a crash (power)."},
    {F, "kill_per_sec", kRate, 1, "0", "Process deaths per node and second; the page cache stays."},
    {F, "restart_after", kDuration, 1, "500ms",
     "The mean time until a node starts again, drawn from an exponential.", 0, kHour},
    {F, "torn_writes", kOddsOrBool, 1, "0", "The odds that a crash (power) tears a pending write."},
    {F, "partition_per_sec", kRate, 1, "0", "Network partitions per second."},
    {F, "from", kDuration, 1, "0s", "No fault happens before this time.", 0, kYear},
    {F, "until", kDuration, 1, "",
     "No fault happens after this time; by default they never stop.", 0,
     kYear},
    {F, "fsync_eio", kOdds, 1, "0",
     "The odds that an fsync that has something to write fails with EIO."},
    {F, "write_eio", kOdds, 1, "0", "The odds that a write fails with EIO."},
    {F, "read_eio", kOdds, 1, "0", "The odds that a read fails with EIO."},
    {F, "short_writes", kOdds, 1, "0", "The odds that a write takes only a part."},
    {F, "enospc_per_sec", kRate, 1, "0", "Times per node and second at which its disk is full."},
    {F, "emfile_per_sec", kRate, 1, "0",
     "Times per node and second at which no file can be opened."},
    {F, "evict_per_sec", kRate, 1, "0", "Evictions of clean pages per node and second."},
    {F, "disk_stall_per_sec", kRate, 1, "0", "Stalls of the disk per node and second."},
    {F, "crash_in_recovery", kOdds, 1, "0",
     "The odds that a restart meets a crash (power) while it recovers."},
    {F, "power_all_per_sec", kRate, 1, "0", "Power losses of the whole cluster per second."},
    {F, "bit_rot_per_sec", kRate, 1, "0", "Flipped bits at rest per node and second."},
    {F, "partition", kAny, 4, "", "The kinds of partitions and their weights."},
    {F, "reset_per_sec", kRate, 4, "0", "Connection resets per second."},
    {F, "clog_per_sec", kRate, 4, "0", "Times per second at which a link holds everything back."},
    {F, "slow_link_per_sec", kRate, 4, "0", "Times per second at which a link becomes slow."},
    {F, "udp_loss", kOdds, 4, "0", "The odds that a datagram is lost."},
    {F, "udp_dup", kOdds, 4, "0", "The odds that a datagram arrives twice."},
    {F, "udp_reorder", kOdds, 4, "0", "The odds that a datagram is overtaken."},
    {F, "dns_per_sec", kRate, 4, "0", "Times per second at which names do not resolve."},
    {F, "stop_per_sec", kRate, 4, "0",
     "Orderly stops (SIGTERM, then a grace period) per node and second."},
    {F, "pause_per_sec", kRate, 4, "0", "Pauses of a process per node and second."},
    {F, "suspend_per_sec", kRate, 4, "0", "Suspensions of a machine per node and second."},
    {F, "clock_jump_per_sec", kRate, 4, "0", "Jumps of the wall clock per node and second."},
    {F, "clock_strobe_per_sec", kRate, 4, "0", "Series of clock jumps per node and second."},
    {F, "clock_skew", kAny, 4, "", "The range of fixed wall clock offsets."},
    {F, "drift_ppm", kAny, 4, "", "The range of clock drifts."},
    {F, "duration", kAny, 4, "", "The range of the lengths of fault windows."},
    {F, "workload", kBool, 4, "false", "Whether the workload's processes and disks are hurt too."},

    {B, "max_down", kAny, kLater, "", "The most nodes that are down at once."},
    {B, "max_damaged", kAny, kLater, "", "The most nodes whose disks are damaged at once."},
    {B, "min_gap", kAny, kLater, "", "The least time between two faults."},
    {B, "tolerate", kAny, kLater, "", "How many nodes may be hurt at once."},
    {B, "extreme", kAny, kLater, "", "How often the budget is used up on purpose."},

    {K, "linearizability", kAny, kLater, "", "The model that operations are checked against."},
    {K, "session", kAny, kLater, "", "The session guarantees that are checked."},
    {K, "eventually", kAny, kLater, "", "What must hold in a quiet window."},
    {K, "exit_codes", kAny, kLater, "", "The exit codes that are no finding."},

    {A, "output_dir", kAny, kLater, "", "Where the Antithesis SDK's records are written."},

    {L, "steps", kInteger, 1, "20000000", "Records of a run.", 1, 1'000'000'000'000},
    {L, "trace_bytes", kSize, 1, "256MiB",
     "The part of a run's trace that is stored, for -check and trace files.", 64 * kKiB, 64 * kGiB},
    {L, "history_operations", kInteger, 5, "100000", "Operations recorded for the checkers.", 1,
     1'000'000'000},
    {L, "open_files", kInteger, 1, "1024", "Descriptors of one process.", 8, 1'000'000},
    {L, "output_bytes", kSize, 1, "8MiB", "Console output of one process.", 4 * kKiB, kGiB},
    {L, "events_per_instant", kInteger, 1, "100000", "Events at one point of simulated time.", 100,
     1'000'000'000},
    {L, "spin", kDuration, 1, "5s", "CPU time that a process may use without any host call.",
     kSecond / 1000, kHour},
};

std::string_view prefix_of(Scope scope) {
  switch (scope) {
    case Scope::kRoot: return "";
    case Scope::kNode: return "nodes[].";
    case Scope::kC: return "nodes[].c.";
    case Scope::kDisk: return "disk.";
    case Scope::kNetwork: return "network.";
    case Scope::kCpu: return "cpu.";
    case Scope::kFaults: return "faults.";
    case Scope::kBudget: return "budget.";
    case Scope::kCheck: return "check.";
    case Scope::kAntithesis: return "antithesis.";
    case Scope::kLimits: return "limits.";
  }
  return "";
}

// "crashPerSec" and "crash-per-sec" both become "crashpersec".
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    else if (c != '_' && c != '-') out += c;
  }
  return out;
}

}  // namespace

std::span<const Key> key_table() { return kTable; }

const Key* find_key(Scope scope, std::string_view name) {
  for (const Key& key : kTable) {
    if (key.scope == scope && key.name == name) return &key;
  }
  return nullptr;
}

std::string path_pattern(const Key& key) {
  return std::string(prefix_of(key.scope)) + std::string(key.name);
}

std::string suggest_key(Scope scope, std::string_view name) {
  constexpr std::size_t kLongestKey = 100;  // no guessing for a key that is half a file
  if (name.size() > kLongestKey) return "";
  std::vector<std::string_view> names;
  for (const Key& key : kTable) {
    if (key.scope != scope) continue;
    if (folded(key.name) == folded(name)) return std::string(key.name);
    names.push_back(key.name);
  }
  for (const Key& key : kTable) {
    if (key.name == name && key.scope != scope) return path_pattern(key);
  }
  return nearest(name, names).value_or("");
}

}  // namespace sf::world
