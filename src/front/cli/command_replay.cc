// `seedfall replay`: one seed or capsule again, with its full trace.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"
#include "front/cli/output.h"
#include "search/capsule.h"
#include "trace/sinks.h"
#include "trace/text.h"

namespace sf::front {
namespace {

struct ReplayFlags {
  std::string config = kDefaultConfig;
  std::uint64_t seed = 1;
  std::string capsule;
  std::string node;
  std::string kinds;
  std::string from;
  std::string to;
  bool keep_going = false;
  bool json = false;
};

// Which records are shown; the run itself is always whole.
struct Filter {
  std::string node;                  // empty: all
  std::vector<std::string> kinds;    // empty: all
  SimTime from;
  SimTime to = SimTime::never();

  bool shows(const kernel::Record& record, const std::vector<std::string>& names) const {
    if (record.time < from || record.time > to) return false;
    if (!node.empty()) {
      if (record.node == kernel::kTheRoom || names[index_of(record.node)] != node) return false;
    }
    if (kinds.empty()) return true;
    for (const std::string& kind : kinds) {
      if (kind == trace::kind_word(record.kind)) return true;
    }
    return false;
  }
};

Result<SimTime> time_flag(const std::string& name, const std::string& text, SimTime absent) {
  if (text.empty()) return absent;
  const auto parsed = parse_duration(text);
  if (!parsed) {
    return usage_error("", fmt::format("-{} {}: not a duration", name, excerpt(text, 40)),
                       "for example -from 0.4s");
  }
  return SimTime::zero() + *parsed;
}

Result<Filter> filter_of(const ReplayFlags& flags, const std::vector<std::string>& names) {
  Filter filter;
  filter.node = flags.node;
  if (!flags.node.empty() && std::find(names.begin(), names.end(), flags.node) == names.end()) {
    return usage_error("", fmt::format("-node {}: no such node", excerpt(flags.node, 40)),
                       "nodes: " + join(names, ", "));
  }
  static constexpr std::string_view kKnown[] = {"call",  "boot",     "exit", "trap",    "console", "fault",
                                                "net",   "property", "room", "finding", "end"};
  for (const std::string_view kind : split(flags.kinds, ',')) {
    if (kind.empty()) continue;
    if (std::find(std::begin(kKnown), std::end(kKnown), kind) == std::end(kKnown)) {
      return usage_error("", fmt::format("-kind {}: no such kind of event", excerpt(kind, 40)),
                         fmt::format("kinds: {}", fmt::join(kKnown, ", ")));
    }
    filter.kinds.emplace_back(kind);
  }
  SF_TRY(filter.from, time_flag("from", flags.from, SimTime::zero()));
  SF_TRY(filter.to, time_flag("to", flags.to, SimTime::never()));
  return filter;
}

Json json_of(std::uint64_t step, const kernel::Record& record,
             const std::vector<std::string>& names) {
  return Json::object()
      .set("step", step)
      .set("time_ns", record.time.ns())
      .set("node", record.node == kernel::kTheRoom ? std::string() : names[index_of(record.node)])
      .set("incarnation", record.incarnation)
      .set("kind", trace::kind_word(record.kind))
      .set("result", record.result)
      .set("what", record.what)
      .set("outcome", record.outcome);
}

// A capsule names its config relative to its own folder.
std::string config_of(const std::string& capsule_path, const search::Capsule& capsule) {
  const std::size_t slash = capsule_path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : capsule_path.substr(0, slash);
  return capsule.config.starts_with('/') ? capsule.config : folder + "/" + capsule.config;
}

Result<ExitCode> replay(ReplayFlags flags, bool config_given) {
  world::RunSpec spec;
  spec.seed = flags.seed;
  std::optional<search::Capsule> capsule;
  if (!flags.capsule.empty()) {
    SF_TRY(capsule, search::load_capsule(flags.capsule));
    spec = search::spec_of(*capsule);
    if (!config_given) flags.config = config_of(flags.capsule, *capsule);
  }
  spec.keep_going = flags.keep_going;
  SF_TRY(const std::unique_ptr<world::World> world, open_world(flags.config));
  const std::vector<std::string> changed =
      capsule ? search::differences(*capsule, *world) : std::vector<std::string>();
  for (const std::string& what : changed) {
    fmt::print(stderr, "warning: {} since the capsule was made; this may be another run\n", what);
  }
  SF_TRY(const Filter filter, filter_of(flags, world->node_names()));
  trace::CallbackSink sink([&](std::uint64_t step, const kernel::Record& record) {
    if (!filter.shows(record, world->node_names())) return;
    fmt::print("{}\n", flags.json ? json_of(step, record, world->node_names()).dump()
                                  : trace::format_record(record, world->node_names()));
  });
  const double cpu_before = host::Stopwatch::process_cpu_seconds();
  SF_TRY(const world::RunResult result, world::run(*world, spec, sink));
  if (flags.json) {
    return result.findings.empty() ? ExitCode::kClean : ExitCode::kFinding;
  }
  // Real time goes to stderr: stdout is the same, byte for byte, each time.
  fmt::print(stderr, "replayed {} steps in {:.0f} ms\n", with_thousands(result.steps),
             (host::Stopwatch::process_cpu_seconds() - cpu_before) * 1000);
  if (capsule && result.hash != capsule->hash && changed.empty()) {
    fmt::print(stderr, "NONDETERMINISM: the capsule's run had trace hash {:016x}, this one has "
                       "{:016x}\n", capsule->hash, result.hash);
    return ExitCode::kNondeterminism;
  }
  fmt::print("\n");
  if (result.findings.empty()) {
    fmt::print("clean: seed {} ended at t={}; trace hash {:016x}\n", spec.seed,
               format_duration(result.end_time - SimTime::zero()), result.hash);
    return ExitCode::kClean;
  }
  search::SeedOutcome outcome = search::outcome_of(result, world->node_names());
  fmt::print("{}{}trace hash {:016x}\n", describe_failure(outcome, RealTime::kOmit),
             describe_fault_list(result.faults, 100), result.hash);
  return ExitCode::kFinding;
}

}  // namespace

ExitCode command_replay(const std::vector<std::string>& arguments) {
  ReplayFlags values;
  Flags flags("replay", "runs one seed again with its full trace, byte for byte the same each time",
              {"seedfall replay -seed 23",
               "seedfall replay -seed 23 -node server -kind fault,boot -from 0.4s -to 0.9s",
               "seedfall replay -capsule .seedfall/kvlog-torn-tail-23.capsule.json"});
  flags.text("c", values.config, "the config");
  flags.number("seed", values.seed, "the seed (default 1)");
  flags.text("capsule", values.capsule, "a capsule made by shrink; it knows its config");
  flags.text("node", values.node, "show only this node");
  flags.text("kind", values.kinds, "show only these kinds, for example call,fault,net");
  flags.text("from", values.from, "show from this simulated time");
  flags.text("to", values.to, "show to this simulated time");
  flags.toggle("keep-going", values.keep_going, "record false assertions and go on");
  flags.toggle("json", values.json, "one JSON object per event");
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const auto code = replay(values, flags.given("c"));
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
