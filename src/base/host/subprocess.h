// Child processes of the host: compilers, and our own workers' exec form.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sf::host {

struct Command {
  std::vector<std::string> arguments;                              // [0] is looked up in PATH
  std::string directory;                                           // empty: the current one
  std::vector<std::pair<std::string, std::string>> environment;    // added to ours
  std::uint64_t output_limit_bytes = 4 << 20;                      // the rest is dropped
};

struct Completed {
  int exit_code = 0;         // 128 + signal when killed by one
  std::string output;        // stdout and stderr together, in order of arrival
};

// Runs the command to its end. The child dies with us. Fails only when it cannot be started.
Result<Completed> run_command(const Command& command);

// A wall-time stopwatch for progress lines and reports; never used inside a run.
class Stopwatch {
 public:
  Stopwatch();
  double seconds() const;
  static double process_cpu_seconds();   // user and system time of this process

 private:
  std::int64_t start_ns_;
};

unsigned processor_count();              // processors this process may use, at least 1

}  // namespace sf::host
