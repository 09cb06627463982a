// `seedfall go`: the go command for wasip1, its programs run by `seedfall exec`.
#include <algorithm>
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/replace_process.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/exec_environment.h"
#include "front/cli/exec_folders.h"
#include "front/cli/flags.h"
#include "world/exec_config.h"

namespace sf::front {
namespace {

struct GoFlags {
  std::uint64_t seed = 0;
  std::vector<std::string> folders;
  std::vector<std::string> environment;
  std::string config;
  std::string profile;
};

// The go command splits -exec at spaces. A word that begins with a quote ends at the next one of
// its kind; there are no escapes (cmd/internal/quoted in Go's sources).
Result<std::string> quoted(const std::string& word) {
  const bool plain = word.find_first_of(" \t\n\r") == std::string::npos &&
                     !word.starts_with('\'') && !word.starts_with('"');
  if (plain) return word;
  if (word.find('\'') == std::string::npos) return "'" + word + "'";
  if (word.find('"') == std::string::npos) return "\"" + word + "\"";
  return usage_error("go", fmt::format("{}: the go command cannot pass on an argument with spaces "
                                       "and both kinds of quotes", excerpt(word, 60)));
}

// The flags for exec, checked here: once, and not in the middle of go's output. go starts exec in
// the folder of each package, so that paths must be absolute.
Result<std::vector<std::string>> exec_flags_of(const Flags& flags, const GoFlags& values) {
  SF_TRY_VOID(world::load_exec_settings(values.config, values.profile));
  SF_TRY_VOID(exec_environment(values.environment));
  SF_TRY(const std::string here, host::absolute_path("."));
  std::vector<std::string> out;
  if (flags.given("seed")) out.push_back(fmt::format("-seed={}", values.seed));
  if (!values.config.empty()) {
    const bool absolute = values.config.starts_with('/');
    out.push_back("-c=" + (absolute ? values.config : here + "/" + values.config));
  }
  if (!values.profile.empty()) out.push_back("-profile=" + values.profile);
  SF_TRY(const auto folders, given_folders(values.folders));
  for (const world::HostFolder& folder : folders) {
    if (folder.host.find("::") != std::string::npos) {
      return usage_error(folder.place, fmt::format("{}: a folder with :: in its path cannot be "
                                                   "shown", excerpt(folder.host, 80)));
    }
    out.push_back(fmt::format("-dir={}::{}", folder.host, folder.guest));
  }
  for (const std::string& entry : values.environment) out.push_back("-env=" + entry);
  return out;
}

Result<ExitCode> go(const std::vector<std::string>& exec_flags,
                    const std::vector<std::string>& command) {
  constexpr std::string_view kKnown[] = {"test", "build", "run"};
  if (command.empty()) {
    return usage_error("go", "which of test, build and run?",
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
  GoFlags values;
  Flags flags("go", "the go command for wasip1; programs run in the simulation: "
                    "go [flags of exec] test|build|run ARGS…",
              {"seedfall go test ./...", "seedfall go -seed 7 test -run TestRecovery -v ./store",
               "seedfall go run ./cmd/server -data /data", "seedfall go build -o server.wasm ."});
  flags.number("seed", values.seed, "as for exec");
  flags.list("dir", values.folders, "as for exec; relative to here, not to the package");
  flags.list("env", values.environment, "as for exec");
  flags.text("c", values.config, "as for exec; relative to here, not to the package");
  flags.text("profile", values.profile, "as for exec");
  const auto command = flags.parse_leading(arguments);
  if (!command) return report_error(command.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const auto exec_flags = exec_flags_of(flags, values);
  if (!exec_flags) return report_error(exec_flags.error());
  const auto code = go(*exec_flags, *command);
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
