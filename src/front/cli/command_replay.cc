// `seedfall replay`: one seed or capsule again, with its full trace.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/complain.h"
#include "front/cli/flags.h"
#include "front/cli/output.h"
#include "front/cli/trace_view.h"
#include "search/capsule.h"
#include "trace/file.h"
#include "trace/sinks.h"

namespace sf::front {
namespace {

struct ReplayFlags {
  std::string config = kDefaultConfig;
  std::uint64_t seed = 1;
  std::string image;
  std::string capsule;
  std::string trace_file;
  ViewFlags view;
  bool keep_going = false;
};

// A capsule names its config relative to its own folder.
std::string config_of(const std::string& capsule_path, const search::Capsule& capsule) {
  const std::size_t slash = capsule_path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : capsule_path.substr(0, slash);
  if (capsule.config.starts_with('/')) return capsule.config;
  // The usual case, said shortly: "x/.seedfall" and "../world.json" are "x/world.json".
  constexpr std::string_view kUp = "../";
  if (folder.ends_with("/.seedfall") && capsule.config.starts_with(kUp)) {
    return folder.substr(0, folder.rfind('/') + 1) + capsule.config.substr(kUp.size());
  }
  if (folder == ".seedfall" && capsule.config.starts_with(kUp)) {
    return capsule.config.substr(kUp.size());
  }
  return folder + "/" + capsule.config;
}

Result<ExitCode> replay(ReplayFlags flags, bool config_given) {
  world::RunSpec spec;
  spec.seed = flags.seed;
  if (!flags.image.empty()) {
    SF_TRY(spec.image, fault::parse_image_id(flags.image, "-image"));
  }
  std::optional<search::Capsule> capsule;
  if (!flags.capsule.empty()) {
    if (spec.image) {
      return usage_error("", "-image goes with -seed; a capsule already says what its power losses "
                             "left");
    }
    SF_TRY(capsule, search::load_capsule(flags.capsule));
    spec = search::spec_of(*capsule);
    if (!config_given) flags.config = config_of(flags.capsule, *capsule);
  }
  spec.keep_going = flags.keep_going;
  SF_TRY(const std::unique_ptr<world::World> world, open_world(flags.config));
  const std::vector<std::string> changed =
      capsule ? search::differences(*capsule, *world) : std::vector<std::string>();
  for (const std::string& what : changed) {
    complain("warning: {} since the capsule was made; this may be another run\n", what);
  }
  SF_TRY(const TraceView view, TraceView::of(flags.view, world->node_names()));
  trace::FileWriter writer(world->node_names(), world->config().limits.trace_bytes);
  trace::CallbackSink sink([&](std::uint64_t step, const kernel::Record& record) {
    view.show(step, record);
    if (!flags.trace_file.empty()) writer.add(step, record);
  });
  const double cpu_before = host::Stopwatch::process_cpu_seconds();
  SF_TRY(const world::RunResult result, world::run(*world, spec, sink));
  if (!flags.trace_file.empty()) {
    SF_TRY_VOID(host::write_file(flags.trace_file, writer.bytes()));
    if (writer.full()) {
      complain("warning: the trace file holds only the first {} (limits.trace_bytes)\n",
               format_size(writer.bytes().size()));
    }
  }
  // Real time goes to stderr: stdout is the same, byte for byte, each time.
  complain("replayed {} events in {:.0f} ms\n", with_thousands(result.steps),
           (host::Stopwatch::process_cpu_seconds() - cpu_before) * 1000);
  if (capsule && result.hash != capsule->hash && changed.empty()) {
    complain("NONDETERMINISM: the capsule's run had trace hash {:016x}, this one has "
             "{:016x}\n", capsule->hash, result.hash);
    return ExitCode::kNondeterminism;
  }
  if (flags.view.json) {
    return result.findings.empty() ? ExitCode::kClean : ExitCode::kFinding;
  }
  fmt::print("\n");
  search::SeedOutcome outcome = search::outcome_of(result, world->node_names());
  outcome.image = spec.image;
  if (result.findings.empty()) {
    fmt::print("clean: {} ended at t={}; trace hash {:016x}\n", search::name_of(outcome),
               format_duration(result.end_time - SimTime::zero()), result.hash);
    return ExitCode::kClean;
  }
  fmt::print("{}{}{}trace hash {:016x}\n", describe_failure(outcome, RealTime::kOmit),
             describe_fault_list(result.faults, 100), describe_preemptions(result.preemptions, 20),
             result.hash);
  return ExitCode::kFinding;
}

}  // namespace

ExitCode command_replay(const std::vector<std::string>& arguments) {
  ReplayFlags values;
  Flags flags("replay", "runs one seed again with its full trace, byte for byte the same each time",
              {"seedfall replay -seed 23",
               "seedfall replay -seed 23 -image 2.3",
               "seedfall replay -seed 23 -node server -kind fault,boot -from 0.4s -to 0.9s",
               "seedfall replay -capsule .seedfall/kvlog-torn-tail-23.capsule.json"});
  flags.text("c", values.config, "the config");
  flags.number("seed", values.seed, "the seed (default 1)");
  flags.text("image", values.image, "the image of a power loss, as `run -fanout` names it: 2.3");
  flags.text("capsule", values.capsule, "a capsule made by shrink; it knows its config");
  values.view.add_to(flags);
  flags.text("trace", values.trace_file,
             "also write the trace to this file (see `seedfall trace`)");
  flags.toggle("keep-going", values.keep_going, "record false assertions and go on");
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const auto code = replay(values, flags.given("c"));
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
