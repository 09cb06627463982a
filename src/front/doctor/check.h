// The checks of `seedfall doctor`: each says what it found and, unless all is well, what to type.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sf::front::doctor {

enum class Level : std::uint8_t {
  kOk,
  kAdvice,    // runs work, but something is slower, or a kind of guest cannot be built
  kProblem,   // runs will not work
};

struct Check {
  std::string id;      // stable: "go", "cache", "limits.files"
  Level level = Level::kOk;
  std::string text;    // what was found
  std::string fix;     // what to do; empty when all is well
};

// Told what is being done, for progress lines.
using Progress = std::function<void(const std::string&)>;

// seedfall itself, its folders, the host's limits.
std::vector<Check> check_host();
// Go: its version, a program of ours that is built and run, preemption.
std::vector<Check> check_go(const Progress& progress);
// What C, C++ and Rust guests need; nothing of it is needed for Go.
std::vector<Check> check_other_toolchains();
// Whether a Go package builds and loads; if not, which import is the cause.
std::vector<Check> check_package(const std::string& package, const Progress& progress);

// ---- for the checks and their tests
// Major and minor version of "go1.26.8" or "go1.27rc1"; {0, 0} for anything else.
struct GoVersion {
  int major = 0;
  int minor = 0;
};
GoVersion parse_go_version(const std::string& text);

// What go's output blames, and what to do about it.
struct Blame {
  std::string package;   // import path; empty when the output names none
  std::string reason;    // "uses memory maps, which wasip1 does not have"
  std::string fix;
};
Blame blame_in(const std::string& output);

}  // namespace sf::front::doctor
