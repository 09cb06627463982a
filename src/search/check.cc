#include "search/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/host/subprocess.h"
#include "base/strings.h"
#include "search/branching.h"
#include "trace/sinks.h"
#include "trace/text.h"

namespace sf::search {
namespace {

constexpr std::size_t kContext = 3;

std::string line_at(const std::vector<kernel::Record>& records, std::size_t index,
                    const std::vector<std::string>& names) {
  return index < records.size() ? trace::format_record(records[index], names)
                                : std::string("(the run had ended)");
}

// Data is not part of a record's words; where only it differs, its hash shows that.
std::string data_of(const std::vector<kernel::Record>& records, std::size_t index) {
  if (index >= records.size()) return {};
  return fmt::format("  (data {:016x})", records[index].payload);
}

std::string describe_difference(const trace::MemorySink& first, const trace::MemorySink& second,
                                std::size_t at, const std::vector<std::string>& names) {
  const auto& a = first.records();
  const auto& b = second.records();
  const SimTime time = at < a.size() ? a[at].time : b[at].time;
  std::string out = fmt::format("the two runs differ at step {} (t={})\n", with_thousands(at + 1),
                                format_duration(time - SimTime::zero()));
  for (std::size_t i = at - std::min(at, kContext); i < at; ++i) {
    out += fmt::format("  both   {}\n", line_at(a, i, names));
  }
  for (std::size_t i = at; i <= at + kContext && (i < a.size() || i < b.size()); ++i) {
    const std::string one = line_at(a, i, names);
    const std::string two = line_at(b, i, names);
    const bool data = i == at && one == two;
    out += fmt::format("  run 1  {}{}\n", one, data ? data_of(a, i) : "");
    out += fmt::format("  run 2  {}{}\n", two, data ? data_of(b, i) : "");
  }
  return out;
}

}  // namespace

SeedOutcome run_seed(const world::World& world, std::uint64_t seed, const SeedOptions& options) {
  world::RunSpec spec;
  spec.seed = seed;
  spec.keep_going = options.keep_going;
  trace::HashSink trace;
  SeedOutcome outcome = run_branching(world, spec, BranchOptions{options.images, {}}, trace);
  drop_faults_of_clean(outcome);
  return outcome;
}

SeedOutcome check_seed(const world::World& world, std::uint64_t seed, const SeedOptions& options,
                       CheckDepth depth) {
  const double cpu_before = host::Stopwatch::process_cpu_seconds();
  const std::uint64_t limit = world.config().limits.trace_bytes;
  trace::MemorySink first(limit);
  trace::MemorySink second(limit);
  world::RunSpec spec;
  spec.seed = seed;
  spec.keep_going = options.keep_going;
  SeedOutcome outcome = run_branching(world, spec, BranchOptions{options.images, {}}, first);
  if (outcome.kind == OutcomeKind::kBroken) return outcome;
  const auto again = world::run(world, spec, second);
  if (!again) return broken_outcome(seed, again.error());
  for (SeedOutcome& branch : outcome.branches) {
    if (depth == CheckDepth::kLastBranch && &branch != &outcome.branches.back()) continue;
    branch = check_branch(world, spec, std::move(branch));
  }
  drop_faults_of_clean(outcome);
  outcome.cpu_seconds = host::Stopwatch::process_cpu_seconds() - cpu_before;
  if (first.hash() == second.hash()) return outcome;
  outcome.kind = OutcomeKind::kNondeterminism;
  const auto at = trace::first_difference(first.records(), second.records());
  outcome.trouble =
      at ? describe_difference(first, second, *at, world.node_names())
         : std::string("the two runs differ beyond the stored part of the trace; raise "
                       "limits.trace_bytes to see where\n");
  return outcome;
}

}  // namespace sf::search
