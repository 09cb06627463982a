// What is missing is told from what clang says about it: probing for each package before each build
// would cost more time than a cached build takes.
#include "world/c_toolchain.h"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

#include "base/host/subprocess.h"

namespace sf::world {
namespace {

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("SEEDFALL_CLANG"); named != nullptr && *named != '\0') {
    return {named};
  }
  std::vector<std::string> names = {fmt::format("clang-{}", kClangUsual)};
  constexpr int kNewestTried = 30;
  for (int version = kNewestTried; version >= kClangOldest; --version) {
    if (version != kClangUsual) names.push_back(fmt::format("clang-{}", version));
  }
  names.push_back("clang");
  return names;
}

// 19 from "Debian clang version 19.1.7 (3~deb12u1)"; 0 if that is not what it says.
int version_in(std::string_view text) {
  constexpr std::string_view kBefore = "clang version ";
  const auto at = text.find(kBefore);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + kBefore.size());
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

std::string install(const std::string& packages) {
  return "install Debian's packages: apt-get install " + packages;
}

struct Symptom {
  std::string_view text;       // in the output
  std::string_view packages;   // {} is the version
};

constexpr Symptom kMissingPackages[] = {
    {"unable to execute command: Executable \"wasm-ld", "lld-{}"},
    {"unable to execute command: posix_spawn failed", "lld-{}"},
    {"invalid linker name", "lld-{}"},
    {"crt1-command.o", "wasi-libc"},
    {"crt1.o: No such file", "wasi-libc"},
    {"'stdio.h' file not found", "wasi-libc"},
    {"'stdlib.h' file not found", "wasi-libc"},
    {"'bits/alltypes.h' file not found", "wasi-libc"},
    {"libclang_rt.builtins", "libclang-rt-{}-dev-wasm32"},
    {"unable to find library -lc++", "libc++-{0}-dev-wasm32 libc++abi-{0}-dev-wasm32"},
    {"unable to find library -lc", "wasi-libc"},
    {"'cstddef' file not found", "libc++-{0}-dev-wasm32 libc++abi-{0}-dev-wasm32"},
    {"'string' file not found", "libc++-{0}-dev-wasm32 libc++abi-{0}-dev-wasm32"},
    {"'vector' file not found", "libc++-{0}-dev-wasm32 libc++abi-{0}-dev-wasm32"},
    {"'iostream' file not found", "libc++-{0}-dev-wasm32 libc++abi-{0}-dev-wasm32"},
};

bool has(const std::string& output, std::string_view text) {
  return output.find(text) != std::string::npos;
}

bool lacks_file(const std::string& output) {
  return has(output, "cannot open") || has(output, "file not found") ||
         has(output, "No such file") || has(output, "unable to");
}

}  // namespace

std::string c_packages(int version) {
  return fmt::format("clang-{0} lld-{0} wasi-libc libclang-rt-{0}-dev-wasm32 "
                     "libc++-{0}-dev-wasm32 libc++abi-{0}-dev-wasm32", version);
}

Result<CToolchain> find_c_toolchain(const std::string& where) {
  for (const std::string& name : candidates()) {
    const auto done = host::run_command({.arguments = {name, "--version"}, .directory = "",
                                         .environment = {{"LC_ALL", "C"}}});
    if (!done) continue;
    CToolchain found{.program = name, .version = version_in(done->output),
                     .identity = done->output};
    if (done->exit_code != 0 || found.version == 0) {
      return cannot_run(where, fmt::format("{} --version does not answer like clang", name),
                        install(c_packages(kClangUsual)));
    }
    if (found.version < kClangOldest) {
      return cannot_run(where, fmt::format("{} is version {}; C guests need {} or later", name,
                                           found.version, kClangOldest),
                        install(c_packages(kClangUsual)));
    }
    return found;
  }
  const char* named = std::getenv("SEEDFALL_CLANG");
  return cannot_run(where, fmt::format("there is no compiler for C: {}",
                                       named != nullptr && *named != '\0'
                                           ? std::string(named) + " (SEEDFALL_CLANG) cannot run"
                                           : fmt::format("neither clang-{} nor another clang "
                                                         "is in PATH", kClangUsual)),
                    install(c_packages(kClangUsual)));
}

std::string hint_for_c_failure(const std::string& output, const CToolchain& toolchain) {
  if (has(output, "undefined symbol: __cxa_throw") ||
      has(output, "undefined symbol: __cxa_allocate_exception") ||
      has(output, "with exceptions disabled")) {
    return "C++ exceptions do not exist on wasm32-wasi: build without throw, try and catch";
  }
  if (has(output, "undefined symbol: main")) return "no source defines main";
  if (!lacks_file(output)) return "";
  for (const Symptom& symptom : kMissingPackages) {
    if (!has(output, symptom.text)) continue;
    return install(fmt::format(fmt::runtime(symptom.packages), toolchain.version));
  }
  return "";
}

}  // namespace sf::world
