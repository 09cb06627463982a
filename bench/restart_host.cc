// Restarts of a Go program: CPU time per start, starts per second, and whether memory stays flat.
//
// A node is killed about 1,000 times per simulated second and starts again 0.1 ms later. Computing
// is made cheap in simulated time (a start takes 0.04 ms of it), so that nearly every life reaches
// main before its kill; the node then prints a line, which is how those lives are counted.
#include <algorithm>

#include "support.h"
#include "trace/sinks.h"
#include "world/run.h"

namespace sf::bench {
namespace {

constexpr std::uint64_t kStepRestarts = 250;   // between two looks at the memory

std::string config_of(const std::string& wasm) {
  return fmt::format(R"({{
    "nodes": [{{"name": "victim", "wasm": "{0}", "args": ["wait"]}}],
    "workload": {{"name": "waiter", "wasm": "{0}", "args": ["wait", "10h"]}},
    "horizon": "24h", "cpu": {{"ns_per_1000_ticks": 1000}},
    "faults": {{"kill_per_sec": 1000, "restart_after": "0.1ms"}},
    "limits": {{"steps": 1000000000}}
  }})", wasm);
}

class CountingSink final : public trace::HashSink {
 public:
  void record(std::uint64_t step, const kernel::Record& record) override {
    HashSink::record(step, record);
    lines += record.kind == kernel::RecordKind::kConsole ? 1 : 0;
  }
  std::uint64_t lines = 0;
};

tl::unexpected<Error> ended_early(kernel::Room& room) {
  const std::string why = room.failure()            ? room.failure()->text()
                          : room.findings().empty() ? "its workload was done"
                                                    : room.findings()[0].message;
  return cannot_run("", fmt::format("the run ended at {} restarts: {}",
                                    room.evidence().restarts, why));
}

Result<void> body(const std::vector<std::string>& arguments) {
  if (arguments.size() != 2) return usage_error("", "wrong arguments");
  const std::uint64_t wanted = std::stoull(arguments[1]);
  SF_TRY(const auto world, world_of(config_of(arguments[0])));
  CountingSink trace;
  SF_TRY(const auto run, world::Run::start(*world, world::RunSpec{.seed = 1}, trace));
  SimTime until = SimTime::zero();
  const auto advance_to = [&](std::uint64_t restarts) -> Result<void> {
    while (run->room().evidence().restarts < restarts) {
      until = until + milliseconds(10);
      if (!run->advance(until)) return ended_early(run->room());
    }
    return {};
  };
  const std::uint64_t warm = std::min<std::uint64_t>(wanted / 10, 1000);
  SF_TRY_VOID(advance_to(warm));
  const double memory_before = resident_megabytes();
  const std::uint64_t starts_before = run->room().evidence().restarts;
  const double wall_before = wall_milliseconds();
  const double cpu_before = cpu_milliseconds();
  double memory_most = memory_before;
  double per_start_least = 1e9;
  for (std::uint64_t goal = warm; goal < wanted;) {
    goal = std::min(goal + kStepRestarts, wanted);
    const std::uint64_t from = run->room().evidence().restarts;
    const double cpu_from = cpu_milliseconds();
    SF_TRY_VOID(advance_to(goal));
    const double starts = static_cast<double>(run->room().evidence().restarts - from);
    per_start_least = std::min(per_start_least, (cpu_milliseconds() - cpu_from) / starts);
    memory_most = std::max(memory_most, resident_megabytes());
  }
  const double cpu = cpu_milliseconds() - cpu_before;
  const double wall = wall_milliseconds() - wall_before;
  const std::uint64_t restarts = run->room().evidence().restarts;
  const double starts = static_cast<double>(restarts - starts_before);
  print("restarts", restarts);
  print("reached_main", trace.lines);
  print("cpu_ms_per_start", cpu / starts);
  print("cpu_ms_per_start_least", per_start_least);
  print("starts_per_second", starts / wall * 1000);
  print("rss_mb_warm", memory_before);
  print("rss_mb_most", memory_most);
  print("rss_mb_end", resident_megabytes());
  return {};
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  return sf::bench::main_of(argc, argv, "PROGRAM.wasm RESTARTS", sf::bench::body);
}
