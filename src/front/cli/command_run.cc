// `seedfall run`: a sweep over many seeds.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/host/subprocess.h"
#include "base/host/terminal.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"
#include "front/cli/output.h"
#include "front/cli/status_line.h"
#include "search/sweep.h"

namespace sf::front {
namespace {

struct RunFlags {
  std::string config = kDefaultConfig;
  std::string seeds = "1-100";
  std::uint64_t workers = 0;
  bool check = false;
  bool keep_going = false;
  bool json = false;
};

std::string progress_text(const search::SweepProgress& state, double seconds, unsigned workers) {
  constexpr std::uint64_t kBar = 18;
  const std::uint64_t filled = state.total == 0 ? kBar : kBar * state.done / state.total;
  const double rate = seconds > 0 ? static_cast<double>(state.done) / seconds : 0;
  std::string out = fmt::format("[{:#<{}}{:-<{}}] {}/{} seeds  {:.0f} seeds/s  {} workers", "",
                                filled, "", kBar - filled, state.done, state.total, rate, workers);
  if (state.failing > 0) {
    out += fmt::format("  {} failing (lowest: {})", state.failing, *state.lowest_failing);
  }
  if (rate > 0) {
    out += fmt::format("  eta {:.0f} s", static_cast<double>(state.total - state.done) / rate);
  }
  return out;
}

Json json_of(const search::SweepResult& result, const world::WorldConfig& config) {
  Json out = Json::object();
  out.set("schema", 1).set("world", config.name);
  out.set("seeds", Json::object()
                       .set("from", result.seeds.from)
                       .set("to", result.seeds.to)
                       .set("completed", result.completed)
                       .set("clean", result.clean)
                       .set("failing", result.failing)
                       .set("nondeterministic", result.nondeterministic)
                       .set("broken", result.broken));
  out.set("interrupted", result.interrupted);
  out.set("lowest_failing_seed",
          result.lowest_failing.empty() ? Json() : Json(result.lowest_failing.front().seed));
  Json findings = Json::array();
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    const search::FindingGroup& group = result.groups[i];
    findings.push(Json::object()
                      .set("id", fmt::format("F{}", i + 1))
                      .set("title", group.title)
                      .set("kind", group.sample.kind)
                      .set("node", group.sample.node)
                      .set("message", group.sample.message)
                      .set("site", group.sample.site)
                      .set("fingerprint", group.sample.fingerprint)
                      .set("seeds", group.seeds)
                      .set("lowest", group.lowest));
  }
  out.set("findings", std::move(findings));
  Json troubles = Json::array();
  for (const search::SeedOutcome& trouble : result.troubles) {
    troubles.push(Json::object().set("seed", trouble.seed).set("what", trouble.trouble));
  }
  out.set("troubles", std::move(troubles));
  Json evidence = Json::object();
  for (const auto& [key, count] : result.evidence) evidence.set(key, count);
  Json properties = Json::array();
  for (const auto& [identity, total] : result.properties) {
    // The identity is "kind: message", or "kind: call site" for messages made at run time.
    evidence.set("property:" + identity.substr(identity.find(": ") + 2), total.count.held);
    properties.push(Json::object()
                        .set("kind", property_kind_name(total.count.kind))
                        .set("message", total.count.message)
                        .set("site", total.count.site)
                        .set("held", total.count.held)
                        .set("not_held", total.count.not_held)
                        .set("seeds_held", total.seeds_held));
  }
  return out.set("evidence", std::move(evidence))
      .set("properties", std::move(properties))
      .set("simulated_seconds", result.simulated_seconds)
      .set("hash", fmt::format("{:016x}", result.hash));
}

void print_properties(const search::SweepResult& result) {
  std::uint64_t always = 0;
  std::uint64_t broken = 0;
  std::vector<std::string> hit;
  std::vector<std::string> never;
  for (const auto& [identity, total] : result.properties) {
    const bool wanted = total.count.kind == kernel::PropertyKind::kSometimes ||
                        total.count.kind == kernel::PropertyKind::kReachable;
    if (!wanted) {
      ++(total.count.not_held == 0 ? always : broken);
    } else if (total.count.held > 0) {
      hit.push_back(fmt::format("  {:<44} {:>9} times, {} seeds", total.count.message,
                                with_thousands(total.count.held),
                                with_thousands(total.seeds_held)));
    } else {
      never.push_back(total.count.message);
    }
  }
  if (result.properties.empty()) return;
  fmt::print("properties: {} always ok, {} broken, {} sometimes hit, {} never hit\n", always,
             broken, hit.size(), never.size());
  for (const std::string& line : hit) fmt::print("{}\n", line);
  for (const std::string& name : never) {
    fmt::print("warning: never in these seeds: {} (more seeds, or other rates)\n", name);
  }
}

std::uint64_t count_of(const search::SweepResult& result, const char* key) {
  const auto found = result.evidence.find(key);
  return found == result.evidence.end() ? 0 : found->second;
}

void print_evidence(const search::SweepResult& result, const world::FaultConfig& faults) {
  const auto shown = [&](const char* key) { return with_thousands(count_of(result, key)); };
  fmt::print("evidence: {} crashes (power; {} inside a disk operation), {} kills, {} torn tails, "
             "{} partitions, {} restarts, {} disk operations, {:.1f} simulated seconds\n",
             shown("crash"), shown("crash_inside_io"), shown("kill"), shown("torn_tail"),
             shown("partition"), shown("restart"), shown("disk_op"), result.simulated_seconds);
  const auto warn = [&](bool wanted, const char* key, const char* name) {
    if (wanted && count_of(result, key) == 0) {
      fmt::print("warning: {} never happened in these seeds: raise its rate, or run more seeds\n",
                 name);
    }
  };
  warn(faults.crash.mean_gap.has_value() || !faults.crash_on_io.is_never(), "crash",
       "a crash (power)");
  warn(faults.kill.mean_gap.has_value(), "kill", "a kill");
  warn(faults.partition.mean_gap.has_value(), "partition", "a partition");
  warn(!faults.torn_writes.is_never(), "torn_tail", "a torn write");
}

void print_result(const search::SweepResult& result, const world::World& world,
                  const RunFlags& flags, double seconds) {
  for (const search::SeedOutcome& outcome : result.lowest_failing) {
    fmt::print("{}{}\n", describe_failure(outcome), describe_fault_list(outcome.faults, 6));
  }
  for (const search::SeedOutcome& trouble : result.troubles) {
    const bool differs = trouble.kind == search::OutcomeKind::kNondeterminism;
    fmt::print("{} seed {}: {}\n", differs ? "NONDETERMINISM" : "BROKEN", trouble.seed,
               trouble.trouble);
  }
  fmt::print("{} seeds in {:.1f} s: {} clean, {} failing", with_thousands(result.completed),
             seconds, with_thousands(result.clean), with_thousands(result.failing));
  if (!result.groups.empty()) {
    fmt::print(" ({} finding{})", result.groups.size(), result.groups.size() == 1 ? "" : "s");
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    const search::FindingGroup& group = result.groups[i];
    fmt::print("  F{:<3} {:<60} {} seed{}, lowest {}\n", i + 1, group.title,
               with_thousands(group.seeds), group.seeds == 1 ? "" : "s", group.lowest);
  }
  print_properties(result);
  print_evidence(result, world.config().faults);
  if (result.interrupted) {
    fmt::print("\ninterrupted after {} of {} seeds; go on with -seeds {}-{}\n",
               with_thousands(result.completed),
               with_thousands(result.seeds.to - result.seeds.from + 1), result.resume_from,
               result.seeds.to);
  }
  if (!result.lowest_failing.empty()) {
    const std::uint64_t seed = result.lowest_failing.front().seed;
    fmt::print("\nnext: seedfall replay -c {0} -seed {1}\n      seedfall shrink -c {0} -seed {1}\n",
               flags.config, seed);
  }
}

ExitCode exit_code_of(const search::SweepResult& result) {
  if (result.nondeterministic > 0) return ExitCode::kNondeterminism;
  if (result.broken > 0) return ExitCode::kCannotRun;
  if (result.failing > 0) return ExitCode::kFinding;
  return result.interrupted ? ExitCode::kCannotRun : ExitCode::kClean;
}

Result<ExitCode> run(const RunFlags& flags) {
  search::SweepOptions options;
  SF_TRY(options.seeds, parse_seeds(flags.seeds));
  SF_TRY(const std::unique_ptr<world::World> world, open_world(flags.config));
  options.workers = flags.workers > 0 ? static_cast<unsigned>(std::min<std::uint64_t>(
                                            flags.workers, 1024))
                                      : host::processor_count();
  options.check = flags.check;
  options.keep_going = flags.keep_going;
  host::catch_interrupts();
  const host::Stopwatch watch;
  StatusLine status;
  SF_TRY(const search::SweepResult result,
         search::sweep(*world, options, [&](const search::SweepProgress& state) {
           status.show(progress_text(state, watch.seconds(), options.workers));
         }));
  status.clear();
  if (flags.json) {
    fmt::print("{}\n", json_of(result, world->config()).dump());
  } else {
    print_result(result, *world, flags, watch.seconds());
  }
  return exit_code_of(result);
}

}  // namespace

ExitCode command_run(const std::vector<std::string>& arguments) {
  RunFlags values;
  Flags flags("run", "runs many seeds in parallel and reports the lowest that fails",
              {"seedfall run -c examples/kvlog/torn-tail.json -seeds 1-200",
               "seedfall run -seeds 1-50 -check     # each seed twice, any difference is named"});
  flags.text("c", values.config, "the config");
  flags.text("seeds", values.seeds, "seeds A-B, both included");
  flags.toggle("check", values.check, "run each seed twice and compare every event");
  flags.toggle("keep-going", values.keep_going, "record false assertions and go on");
  flags.number("workers", values.workers, "parallel processes (default: one per processor)");
  flags.toggle("json", values.json, "one JSON object on stdout");
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const auto code = run(values);
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
