// `seedfall doctor [PKG]`: what is missing on this machine, or in the way of this package.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/json.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"
#include "front/cli/output.h"
#include "front/cli/status_line.h"
#include "front/doctor/check.h"

namespace sf::front {
namespace {

using doctor::Check;
using doctor::Level;

const char* word_of(Level level) {
  switch (level) {
    case Level::kOk: return "ok";
    case Level::kAdvice: return "advice";
    case Level::kProblem: return "problem";
  }
  return "";
}

std::vector<Check> all_checks(const std::string& package) {
  StatusLine status;
  const doctor::Progress progress = [&status](const std::string& what) {
    status.show(what + " …");
  };
  std::vector<Check> checks = doctor::check_host();
  const auto add = [&checks](std::vector<Check> more) {
    for (Check& check : more) checks.push_back(std::move(check));
  };
  std::vector<Check> go = doctor::check_go(progress);
  const bool go_works = std::none_of(go.begin(), go.end(), [](const Check& check) {
    return check.level == Level::kProblem;
  });
  add(std::move(go));
  add(doctor::check_other_toolchains());
  // Without Go there is nothing to learn about a package.
  if (!package.empty() && go_works) add(doctor::check_package(package, progress));
  status.clear();
  return checks;
}

std::size_t checks_of(const std::vector<Check>& checks, Level level) {
  return static_cast<std::size_t>(std::count_if(
      checks.begin(), checks.end(), [&](const Check& check) { return check.level == level; }));
}

void print_text(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    const std::vector<std::string_view> lines = split(check.text, '\n');
    fmt::print("{:<9}{}\n", word_of(check.level), printable(lines.front()));
    for (std::size_t i = 1; i < lines.size(); ++i) fmt::print("{:9}{}\n", "", printable(lines[i]));
    if (!check.fix.empty()) fmt::print("{:9}fix: {}\n", "", check.fix);
  }
  const std::size_t problems = checks_of(checks, Level::kProblem);
  const std::size_t advice = checks_of(checks, Level::kAdvice);
  const std::string with_advice =
      advice == 0 ? "" : fmt::format(", {} with advice", with_thousands(advice));
  if (problems == 0) {
    fmt::print("\nready: {} checks{}\n", checks.size(), with_advice);
  } else {
    fmt::print("\nnot ready: {} {}{}\n", problems, problems == 1 ? "problem" : "problems",
               with_advice);
  }
}

void print_json(const std::vector<Check>& checks) {
  Json rows = Json::array();
  for (const Check& check : checks) {
    rows.push(Json::object()
                  .set("id", check.id)
                  .set("level", word_of(check.level))
                  .set("text", check.text)
                  .set("fix", check.fix));
  }
  fmt::print("{}\n", Json::object()
                         .set("schema", 1)
                         .set("ready", checks_of(checks, Level::kProblem) == 0)
                         .set("checks", std::move(rows))
                         .dump());
}

}  // namespace

ExitCode command_doctor(const std::vector<std::string>& arguments) {
  std::string package;
  bool json = false;
  Flags flags("doctor",
              "checks the toolchains, the engine and the limits of this machine, and whether a "
              "package builds for the simulator; exit code 3 if anything stands in the way",
              {"seedfall doctor", "seedfall doctor ./server", "seedfall doctor -json"});
  flags.positional("PKG", package, "a Go package to check, too");
  flags.toggle("json", json, "print one JSON object");
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const std::vector<Check> checks = all_checks(package);
  if (json) print_json(checks);
  else print_text(checks);
  return checks_of(checks, Level::kProblem) == 0 ? ExitCode::kClean : ExitCode::kCannotRun;
}

}  // namespace sf::front
