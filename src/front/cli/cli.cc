#include "front/cli/cli.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/host/streams.h"
#include "base/strings.h"
#include "engine/compile.h"
#include "front/cli/complain.h"
#include "front/cli/output.h"

namespace sf::front {
namespace {

struct Command {
  std::string_view name;
  ExitCode (*run)(const std::vector<std::string>&);
};
constexpr Command kCommands[] = {
    {"run", command_run},         {"replay", command_replay}, {"shrink", command_shrink},
    {"trace", command_trace},     {"schema", command_schema}, {"init", command_init},
    {"doctor", command_doctor},   {"exec", command_exec},     {"go", command_go},
    {"version", command_version}, {"help", command_help},
};

// Named in the documentation of the tool we follow, or planned; not in this version.
constexpr std::string_view kLater[] = {"cause", "mutate", "mcp", "merge", "explore", "report"};

}  // namespace

ExitCode unknown_command(const std::string& name) {
  Error error;
  error.code = ErrorCode::kUsage;
  if (std::find(std::begin(kLater), std::end(kLater), name) != std::end(kLater)) {
    error.message = fmt::format("{}: this command is not built yet", name);
    error.hint = "`seedfall help` lists those that are";
    return report_error(error);
  }
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  const auto near = nearest(name, names);
  error.message = fmt::format("{}: no such command", excerpt(name, 40));
  error.hint = near ? fmt::format("did you mean {}?", *near) : "`seedfall help` lists the commands";
  return report_error(error);
}

ExitCode report_error(const Error& error) {
  complain("{}\n", printable_lines(error.text()));   // may quote what it complains about
  return error.code == ErrorCode::kUsage ? ExitCode::kUsage : ExitCode::kCannotRun;
}

namespace {

int dispatch(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty()) {
    command_help({});
    return static_cast<int>(ExitCode::kUsage);
  }
  std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "-h" || name == "-help" || name == "--help") name = "help";
  if (name == "-version" || name == "--version") name = "version";
  // The child that compiles a guest, see engine/compile.h.
  if (name == "internal-compile") return engine::internal_compile(arguments);
  for (const Command& command : kCommands) {
    if (command.name == name) return static_cast<int>(command.run(arguments));
  }
  return static_cast<int>(unknown_command(name));
}

int output_lost(const std::string& why) {
  return static_cast<int>(
      report_error(Error{ErrorCode::kCannotRun, "", "cannot write the output: " + why, ""}));
}

}  // namespace

// An answer that did not arrive whole must not look like one: a full disk, a reader that went away.
int main(int argc, char** argv) {
  host::reserve_streams();
  try {
    const int code = dispatch(argc, argv);
    return std::fflush(stdout) == 0 ? code : output_lost(std::strerror(errno));
  } catch (const std::system_error& error) {   // what fmt::print throws
    return output_lost(error.code().message());
  }
}

}  // namespace sf::front
