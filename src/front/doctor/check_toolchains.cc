// Each compiler is tried with a small program: that it is installed does not mean that it has what
// it needs for WASI.
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "base/strings.h"
#include "front/doctor/check.h"
#include "front/doctor/try_program.h"
#include "world/c_toolchain.h"

namespace sf::front::doctor {
namespace {

constexpr std::string_view kRust = "rustup target add wasm32-wasip1";

constexpr std::string_view kCProbe =
    "#include <stdio.h>\nint main(void) { return puts(\"probe\") < 0; }\n";
constexpr std::string_view kRustProbe = "fn main() { println!(\"probe\"); }\n";

// The first line of what a tool says of its version; nothing when there is no such tool.
std::optional<std::string> version_of(const std::string& tool) {
  const auto done = host::run_command({.arguments = {tool, "--version"}});
  if (!done || done->exit_code != 0) return std::nullopt;
  return done->output.substr(0, done->output.find('\n'));
}

struct Trial {
  const char* id;
  std::string tool;
  std::string version;
  std::string guests;                    // "C guests"
  std::string source_name;               // "probe.c"
  std::string_view source;
  std::vector<std::string> arguments;    // after the tool's name; writes probe.wasm
  std::string fix;
};

// Compiles the program and runs what comes out.
Check try_compiler(const Trial& trial) {
  const auto advice = [&](const std::string& what) {
    return Check{trial.id, Level::kAdvice,
                 fmt::format("{} {}; {} cannot be built", trial.version, what, trial.guests),
                 trial.fix};
  };
  const Scratch scratch;
  if (!scratch.path()) return advice(scratch.path().error().text());
  const std::string& folder = *scratch.path();
  if (const auto written = host::write_file(folder + "/" + trial.source_name, trial.source);
      !written) {
    return advice(written.error().text());
  }
  std::vector<std::string> arguments = {trial.tool};
  arguments.insert(arguments.end(), trial.arguments.begin(), trial.arguments.end());
  const auto done = host::run_command({.arguments = arguments, .directory = folder});
  if (!done || done->exit_code != 0) {
    const std::string output = done ? done->output : done.error().text();
    return advice("cannot compile for WASI: " + excerpt(output.substr(0, output.find('\n')), 200));
  }
  const auto found = try_program("wasm", "./probe.wasm", folder);
  if (!found) return advice("makes programs that do not load: " + found.error().text());
  if (!found->message.empty()) return advice("makes programs that do not run: " + found->message);
  return {trial.id, Level::kOk,
          fmt::format("{}: a program for WASI compiles and runs", trial.version), ""};
}

// The compiler that builds would take.
Check check_clang() {
  const auto clang = world::find_c_toolchain("");
  if (!clang) {
    return {"clang", Level::kAdvice,
            clang.error().message + ": C and C++ guests cannot be built", clang.error().hint};
  }
  const std::string version = clang->identity.substr(0, clang->identity.find('\n'));
  return try_compiler({"clang", clang->program, version, "C and C++ guests", "probe.c", kCProbe,
                       {"--target=wasm32-wasi", "-O1", "-o", "probe.wasm", "probe.c"},
                       "as root: apt-get install " + world::c_packages(clang->version)});
}

Check check_rust() {
  const auto version = version_of("rustc");
  if (!version) {
    return {"rustc", Level::kAdvice,
            "rustc is not here: Rust guests cannot be built; nothing else needs it",
            "install Rust (https://rustup.rs), then: " + std::string(kRust)};
  }
  // Rust 1.78 renamed the target.
  const auto targets = host::run_command({.arguments = {"rustc", "--print", "target-list"}});
  const bool renamed =
      targets && targets->output.find("wasm32-wasip1\n") != std::string::npos;
  const std::string target = renamed ? "wasm32-wasip1" : "wasm32-wasi";
  return try_compiler({"rustc", "rustc", *version, "Rust guests", "probe.rs", kRustProbe,
                       {"--target=" + target, "-O", "-o", "probe.wasm", "probe.rs"},
                       std::string(kRust)});
}

}  // namespace

std::vector<Check> check_other_toolchains() { return {check_clang(), check_rust()}; }

}  // namespace sf::front::doctor
