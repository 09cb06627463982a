// The numbers a run is made with: costs, latencies, bounds. Defaults live in
// world/config_defaults.h.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "kernel/preemptor.h"

namespace sf::kernel {

// A distribution of spans, drawn in fixed point.
struct Spread {
  enum class Kind : std::uint8_t { kUniform, kExponential, kLogNormal } kind = Kind::kUniform;
  Duration low;                   // uniform: least; others: added to every draw
  Duration high;                  // uniform: greatest; others: cap of the whole draw
  Duration scale;                 // exponential: mean; log-normal: median
  std::uint32_t sigma_percent = 0;   // log-normal: sigma of ln x, in hundredths
};
// One draw from a uniform word. Never below `low`, never above `high`.
Duration draw(const Spread& spread, std::uint64_t word);

struct CpuCosts {
  std::int64_t ns_per_1000_ticks = 4000;
  Duration host_call = nanoseconds(200);
  Duration clock_read = nanoseconds(20);
  Duration slice = milliseconds(1);       // longest stretch a node runs alone
  PreemptSettings preempt;
};

struct NetworkTiming {
  Spread latency;   // one way, at least 10 us
};

struct Limits {
  std::uint64_t steps = 20'000'000;               // trace records of a run
  std::uint64_t output_bytes = 8ULL << 20;        // console bytes of one incarnation
  std::uint64_t events_per_instant = 100'000;     // events at one point of time
  std::uint32_t open_files = 1024;                // descriptors of one process
  Duration spin = seconds(5);                     // CPU a process may use without any host call
};

struct Settings {
  CpuCosts cpu;
  NetworkTiming network;
  Limits limits;
  SimTime horizon;
  // What the wall clock shows at the start of a run: 2025-01-01T00:00:00Z.
  std::int64_t wall_epoch_ns = 1'735'689'600'000'000'000;
  bool horizon_ok = false;     // reaching the horizon is a fine end, and so is waiting for it
  bool keep_going = false;     // a false assertion is recorded and the run goes on
};

}  // namespace sf::kernel
