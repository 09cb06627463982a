// `seedfall run -sites`: one crash at each disk operation of a run without faults.
#include "front/cli/run_sites.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "base/host/subprocess.h"
#include "base/host/terminal.h"
#include "base/strings.h"
#include "front/cli/output.h"
#include "front/cli/save_capsule.h"
#include "front/cli/status_line.h"
#include "front/cli/tally_output.h"
#include "search/site_sweep.h"

namespace sf::front {

unsigned worker_count(std::uint64_t asked) {
  constexpr std::uint64_t kWorkersMax = 1024;
  return asked > 0 ? static_cast<unsigned>(std::min(asked, kWorkersMax)) : host::processor_count();
}

namespace {

std::string plural(std::uint64_t count, std::string_view what) {
  const std::string_view ending = count == 1 ? "" : what.ends_with('s') || what.ends_with('h')
                                                        ? "es"
                                                        : "s";
  return fmt::format("{} {}{}", with_thousands(count), what, ending);
}

std::string progress_text(const search::SiteProgress& state, double seconds, unsigned workers) {
  constexpr std::uint64_t kBar = 18;
  if (state.operations_known == 0) return "the run without faults …";
  const std::uint64_t filled = kBar * state.operations_done / state.operations_known;
  std::string out = fmt::format(
      "[{:#<{}}{:-<{}}] {}/{} operations  {} crashes  {:.0f} crashes/s  {} workers", "", filled, "",
      kBar - filled, state.operations_done, state.operations_known, with_thousands(state.tried),
      seconds > 0 ? static_cast<double>(state.tried) / seconds : 0, workers);
  if (state.failing > 0) out += fmt::format("  {} failing", with_thousands(state.failing));
  if (state.operations_done > 0) {
    out += fmt::format("  eta {:.0f} s",
                       seconds * static_cast<double>(state.operations_known -
                                                     state.operations_done) /
                           static_cast<double>(state.operations_done));
  }
  return out;
}

// Saves what replays the run; its path as it is shown.
Result<std::string> save(const search::SeedOutcome& run, const world::World& world) {
  const std::string word = run.site ? fmt::format("{}-site-{}", run.seed, search::site_word(run))
                                    : fmt::format("{}-no-fault", run.seed);
  return save_capsule(world, word,
                      CapsuleContent{run.seed, run.faults, {}, run.finding->fingerprint,
                                     run.finding->message, run.hash});
}

std::string points_of(const search::SiteResult& result, bool fan_out) {
  std::string out =
      fmt::format("{}: {}, {}", plural(result.operations, "disk operation"),
                  plural(result.power, "power loss"), plural(result.kill, "kill"));
  if (fan_out) out += ", " + plural(result.images, "image");
  return out;
}

void print_groups(const search::SiteResult& result) {
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    const search::FindingGroup& group = result.groups[i];
    std::string where = plural(group.branches, "crash") + ", lowest ";
    if (result.seeds.from != result.seeds.to) where += fmt::format("seed {} ", group.lowest);
    where += fault::to_string(*group.lowest_site);
    if (group.lowest_image) where += " image " + fault::to_string(*group.lowest_image);
    fmt::print("  F{:<3} {:<60} {}\n", i + 1, group.title, where);
  }
}

struct Saved {
  std::string lowest;       // empty: none
  std::string faultless;
};

void print_next(const search::SiteResult& result, const Saved& saved) {
  if (result.interrupted) {
    fmt::print("\ninterrupted; seeds below {} are complete, go on with -seeds {}-{}\n",
               result.resume_from, result.resume_from, result.seeds.to);
  }
  const std::string& capsule = saved.faultless.empty() ? saved.lowest : saved.faultless;
  if (!capsule.empty()) {
    fmt::print("\nsaved {0}\nnext: seedfall replay -capsule {0}\n", capsule);
  }
}

void print_result(const search::SiteResult& result, const RunFlags& flags, double seconds,
                  const Saved& saved) {
  for (const search::SeedOutcome& run : result.faultless) {
    fmt::print("{}seed {} fails without any fault: crashes in it would say nothing, and none was "
               "tried\n\n", describe_failure(run), run.seed);
  }
  for (const search::SeedOutcome& run : result.lowest_failing) {
    fmt::print("{}{}\n", describe_failure(run), describe_fault_list(run.faults, 6));
  }
  for (const search::SeedOutcome& trouble : result.troubles) {
    const bool differs = trouble.kind == search::OutcomeKind::kNondeterminism;
    fmt::print("{} {}: {}\n", differs ? "NONDETERMINISM" : "BROKEN", search::name_of(trouble),
               trouble.trouble);
  }
  const std::uint64_t points = result.power + result.kill;
  const std::string seeds =
      result.seeds.from == result.seeds.to
          ? std::string()
          : fmt::format(" of {} seeds", with_thousands(result.seeds_completed));
  const std::string what = points_of(result, flags.fan_out > 1);
  const bool good = result.failing == 0 && result.troubles.empty() && result.faultless.empty();
  if (good && !result.interrupted) {
    fmt::print("all {} single-crash points{} pass in {:.1f} s ({})\n", with_thousands(points),
               seeds, seconds, what);
  } else if (points > 0) {
    fmt::print("{} single-crash points{} in {:.1f} s ({}): {} fail ({})\n", with_thousands(points),
               seeds, seconds, what, with_thousands(result.failing),
               plural(result.groups.size(), "finding"));
  }
  print_groups(result);
  if (points > 0) {
    print_properties(result.tally);
    print_evidence(result.tally, world::FaultConfig());
  }
  print_next(result, saved);
}

Json json_of(const search::SiteResult& result, const world::WorldConfig& config,
             const RunFlags& flags, const Saved& saved) {
  Json out = Json::object();
  out.set("schema", 1).set("world", config.name);
  out.set("sites", Json::object()
                       .set("from", result.seeds.from)
                       .set("to", result.seeds.to)
                       .set("completed", result.seeds_completed)
                       .set("operations", result.operations)
                       .set("power", result.power)
                       .set("kill", result.kill)
                       .set("fanout", flags.fan_out)
                       .set("images", result.images)
                       .set("repeated", result.repeated)
                       .set("spared", result.spared)
                       .set("failing", result.failing));
  out.set("interrupted", result.interrupted);
  Json faultless = Json::array();
  for (const search::SeedOutcome& run : result.faultless) {
    faultless.push(Json::object().set("seed", run.seed).set("message", run.finding->message));
  }
  out.set("fails_without_fault", std::move(faultless));
  out.set("lowest_failing_site",
          result.lowest_failing.empty() ? Json() : Json(search::name_of(result.lowest_failing[0])));
  const std::string& capsule = saved.faultless.empty() ? saved.lowest : saved.faultless;
  out.set("capsule", capsule.empty() ? Json() : Json(capsule));
  Json findings = Json::array();
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    const search::FindingGroup& group = result.groups[i];
    findings.push(finding_json(i, group)
                      .set("crashes", group.branches)
                      .set("lowest_site", fault::to_string(*group.lowest_site))
                      .set("lowest_image", image_json(group.lowest_image)));
  }
  out.set("findings", std::move(findings));
  Json troubles = Json::array();
  for (const search::SeedOutcome& trouble : result.troubles) {
    troubles.push(Json::object()
                      .set("seed", trouble.seed)
                      .set("run", search::name_of(trouble))
                      .set("what", trouble.trouble));
  }
  out.set("troubles", std::move(troubles));
  add_tally(out, result.tally);
  return out.set("hash", fmt::format("{:016x}", result.hash));
}

ExitCode exit_code_of(const search::SiteResult& result) {
  ExitCode code = result.interrupted ? ExitCode::kCannotRun : ExitCode::kClean;
  if (result.failing > 0 || !result.faultless.empty()) code = ExitCode::kFinding;
  for (const search::SeedOutcome& trouble : result.troubles) {
    if (trouble.kind == search::OutcomeKind::kNondeterminism) return ExitCode::kNondeterminism;
    code = ExitCode::kCannotRun;
  }
  return code;
}

}  // namespace

Result<ExitCode> run_sites(const RunFlags& flags) {
  search::SiteOptions options;
  SF_TRY(options.seeds, parse_seeds(flags.seeds.value_or("1")));
  SF_TRY(const std::unique_ptr<world::World> world, open_world(flags.config));
  options.workers = worker_count(flags.workers);
  options.check = flags.check;
  options.keep_going = flags.keep_going;
  options.images = static_cast<std::uint32_t>(flags.fan_out);
  host::catch_interrupts();
  const host::Stopwatch watch;
  StatusLine status;
  SF_TRY(const search::SiteResult result,
         search::site_sweep(*world, options, [&](const search::SiteProgress& state) {
           status.show(progress_text(state, watch.seconds(), options.workers));
         }));
  status.clear();
  Saved saved;
  if (!result.lowest_failing.empty()) {
    SF_TRY(saved.lowest, save(result.lowest_failing.front(), *world));
  }
  if (!result.faultless.empty()) {
    SF_TRY(saved.faultless, save(result.faultless.front(), *world));
  }
  if (flags.json) {
    fmt::print("{}\n", json_of(result, world->config(), flags, saved).dump());
  } else {
    print_result(result, flags, watch.seconds(), saved);
  }
  return exit_code_of(result);
}

}  // namespace sf::front
