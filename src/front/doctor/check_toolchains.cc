// Each compiler is tried with a small program: that it is installed does not mean that it has what
// it needs for WASI.
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/streams.h"
#include "base/host/subprocess.h"
#include "base/strings.h"
#include "front/doctor/check.h"
#include "front/doctor/try_program.h"
#include "world/c_toolchain.h"

namespace sf::front::doctor {
namespace {

// What examples/minimal-rust/build looks for, with the packages that its README names.
constexpr std::string_view kInstallRust =
    "as root: apt-get install --no-install-recommends rustc libstd-rust-dev-wasm32 lld-19";
constexpr const char* kDebiansRust = "/usr/bin/rustc";
constexpr const char* kLinkers[] = {"wasm-ld-19", "wasm-ld", "wasm-ld-16", "wasm-ld-14"};

constexpr std::string_view kCProbe =
    "#include <stdio.h>\nint main(void) { return puts(\"probe\") < 0; }\n";
// Needs the headers of C++, and its library to link.
constexpr std::string_view kCxxProbe =
    "#include <cstdio>\n#include <map>\n#include <string>\nint main() {\n"
    "  std::map<std::string, int> m;\n  m[\"probe\"] = 1;\n"
    "  return std::puts(m.begin()->first.c_str()) < 0;\n}\n";
constexpr std::string_view kRustProbe = "fn main() { println!(\"probe\"); }\n";

// The first line that a tool answers with; nothing when it cannot be asked or fails.
std::optional<std::string> answer_of(std::vector<std::string> command) {
  const auto done = host::run_command({.arguments = std::move(command)});
  if (!done || done->exit_code != 0) return std::nullopt;
  return done->output.substr(0, done->output.find('\n'));
}

std::optional<std::string> version_of(const std::string& tool) {
  return answer_of({tool, "--version"});
}

struct Trial {
  const char* id;
  std::string tool;
  std::string version;
  std::string language;                  // "C++"
  std::string source_name;               // "probe.c"
  std::string_view source;
  std::vector<std::string> arguments;    // after the tool's name; writes probe.wasm
  std::string fix;
};

// Compiles the program and runs what comes out.
Check try_compiler(const Trial& trial) {
  const auto advice = [&](const std::string& what) {
    return Check{trial.id, Level::kAdvice,
                 fmt::format("{} {}; {} guests cannot be built", trial.version, what,
                             trial.language),
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
          fmt::format("{}: a {} program for WASI compiles and runs", trial.version,
                      trial.language), ""};
}

// The compiler that builds would take, for both languages: the libraries of C++ are packages of
// their own.
std::vector<Check> check_clang() {
  const auto clang = world::find_c_toolchain("");
  if (!clang) {
    return {{"clang", Level::kAdvice,
             clang.error().message + ": C and C++ guests cannot be built", clang.error().hint}};
  }
  const std::string version = clang->identity.substr(0, clang->identity.find('\n'));
  const std::string fix = "as root: apt-get install " + world::c_packages(clang->version);
  Trial trial{"clang", clang->program, version, "C", "probe.c", kCProbe,
              {"--target=wasm32-wasi", "-O1", "-o", "probe.wasm", "probe.c"}, fix};
  std::vector<Check> checks = {try_compiler(trial)};
  trial.id = "clang++";
  trial.language = "C++";
  trial.source_name = "probe.cc";
  trial.source = kCxxProbe;
  trial.arguments = {"--target=wasm32-wasi", "--driver-mode=g++", "-fno-exceptions", "-O1",
                     "-o",                   "probe.wasm",        "probe.cc"};
  checks.push_back(try_compiler(trial));
  return checks;
}

// The name under which this compiler has a library for WASI; Rust 1.78 renamed the target.
std::optional<std::string> wasi_target_of(const std::string& rustc) {
  for (const char* target : {"wasm32-wasi", "wasm32-wasip1"}) {
    const auto folder = answer_of({rustc, "--print", "target-libdir", "--target", target});
    if (folder && host::is_directory(*folder)) return target;
  }
  return std::nullopt;
}

// Debian's compiler expects a linker that it does not bring.
std::optional<std::string> find_linker() {
  for (const char* linker : kLinkers) {
    if (answer_of({linker, "--version"})) return linker;
  }
  return std::nullopt;
}

// The compiler that the example's build takes; without it the one in PATH, which is the user's own.
Check check_rust() {
  const auto advice = [](const std::string& what) {
    return Check{"rustc", Level::kAdvice, what + "; Rust guests cannot be built",
                 std::string(kInstallRust)};
  };
  const std::string named = host::environment_variable("RUSTC_WASI").value_or("");
  std::string rustc = named.empty() ? kDebiansRust : named;
  auto version = version_of(rustc);
  if (!version && !named.empty()) return advice(rustc + " (RUSTC_WASI) cannot run");
  auto target = version ? wasi_target_of(rustc) : std::nullopt;
  if (!target && named.empty()) {
    const auto other = version_of("rustc");
    const auto others_target = other ? wasi_target_of("rustc") : std::nullopt;
    if (others_target || !version) {
      rustc = "rustc";
      version = other;
      target = others_target;
    }
  }
  if (!version) return advice("rustc is not here");
  const std::string title = fmt::format("{} ({})", *version, rustc);
  if (!target) return advice(title + " has no library for wasm32-wasi");
  Trial trial{"rustc", rustc, title, "Rust", "probe.rs", kRustProbe,
              {"--target=" + *target, "-O", "-o", "probe.wasm", "probe.rs"},
              std::string(kInstallRust)};
  if (*target == "wasm32-wasi") {
    const auto linker = find_linker();
    if (!linker) return advice(title + " needs a wasm-ld, and there is none");
    trial.arguments.insert(trial.arguments.end(), {"-C", "linker=" + *linker, "-C",
                                                   "link-arg=--no-fatal-warnings"});
  }
  return try_compiler(trial);
}

}  // namespace

std::vector<Check> check_other_toolchains() {
  std::vector<Check> checks = check_clang();
  checks.push_back(check_rust());
  return checks;
}

}  // namespace sf::front::doctor
