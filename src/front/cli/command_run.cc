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
#include "front/cli/run_sites.h"
#include "front/cli/status_line.h"
#include "front/cli/tally_output.h"
#include "search/sweep.h"

namespace sf::front {
namespace {

constexpr const char* kDefaultSeeds = "1-100";

std::string progress_text(const search::SweepProgress& state, double seconds, unsigned workers) {
  constexpr std::uint64_t kBar = 18;
  const std::uint64_t filled = state.total == 0 ? kBar : kBar * state.done / state.total;
  const double rate = seconds > 0 ? static_cast<double>(state.done) / seconds : 0;
  std::string out = fmt::format("[{:#<{}}{:-<{}}] {}/{} seeds  {:.0f} seeds/s  {} workers", "",
                                filled, "", kBar - filled, state.done, state.total, rate, workers);
  if (state.images > 0) out += fmt::format("  {} images", with_thousands(state.images));
  if (state.failing > 0) {
    out += fmt::format("  {} failing (lowest: {})", state.failing, *state.lowest_failing);
  }
  if (rate > 0) {
    out += fmt::format("  eta {:.0f} s", static_cast<double>(state.total - state.done) / rate);
  }
  return out;
}

Json json_of(const search::SweepResult& result, const world::World& world,
             std::uint64_t fan_out) {
  Json out = Json::object();
  out.set("schema", 1).set("world", world.config().name);
  Json warnings = Json::array();
  for (const std::string& warning : world.warnings()) warnings.push(warning);
  out.set("warnings", std::move(warnings));
  out.set("seeds", Json::object()
                       .set("from", result.seeds.from)
                       .set("to", result.seeds.to)
                       .set("completed", result.completed)
                       .set("clean", result.clean)
                       .set("failing", result.failing)
                       .set("nondeterministic", result.nondeterministic)
                       .set("broken", result.broken));
  out.set("interrupted", result.interrupted);
  const bool failing = !result.lowest_failing.empty();
  out.set("lowest_failing_seed", failing ? Json(result.lowest_failing.front().seed) : Json());
  if (fan_out > 1) {
    out.set("images", Json::object()
                          .set("fanout", fan_out)
                          .set("run", result.images)
                          .set("failing", result.failing_images));
    out.set("lowest_failing_image",
            failing ? image_json(result.lowest_failing.front().image) : Json());
  }
  Json findings = Json::array();
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    const search::FindingGroup& group = result.groups[i];
    Json finding = finding_json(i, group);
    if (fan_out > 1) {
      finding.set("images", group.branches).set("lowest_image", image_json(group.lowest_image));
    }
    findings.push(std::move(finding));
  }
  out.set("findings", std::move(findings));
  Json troubles = Json::array();
  for (const search::SeedOutcome& trouble : result.troubles) {
    Json row = Json::object().set("seed", trouble.seed).set("what", trouble.trouble);
    if (trouble.image) row.set("image", image_json(trouble.image));
    troubles.push(std::move(row));
  }
  out.set("troubles", std::move(troubles));
  add_tally(out, result.tally);
  return out.set("hash", fmt::format("{:016x}", result.hash));
}

void print_result(const search::SweepResult& result, const world::World& world,
                  const RunFlags& flags, double seconds) {
  for (const search::SeedOutcome& outcome : result.lowest_failing) {
    fmt::print("{}{}\n", describe_failure(outcome), describe_fault_list(outcome.faults, 6));
  }
  for (const search::SeedOutcome& trouble : result.troubles) {
    const bool differs = trouble.kind == search::OutcomeKind::kNondeterminism;
    fmt::print("{} {}: {}\n", differs ? "NONDETERMINISM" : "BROKEN", search::name_of(trouble),
               trouble.trouble);
  }
  const std::string images =
      flags.fan_out > 1 ? fmt::format(" ({} images)", with_thousands(result.images)) : "";
  fmt::print("{} seeds{} in {:.1f} s: {} clean, {} failing", with_thousands(result.completed),
             images, seconds, with_thousands(result.clean), with_thousands(result.failing));
  if (!result.groups.empty()) {
    fmt::print(" ({} finding{})", result.groups.size(), result.groups.size() == 1 ? "" : "s");
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    const search::FindingGroup& group = result.groups[i];
    std::string where = fmt::format("{} seed{}", with_thousands(group.seeds),
                                    group.seeds == 1 ? "" : "s");
    if (group.branches > 0) {
      where += fmt::format(" ({} image{})", with_thousands(group.branches),
                           group.branches == 1 ? "" : "s");
    }
    where += fmt::format(", lowest {}", group.lowest);
    if (group.lowest_image) where += " image " + fault::to_string(*group.lowest_image);
    fmt::print("  F{:<3} {:<60} {}\n", i + 1, group.title, where);
  }
  print_properties(result.tally);
  print_evidence(result.tally, world.config().faults);
  if (result.interrupted) {
    fmt::print("\ninterrupted after {} of {} seeds; go on with -seeds {}-{}\n",
               with_thousands(result.completed),
               with_thousands(result.seeds.to - result.seeds.from + 1), result.resume_from,
               result.seeds.to);
  }
  if (!result.lowest_failing.empty()) {
    const search::SeedOutcome& lowest = result.lowest_failing.front();
    std::string which = fmt::format("-c {} -seed {}", flags.config, lowest.seed);
    if (lowest.image) which += " -image " + fault::to_string(*lowest.image);
    fmt::print("\nnext: seedfall replay {0}\n      seedfall shrink {0}\n", which);
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
  if (flags.fan_out < 1 || flags.fan_out > search::kImagesMax) {
    return usage_error("", fmt::format("-fanout {}: expected 1 to {} images per power loss",
                                       flags.fan_out, search::kImagesMax),
                       "for example -fanout 16");
  }
  if (flags.sites) return run_sites(flags);
  options.images = static_cast<std::uint32_t>(flags.fan_out);
  SF_TRY(options.seeds, parse_seeds(flags.seeds.value_or(kDefaultSeeds)));
  SF_TRY(const std::unique_ptr<world::World> world, open_world(flags.config));
  options.workers = worker_count(flags.workers);
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
    fmt::print("{}\n", json_of(result, *world, flags.fan_out).dump());
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
               "seedfall run -seeds 1-50 -fanout 16 # each power loss with up to 16 disk images",
               "seedfall run -sites                 # one crash at each disk operation, in turn",
               "seedfall run -seeds 1-50 -check     # each seed twice, any difference is named"});
  flags.text("c", values.config, "the config");
  std::string seeds;
  flags.text("seeds", seeds,
             fmt::format("seeds A-B, both included (default {}; with -sites 1)", kDefaultSeeds));
  flags.number("fanout", values.fan_out,
               "disk images to go on with at each power loss of a seed (default 1)");
  flags.toggle("sites", values.sites,
               "no faults but one crash, tried at each disk operation of the services");
  flags.toggle("check", values.check, "run each seed twice and compare every event");
  flags.toggle("keep-going", values.keep_going, "record false assertions and go on");
  flags.number("workers", values.workers, "parallel processes (default: one per processor)");
  flags.toggle("json", values.json, "one JSON object on stdout");
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  if (flags.given("seeds")) values.seeds = seeds;
  const auto code = run(values);
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
