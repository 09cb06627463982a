#include "front/cli/output.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "base/strings.h"
#include "front/cli/complain.h"
#include "front/cli/fault_words.h"
#include "front/cli/status_line.h"

namespace sf::front {
namespace {

constexpr std::size_t kDetailLines = 12;

}  // namespace

std::string describe_faults(const world::FaultConfig& faults) {
  std::vector<std::string> parts;
  for (FaultWords& words : faults_in_words(faults)) parts.push_back(std::move(words.how_often));
  return parts.empty() ? "none" : join(parts, ", ");
}

std::string describe_world(const world::WorldConfig& config) {
  const auto count = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  return fmt::format("world {}: {}, {}; faults: {}", config.name,
                     count(config.nodes.size(), "node"),
                     count(config.workloads.size(), "workload"), describe_faults(config.faults));
}

std::string describe_failure(const search::SeedOutcome& outcome, RealTime real_time) {
  const std::string real = real_time == RealTime::kShow
                               ? fmt::format(", {:.0f}ms real", outcome.cpu_seconds * 1000)
                               : std::string();
  std::string out =
      fmt::format("FAIL {} at t={} ({} scheduler steps{})\n", search::name_of(outcome),
                  format_duration(Duration(outcome.end_ns)), outcome.scheduler_steps, real);
  const search::FindingSummary& finding = *outcome.finding;
  if (finding.kind == "assertion") {
    out += fmt::format("  {}: {}\n", finding.node, finding.message);
  } else {
    out += fmt::format("  {}\n", finding.message);
  }
  if (!finding.site.empty()) out += fmt::format("  at {}\n", finding.site);
  const std::size_t lines = std::min(finding.detail.size(), kDetailLines);
  for (std::size_t i = 0; i < lines; ++i) {
    out += fmt::format("    {}\n", printable(finding.detail[i]));
  }
  if (finding.detail.size() > lines) {
    out += fmt::format("    … {} more lines: see the replay\n", finding.detail.size() - lines);
  }
  return out;
}

std::string printable(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= ' ' && c <= '~') || c == '\t';
  });
  if (plain) return std::string(text);
  std::string out;
  for (const std::string_view part : split(text, '\t')) {
    if (part.data() != text.data()) out += '\t';
    out += excerpt(part, std::string::npos);
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.data() != text.data()) out += '\n';
    out += printable(line);
  }
  return out;
}

std::string describe_fault_list(const std::vector<fault::Fault>& faults, std::size_t limit,
                                FaultsOf of) {
  const bool failed = of == FaultsOf::kFailure;
  if (faults.empty()) return failed ? "no fault before the failure\n" : "no faults\n";
  std::string out = fmt::format("faults{} ({}):\n", failed ? " before the failure" : "",
                                faults.size());
  const std::size_t shown = std::min(faults.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("  {:>12}  {}\n", format_duration(faults[i].time - SimTime::zero()),
                       printable(fault::describe(faults[i])));
  }
  if (shown < faults.size()) {
    out += fmt::format("  … and {} more{}\n", faults.size() - shown,
                       failed ? "; `seedfall shrink` drops those that do not matter" : "");
  }
  return out;
}

// Only a list knows places: what was drawn is only counted.
std::string describe_preemptions(const std::vector<fault::Preemption>& preemptions,
                                 std::size_t limit) {
  if (preemptions.empty()) return "";
  if (preemptions.size() > limit) {
    return fmt::format("{} preemptions of goroutines; `seedfall shrink` drops those that do not "
                       "matter\n",
                       with_thousands(preemptions.size()));
  }
  std::string out = fmt::format("preemptions of goroutines ({}):\n", preemptions.size());
  for (const fault::Preemption& preemption : preemptions) {
    out += fmt::format("  {:>12}  {}\n", format_duration(preemption.time - SimTime::zero()),
                       printable(fault::describe(preemption)));
  }
  return out;
}

Result<std::unique_ptr<world::World>> open_world(const std::string& config_path) {
  auto loaded = world::load_config(config_path);
  if (!loaded && !host::exists(config_path)) {
    loaded.error().hint = "`seedfall init` writes a first one, -c FILE names another";
  }
  SF_TRY(world::WorldConfig config, std::move(loaded));
  StatusLine status;
  status.note(describe_world(config));
  const host::Stopwatch watch;
  world::PrepareOptions options;
  options.progress = [&status](const std::string& what) { status.show(what + " …"); };
  SF_TRY(std::unique_ptr<world::World> world, world::World::prepare(std::move(config), options));
  status.note(fmt::format("guests ready in {:.1f} s{}", watch.seconds(),
                          world->from_cache() ? " (cached engine code)" : ""));
  status.clear();
  for (const std::string& warning : world->warnings()) {
    complain("warning: {}\n", warning);
  }
  return world;
}

}  // namespace sf::front
