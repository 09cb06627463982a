// `seedfall shrink`: the fewest faults that still give the finding of a seed, saved as a capsule.
#include <cstdio>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "engine/compile.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"
#include "front/cli/output.h"
#include "front/cli/status_line.h"
#include "search/capsule.h"
#include "search/shrink.h"

namespace sf::front {
namespace {

struct ShrinkFlags {
  std::string config = kDefaultConfig;
  std::uint64_t seed = 1;
  bool json = false;
};

search::Capsule capsule_of(const search::ShrinkResult& shrunk, const world::World& world,
                           std::uint64_t seed) {
  search::Capsule capsule;
  const std::string& path = world.config().path;
  const std::size_t slash = path.rfind('/');
  capsule.world = world.config().name;
  capsule.config = "../" + (slash == std::string::npos ? path : path.substr(slash + 1));
  capsule.identity = world.identity();
  capsule.made_by = "seedfall " SEEDFALL_VERSION ", engine " + engine::engine_fingerprint();
  capsule.seed = seed;
  capsule.faults = shrunk.faults;
  capsule.fingerprint = shrunk.finding.fingerprint;
  capsule.message = shrunk.finding.message;
  capsule.hash = shrunk.result.hash;
  return capsule;
}

// Relative to the current folder when it lies below it: shorter, and the same on every machine.
std::string shown_path(const std::string& path) {
  const auto here = host::absolute_path(".");
  if (here && path.starts_with(*here + "/")) return path.substr(here->size() + 1);
  return path;
}

Result<ExitCode> shrink(const ShrinkFlags& flags) {
  SF_TRY(const std::unique_ptr<world::World> world, open_world(flags.config));
  const host::Stopwatch watch;
  StatusLine status;
  SF_TRY(const search::ShrinkResult shrunk,
         search::shrink(*world, flags.seed, [&](std::size_t left, std::uint64_t runs) {
           status.show(fmt::format("{} faults left after {} runs", left, runs));
         }));
  status.clear();
  const std::string path = search::capsule_path(world->config(), flags.seed);
  const search::Capsule capsule = capsule_of(shrunk, *world, flags.seed);
  SF_TRY_VOID(host::make_directories(path.substr(0, path.rfind('/'))));
  SF_TRY_VOID(host::write_file(path, search::to_json(capsule).dump_pretty() + "\n"));
  if (flags.json) {
    Json faults = Json::array();
    for (const fault::Fault& fault : shrunk.faults) faults.push(fault::to_json(fault));
    fmt::print("{}\n", Json::object()
                           .set("schema", 1)
                           .set("world", world->config().name)
                           .set("seed", flags.seed)
                           .set("faults_before", static_cast<std::uint64_t>(shrunk.faults_before))
                           .set("faults", std::move(faults))
                           .set("runs", shrunk.runs)
                           .set("message", shrunk.finding.message)
                           .set("fingerprint", shrunk.finding.fingerprint)
                           .set("capsule", shown_path(path))
                           .dump());
    return ExitCode::kFinding;
  }
  fmt::print("{} fault{} -> {} after {} runs ({:.1f} s); still the same finding\n",
             shrunk.faults_before, shrunk.faults_before == 1 ? "" : "s", shrunk.faults.size(),
             shrunk.runs, watch.seconds());
  search::SeedOutcome outcome = search::outcome_of(shrunk.result, world->node_names());
  fmt::print("{}{}", describe_failure(outcome, RealTime::kOmit),
             describe_fault_list(shrunk.faults, 100));
  if (shrunk.faults.size() == 1) fmt::print("without it the finding is gone\n");
  if (shrunk.faults.size() > 1) {
    fmt::print("each of them is needed: without it the finding is gone\n");
  }
  fmt::print("saved {0}\nreplay it: seedfall replay -capsule {0}\n", shown_path(path));
  return ExitCode::kFinding;
}

}  // namespace

ExitCode command_shrink(const std::vector<std::string>& arguments) {
  ShrinkFlags values;
  Flags flags("shrink", "finds the fewest faults that still give the finding of a seed",
              {"seedfall shrink -seed 23", "seedfall shrink -c world.json -seed 23 -json"});
  flags.text("c", values.config, "the config");
  flags.number("seed", values.seed, "the failing seed (default 1)");
  flags.toggle("json", values.json, "one JSON object on stdout");
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const auto code = shrink(values);
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
