// From a wasm file to machine code on disk: check, rewrite (rewrite.h), compile, cache by content.
//
// Compiling starts threads, so it happens in a child process (the program's own hidden command
// "internal-compile"); the simulating process only loads the result.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace sf::engine {

enum class Optimization : std::uint8_t { kSpeed, kNone };

struct CompileOptions {
  Optimization optimization = Optimization::kSpeed;
  bool tick = true;                 // insert the tick; only benchmarks switch it off
};

struct Compiled {
  std::string code_path;            // a .cwasm in the cache, for Program::load
  std::string wasm_hash;            // XXH3-128 of the input, 32 hex digits
  bool from_cache = false;
};

// Compiles the module unless the cache already holds it. Errors name the file and what is wrong
// with it: not wasm, truncated, invalid (with byte offset), an unsupported feature.
Result<Compiled> compile_program(const std::string& wasm_path, const CompileOptions& options = {});

// The program that compiles, called as `<program> internal-compile <wasm> <code> <flags>`; the
// running program unless set, "" for that again. For tests and tools whose main lacks the command.
void set_compiler_program(std::string path);

// The command line after "internal-compile" as compile_program writes it: wasm, code, flags. What a
// main function calls for that hidden command. Returns the process's exit code.
int internal_compile(std::span<const std::string> arguments);

// The child's side: reads wasm, writes code. Returns the process's exit code; errors go to stderr.
int compile_in_this_process(const std::string& wasm_path, const std::string& code_path,
                            const CompileOptions& options);

// Names everything that makes machine code incompatible: engine version, settings, pass version.
std::string engine_fingerprint();

}  // namespace sf::engine
