// The command line: `seedfall COMMAND [flags]`.
//
// stdout carries the answer, stderr progress and errors. Exit codes: 0 clean, 1 finding, 2 usage or
// config, 3 could not run, 4 nondeterminism.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sf::front {

enum class ExitCode : int {
  kClean = 0, kFinding = 1, kUsage = 2, kCannotRun = 3, kNondeterminism = 4,
};

int main(int argc, char** argv);

// Prints the error in one line on stderr and gives its exit code.
ExitCode report_error(const Error& error);

// Says what the name may have meant.
ExitCode unknown_command(const std::string& name);

// One file per command. `arguments` are those after the command's name. exec and go end with the
// exit codes of the programs they run.
ExitCode command_run(const std::vector<std::string>& arguments);
ExitCode command_replay(const std::vector<std::string>& arguments);
ExitCode command_shrink(const std::vector<std::string>& arguments);
ExitCode command_trace(const std::vector<std::string>& arguments);
ExitCode command_init(const std::vector<std::string>& arguments);
ExitCode command_doctor(const std::vector<std::string>& arguments);
ExitCode command_schema(const std::vector<std::string>& arguments);
ExitCode command_exec(const std::vector<std::string>& arguments);
ExitCode command_go(const std::vector<std::string>& arguments);
ExitCode command_version(const std::vector<std::string>& arguments);
ExitCode command_help(const std::vector<std::string>& arguments);

}  // namespace sf::front
