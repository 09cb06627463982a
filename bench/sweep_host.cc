// Seeds of a config one after another in this process: how much they simulate per CPU second, and
// where the CPU time goes.
//
// The split comes from abi::boundary_observer: at each crossing between room, guest and host call
// the time stamp counter is read and the time since the last crossing is booked. It runs on
// while the process is preempted, so only the shares are used; reading it costs about 20 ns per
// crossing, so a measurement of the rates leaves it out.
#include <array>
#include <sys/resource.h>
#include <x86intrin.h>

#include "abi/wasm_guest.h"
#include "support.h"
#include "world/run.h"

namespace sf::bench {
namespace {

struct Split {
  std::array<std::uint64_t, 3> cycles{};   // by abi::Side
  std::uint64_t crossings = 0;
  abi::Side side = abi::Side::kRoom;
  std::uint64_t since = 0;
} split;

void cross(abi::Side to) {
  const std::uint64_t now = __rdtsc();
  split.cycles[static_cast<std::size_t>(split.side)] += now - split.since;
  split.side = to;
  split.since = now;
  ++split.crossings;
}

double system_milliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_stime.tv_sec) * 1e3 +
         static_cast<double>(usage.ru_stime.tv_usec) / 1e3;
}

struct Totals {
  double simulated_seconds = 0;
  std::uint64_t seeds = 0;
  std::uint64_t findings = 0;
  std::uint64_t ticks = 0;
  std::uint64_t host_calls = 0;
  std::uint64_t steps = 0;
  std::uint64_t resumptions = 0;
  std::uint64_t starts = 0;
  std::uint64_t preemptions = 0;
};

Result<Totals> run_seeds(const world::World& world, std::uint64_t from, std::uint64_t to) {
  Totals totals;
  for (std::uint64_t seed = from; seed <= to; ++seed) {
    SF_TRY(const world::RunResult result, world::run(world, world::RunSpec{.seed = seed}));
    ++totals.seeds;
    totals.findings += result.verdict == world::Verdict::kFinding ? 1 : 0;
    totals.simulated_seconds += static_cast<double>(result.end_time.ns()) / 1e9;
    totals.ticks += result.evidence.ticks;
    totals.host_calls += result.evidence.host_calls;
    totals.steps += result.steps;
    totals.resumptions += result.scheduler_steps;
    totals.preemptions += result.evidence.preemptions;
    totals.starts += result.evidence.restarts + world.node_names().size();
  }
  return totals;
}

void report_split() {
  constexpr std::array<const char*, 3> kNames = {"cycles_room", "cycles_guest", "cycles_call"};
  for (std::size_t i = 0; i < kNames.size(); ++i) print(kNames[i], split.cycles[i]);
  print("crossings", split.crossings);
}

Result<void> body(const std::vector<std::string>& arguments) {
  const bool observe = arguments[0] == "--split";
  if (arguments.size() != (observe ? 4U : 3U)) return usage_error("", "wrong arguments");
  const std::size_t first = observe ? 1 : 0;
  SF_TRY(world::WorldConfig config, world::load_config(arguments[first]));
  SF_TRY(const auto world, world::World::prepare(std::move(config), {}));
  SF_TRY_VOID(run_seeds(*world, 1, 1));   // first touches of code and data
  if (observe) {
    split.since = __rdtsc();
    abi::boundary_observer = cross;
  }
  const double system_before = system_milliseconds();
  const double before = cpu_milliseconds();
  SF_TRY(const Totals totals, run_seeds(*world, std::stoull(arguments[first + 1]),
                                        std::stoull(arguments[first + 2])));
  const double after = cpu_milliseconds();
  if (observe) cross(abi::Side::kRoom);
  print("ms", after - before);
  print("system_ms", system_milliseconds() - system_before);
  print("seeds", totals.seeds);
  print("findings", totals.findings);
  print("simulated_seconds", totals.simulated_seconds);
  print("ticks", totals.ticks);
  print("host_calls", totals.host_calls);
  print("steps", totals.steps);
  print("resumptions", totals.resumptions);
  print("starts", totals.starts);
  print("preemptions", totals.preemptions);
  if (observe) report_split();
  return {};
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  return sf::bench::main_of(argc, argv, "[--split] CONFIG FIRST_SEED LAST_SEED", sf::bench::body);
}
