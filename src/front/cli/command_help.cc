// `seedfall help` and `seedfall version`.
#include <cstdio>

#include <fmt/format.h>

#include "engine/compile.h"
#include "front/cli/cli.h"

namespace sf::front {
namespace {

constexpr std::string_view kHelp =
    R"(seedfall finds bugs in clusters by simulating them: one seed, one run, exactly repeatable.

begin
  init     a config and a first workload       seedfall init ./server
  doctor   what is missing on this machine     seedfall doctor ./server
  schema   the JSON Schema of seedfall.json    seedfall schema > seedfall.schema.json
find
  run      runs many seeds in parallel         seedfall run -seeds 1-500
  run -fanout   several disks per power loss   seedfall run -seeds 1-50 -fanout 16
  run -sites    a crash at each disk operation seedfall run -sites
  run -check    each seed twice, for equality  seedfall run -seeds 1-50 -check
understand
  replay   one seed again, with its trace      seedfall replay -seed 23
  shrink   the fewest faults that still fail   seedfall shrink -seed 23
  trace    shows a stored trace                seedfall trace run.trace
run one program
  exec     any wasip1 program, one node        seedfall exec -seed 7 prog.wasm ARGS…
  go       test, build, run for wasip1         seedfall go test ./...

  help [COMMAND]   flags and examples of a command
  version          of seedfall and its engine

The world is described by seedfall.json in the working directory, or by -c FILE.
Exit codes: 0 clean, 1 finding, 2 usage or config, 3 could not run, 4 nondeterminism.
)";

}  // namespace

ExitCode command_help(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    fmt::print("{}", kHelp);
    return ExitCode::kClean;
  }
  const std::string& command = arguments.front();
  if (command == "run") return command_run({"-help"});
  if (command == "replay") return command_replay({"-help"});
  if (command == "shrink") return command_shrink({"-help"});
  if (command == "trace") return command_trace({"-help"});
  if (command == "init") return command_init({"-help"});
  if (command == "doctor") return command_doctor({"-help"});
  if (command == "schema") return command_schema({"-help"});
  if (command == "exec") return command_exec({"-help"});
  if (command == "go") return command_go({"-help"});
  if (command == "version" || command == "help") return command_help({});
  return unknown_command(command);
}

ExitCode command_version(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    return report_error(Error{ErrorCode::kUsage, "", "version takes no arguments", ""});
  }
  fmt::print("seedfall {}\nengine {}\n", SEEDFALL_VERSION, engine::engine_fingerprint());
  return ExitCode::kClean;
}

}  // namespace sf::front
