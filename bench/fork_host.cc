// fork() of a running world of three nodes: how long the call takes, and whether both sides go on
// alike.
//
// Each node works on so many megabytes of memory, with timers and a file. The world runs for some
// simulated seconds and is then forked again and again; the children end at once. The last fork is
// for the check: child and parent run to the end, and so does a run that was never forked; their
// hashes must be equal.
#include <algorithm>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support.h"
#include "trace/sinks.h"
#include "world/run.h"

namespace sf::bench {
namespace {

std::string config_of(const std::string& wasm, const std::string& megabytes) {
  return fmt::format(R"({{
    "nodes": [{{"name": "node", "count": 3, "wasm": "{0}", "args": ["steady", "{1}", "8s"],
               "memory": "1GiB"}}],
    "workload": {{"name": "waiter", "wasm": "{0}", "args": ["wait", "9s"]}},
    "horizon": "20s"
  }})", wasm, megabytes);
}

// The run's hash in a child process that was forked now, and how long the fork took.
struct Branch {
  double fork_ms = 0;
  double child_cpu_ms = 0;      // of the first 100 simulated milliseconds: pays for copied pages
  std::uint64_t hash = 0;
};

Result<std::uint64_t> finish(world::Run& run) {
  SF_TRY(const world::RunResult result, run.finish());
  if (result.verdict == world::Verdict::kFinding) {
    return cannot_run("", result.findings[0].message);
  }
  return result.hash;
}

Result<double> time_of_fork() {
  const double before = wall_milliseconds();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  const double after = wall_milliseconds();
  if (child < 0) return cannot_run("", "fork failed");
  waitpid(child, nullptr, 0);
  return after - before;
}

[[noreturn]] void be_the_child(world::Run& run, int answer) {
  Branch branch;
  const double before = cpu_milliseconds();
  run.advance(run.room().now() + milliseconds(100));
  branch.child_cpu_ms = cpu_milliseconds() - before;
  const auto hash = finish(run);
  branch.hash = hash ? *hash : 0;
  const bool told = write(answer, &branch, sizeof(branch)) == sizeof(branch);
  _exit(told && hash ? 0 : 1);
}

Result<Branch> branch_off(world::Run& run) {
  int ends[2];
  if (pipe(ends) != 0) return cannot_run("", "no pipe");
  const pid_t child = fork();
  if (child < 0) return cannot_run("", "fork failed");
  if (child == 0) be_the_child(run, ends[1]);
  close(ends[1]);
  Branch branch;
  const bool got = read(ends[0], &branch, sizeof(branch)) == sizeof(branch);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!got) return cannot_run("", "the child gave no answer");
  return branch;
}

Result<void> body(const std::vector<std::string>& arguments) {
  const bool huge = arguments[0] == "--huge-pages";
  if (arguments.size() != (huge ? 4U : 3U)) return usage_error("", "wrong arguments");
  const std::size_t first = huge ? 1 : 0;
  const int forks = std::stoi(arguments[first + 2]);
  SF_TRY(const auto world, world_of(config_of(arguments[first], arguments[first + 1]),
                                    engine::EngineOptions{.huge_pages = huge}));
  const world::RunSpec spec{.seed = 1};
  SF_TRY(const world::RunResult alone, world::run(*world, spec));

  trace::HashSink trace;
  SF_TRY(const auto run, world::Run::start(*world, spec, trace));
  std::vector<double> times;
  double step_least = 1e9;   // CPU time of 100 simulated milliseconds, without any fork
  for (int i = 0; i < 10; ++i) {
    const double before = cpu_milliseconds();
    run->advance(SimTime::zero() + seconds(3) + milliseconds(100 * i));
    if (i > 0) step_least = std::min(step_least, cpu_milliseconds() - before);
  }
  if (huge) run->room().prepare_for_forks();
  const double resident = resident_megabytes();
  const double huge_resident = huge_megabytes();
  for (int i = 0; i < forks; ++i) {
    SF_TRY(const double time, time_of_fork());
    times.push_back(time);
  }
  SF_TRY(const Branch branch, branch_off(*run));
  SF_TRY(const std::uint64_t own, finish(*run));
  std::sort(times.begin(), times.end());
  print("rss_mb", resident);
  print("huge_mb", huge_resident);
  print("fork_ms_least", times.front());
  print("fork_ms_median", times[times.size() / 2]);
  print("step_cpu_ms", step_least);
  print("child_first_step_cpu_ms", branch.child_cpu_ms);
  print("hashes_equal", own == branch.hash && own == alone.hash ? 1 : 0);
  return {};
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  return sf::bench::main_of(argc, argv, "[--huge-pages] PROGRAM.wasm MEGABYTES FORKS",
                            sf::bench::body);
}
