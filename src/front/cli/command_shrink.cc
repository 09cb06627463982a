// `seedfall shrink`: the fewest faults that still give the finding of a seed, saved as a capsule.
#include <cstdio>

#include <fmt/format.h>

#include "base/host/subprocess.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"
#include "front/cli/output.h"
#include "front/cli/save_capsule.h"
#include "front/cli/status_line.h"
#include "search/shrink.h"

namespace sf::front {
namespace {

struct ShrinkFlags {
  std::string config = kDefaultConfig;
  std::uint64_t seed = 1;
  std::string image;
  bool json = false;
};

Result<ExitCode> shrink(const ShrinkFlags& flags) {
  world::RunSpec spec;
  spec.seed = flags.seed;
  if (!flags.image.empty()) {
    SF_TRY(spec.image, fault::parse_image_id(flags.image, "-image"));
  }
  SF_TRY(const std::unique_ptr<world::World> world, open_world(flags.config));
  const host::Stopwatch watch;
  StatusLine status;
  SF_TRY(const search::ShrinkResult shrunk,
         search::shrink(*world, spec, [&](const search::ShrinkProgress& now) {
           status.show(fmt::format("{} faults, {} preemptions left after {} runs", now.faults,
                                   now.preemptions, now.runs));
         }));
  status.clear();
  std::string run = std::to_string(spec.seed);
  if (spec.image) run += "-image-" + fault::to_string(*spec.image);
  SF_TRY(const std::string path,
         save_capsule(*world, run,
                      CapsuleContent{flags.seed, shrunk.faults, shrunk.preemptions,
                                     shrunk.finding.fingerprint, shrunk.finding.message,
                                     shrunk.result.hash}));
  if (flags.json) {
    Json faults = Json::array();
    for (const fault::Fault& fault : shrunk.faults) faults.push(fault::to_json(fault));
    Json out = Json::object();
    out.set("schema", 1).set("world", world->config().name).set("seed", flags.seed);
    if (spec.image) out.set("image", flags.image);
    fmt::print("{}\n", std::move(out)
                           .set("faults_before", static_cast<std::uint64_t>(shrunk.faults_before))
                           .set("faults", std::move(faults))
                           .set("preemptions_before",
                                static_cast<std::uint64_t>(shrunk.preemptions_before))
                           .set("preemptions", fault::to_json(shrunk.preemptions))
                           .set("runs", shrunk.runs)
                           .set("message", shrunk.finding.message)
                           .set("fingerprint", shrunk.finding.fingerprint)
                           .set("capsule", path)
                           .dump());
    return ExitCode::kFinding;
  }
  fmt::print("{} fault{} -> {}", shrunk.faults_before, shrunk.faults_before == 1 ? "" : "s",
             shrunk.faults.size());
  if (shrunk.preemptions_before > 0) {
    fmt::print(", {} preemption{} -> {}", shrunk.preemptions_before,
               shrunk.preemptions_before == 1 ? "" : "s", shrunk.preemptions.size());
  }
  fmt::print(" after {} runs ({:.1f} s); still the same finding\n", shrunk.runs, watch.seconds());
  search::SeedOutcome outcome = search::outcome_of(shrunk.result, world->node_names());
  outcome.image = spec.image;
  fmt::print("{}{}{}", describe_failure(outcome, RealTime::kOmit),
             describe_fault_list(shrunk.faults, 100),
             describe_preemptions(shrunk.preemptions, 20));
  const std::size_t left = shrunk.faults.size() + shrunk.preemptions.size();
  if (left == 1) fmt::print("without it the finding is gone\n");
  if (left > 1) {
    fmt::print("each of them is needed: without it the finding is gone\n");
  }
  fmt::print("saved {0}\nreplay it: seedfall replay -capsule {0}\n", path);
  return ExitCode::kFinding;
}

}  // namespace

ExitCode command_shrink(const std::vector<std::string>& arguments) {
  ShrinkFlags values;
  Flags flags("shrink", "finds the fewest faults that still give the finding of a seed",
              {"seedfall shrink -seed 23", "seedfall shrink -c world.json -seed 23 -json"});
  flags.text("c", values.config, "the config");
  flags.number("seed", values.seed, "the failing seed (default 1)");
  flags.text("image", values.image, "the image of a power loss, as `run -fanout` names it: 2.3");
  flags.toggle("json", values.json, "one JSON object on stdout");
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const auto code = shrink(values);
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
