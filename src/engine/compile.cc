// Compiling, in a process of its own.
//
// Wasmtime compiles on several threads, and a process that once had threads is no longer safe to
// fork() in the middle of a run. So the simulating process starts a child for it, waits, and loads
// the file. The child's complaints come back as one line on its stderr.
//
// A module is checked twice: by the rewriting pass, whose errors name sections and features, and as
// it came by Wasmtime's validator. The second is needed for safety, not for manners: an index one
// past the end of the original may name something of ours in the result, the budget's memory for
// instance. It also gives offsets that the user can look up.
#include "engine/compile.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "engine/code_cache.h"
#include "engine/code_file.h"
#include "engine/engine_impl.h"
#include "engine/rewrite.h"

namespace sf::engine {
namespace {

constexpr std::uint64_t kWasmMax = 1ULL << 30;
constexpr int kFailed = 3;

std::string& compiler_program() {
  static std::string path;
  return path;
}

std::string flags_of(const CompileOptions& options) {
  return fmt::format("{},{}", options.optimization == Optimization::kSpeed ? "speed" : "none",
                     options.tick ? "tick" : "no-tick");
}

std::span<const std::uint8_t> wasm_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Result<void> compile(const std::string& wasm_path, const std::string& code_path,
                     const CompileOptions& options) {
  SF_TRY(const std::string wasm, host::read_file(wasm_path, kWasmMax));
  SF_TRY(const Rewritten rewritten,
         rewrite_module(wasm_bytes(wasm), RewriteOptions{.tick = options.tick}));
  const EngineHandle engine =
      make_wasmtime_engine(EngineOptions{}, options.optimization, CompilerThreads::kMany);
  std::string error = take_message(
      wasmtime_module_validate(engine.get(), wasm_bytes(wasm).data(), wasm.size()));
  if (!error.empty()) return cannot_run("", "invalid WebAssembly: " + error);
  wasmtime_module_t* made = nullptr;
  error = take_message(wasmtime_module_new(engine.get(), wasm_bytes(rewritten.wasm).data(),
                                           rewritten.wasm.size(), &made));
  if (!error.empty()) {
    return cannot_run("", "cannot compile: " + error,
                      "the module itself is valid: this may be a bug in seedfall");
  }
  const ModuleHandle module(made);
  ByteVector code;
  error = take_message(wasmtime_module_serialize(module.get(), &code.vector));
  if (!error.empty()) return cannot_run("", "cannot serialize machine code: " + error);
  return write_code_file(code_path, text_of(code.vector), rewritten.info);
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Result<void> compile_in_child(const std::string& wasm_path, const std::string& code_path,
                              const CompileOptions& options) {
  const std::string program =
      compiler_program().empty() ? host::program_path() : compiler_program();
  host::Command command;
  command.arguments = {program, "internal-compile", wasm_path, code_path, flags_of(options)};
  SF_TRY(const host::Completed child, host::run_command(command));
  if (child.exit_code == 0) return {};
  std::string said = trimmed(child.output);
  if (child.exit_code == kFailed && !said.empty()) return cannot_run(wasm_path, std::move(said));
  return cannot_run(wasm_path, fmt::format("the compiler process ended with code {}{}{}",
                                           child.exit_code, said.empty() ? "" : ": ", said));
}

}  // namespace

std::string engine_fingerprint() {
  return fmt::format("wasmtime {} rewrite {} x86_64 code 1", WASMTIME_VERSION, kRewriteVersion);
}

void set_compiler_program(std::string path) { compiler_program() = std::move(path); }

Result<Compiled> compile_program(const std::string& wasm_path, const CompileOptions& options) {
  SF_TRY(const std::string wasm, host::read_file(wasm_path, kWasmMax));
  const Hash128 wasm_hash = hash128(as_bytes(wasm));
  SF_TRY(const CodeCache cache, CodeCache::open());
  Compiled out;
  out.wasm_hash = wasm_hash.hex();
  out.code_path = cache.path_of(wasm_hash, engine_fingerprint(), flags_of(options));
  out.from_cache = cache.holds(out.code_path);
  if (!out.from_cache) SF_TRY_VOID(compile_in_child(wasm_path, out.code_path, options));
  return out;
}

int compile_in_this_process(const std::string& wasm_path, const std::string& code_path,
                            const CompileOptions& options) {
  const Result<void> done = compile(wasm_path, code_path, options);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return kFailed;
}

int internal_compile(std::span<const std::string> arguments) {
  if (arguments.size() != 3) {
    std::fprintf(stderr, "internal-compile: give a wasm file, a code file and flags\n");
    return 2;
  }
  const std::string& flags = arguments[2];
  CompileOptions options;
  if (flags.starts_with("none,")) options.optimization = Optimization::kNone;
  options.tick = !flags.ends_with(",no-tick");
  return compile_in_this_process(arguments[0], arguments[1], options);
}

}  // namespace sf::engine
