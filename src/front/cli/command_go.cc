// `seedfall go`: the go command for wasip1, its programs run by `seedfall exec`.
#include <algorithm>
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/replace_process.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"

namespace sf::front {
namespace {

// The go command splits -exec at spaces and knows quotes but no escapes.
Result<std::string> quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n'\"") == std::string::npos) return word;
  if (word.find('\'') == std::string::npos) return "'" + word + "'";
  if (word.find('"') == std::string::npos) return "\"" + word + "\"";
  return usage_error("", fmt::format("{}: the go command cannot be given an argument with both "
                                     "kinds of quotes", excerpt(word, 60)));
}

Result<ExitCode> go(const std::vector<std::string>& exec_flags,
                    const std::vector<std::string>& command) {
  constexpr std::string_view kKnown[] = {"test", "build", "run"};
  if (command.empty()) {
    return usage_error("", "go: which of test, build and run?",
                       "for example `seedfall go test ./...`");
  }
  if (std::find(std::begin(kKnown), std::end(kKnown), command.front()) == std::end(kKnown)) {
    return usage_error("", fmt::format("go {}: only test, build and run are wrapped",
                                       excerpt(command.front(), 40)),
                       "for all else GOOS=wasip1 GOARCH=wasm go does what is wanted");
  }
  std::vector<std::string> full = {"go", command.front()};
  if (command.front() != "build") {
    SF_TRY(std::string exec, quoted(host::program_path()));
    exec += " exec";
    for (const std::string& flag : exec_flags) {
      SF_TRY(const std::string word, quoted(flag));
      exec += " " + word;
    }
    full.insert(full.end(), {"-exec", exec});
  }
  full.insert(full.end(), command.begin() + 1, command.end());
  return tl::make_unexpected(
      host::replace_process(full, {{"GOOS", "wasip1"}, {"GOARCH", "wasm"}}));
}

}  // namespace

ExitCode command_go(const std::vector<std::string>& arguments) {
  std::string seed, profile, config;
  std::vector<std::string> folders, environment;
  Flags flags("go", "the go command for wasip1; programs run in the simulation: "
                    "go [flags of exec] test|build|run ARGS…",
              {"seedfall go test ./...", "seedfall go -seed 7 test -run TestRecovery -v ./store",
               "seedfall go run ./cmd/server -data /data", "seedfall go build -o server.wasm ."});
  flags.text("seed", seed, "as for exec");
  flags.list("dir", folders, "as for exec");
  flags.list("env", environment, "as for exec");
  flags.text("c", config, "as for exec");
  flags.text("profile", profile, "as for exec");
  const auto command = flags.parse_leading(arguments);
  if (!command) return report_error(command.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const std::size_t own = arguments.size() - command->size();
  const auto middle = arguments.begin() + static_cast<std::ptrdiff_t>(own);
  std::vector<std::string> exec_flags(arguments.begin(), middle);
  std::erase(exec_flags, "--");
  const auto code = go(exec_flags, *command);
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
