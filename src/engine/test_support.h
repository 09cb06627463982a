// Helpers for the engine's tests: modules built byte by byte, and a small world to run them in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/compile.h"
#include "engine/engine.h"
#include "engine/host_call.h"
#include "engine/wasm_format.h"
#include "engine/wasm_reader.h"

namespace sf::engine::testing {

// Builds a module section by section. Types are spelled as in HostFunction. Function indices count
// imports first, so import everything before the first function.
class ModuleBuilder {
 public:
  std::uint32_t type(std::string_view parameters, std::string_view results);
  std::uint32_t import(std::string_view module, std::string_view name, std::string_view parameters,
                       std::string_view results);
  // `code` without the final end. Locals are spelled like types.
  std::uint32_t function(std::string_view parameters, std::string_view results,
                         std::string_view locals, const WasmWriter& code);
  void export_function(std::string_view name, std::uint32_t function);
  void export_memory();
  void memory(std::uint32_t pages_min) { memory_pages_ = static_cast<int>(pages_min); }
  void start(std::uint32_t function) { start_ = static_cast<int>(function); }
  void data(std::uint32_t address, std::string_view bytes) { data_.emplace_back(address, bytes); }
  void passive_data(std::string_view bytes) { data_.emplace_back(-1, bytes); }
  void table(std::vector<std::uint32_t> functions) { table_ = std::move(functions); }
  void name_function(std::uint32_t function, std::string_view name) {
    names_.emplace_back(function, name);
  }
  // A raw section in place of the one that would be written.
  void raw_section(std::uint8_t id, std::string bytes) { raw_.emplace_back(id, std::move(bytes)); }

  std::string build() const;

 private:
  std::vector<std::string> types_;
  std::vector<std::string> imports_;
  std::vector<std::uint32_t> functions_;
  std::vector<std::string> bodies_;
  std::vector<std::string> exports_;
  int memory_pages_ = -1;
  int start_ = -1;
  std::vector<std::pair<std::int64_t, std::string>> data_;
  std::vector<std::uint32_t> table_;
  std::vector<std::pair<std::uint32_t, std::string>> names_;
  std::vector<std::pair<std::uint8_t, std::string>> raw_;
};

// Short names for code.
WasmWriter& op(WasmWriter& out, std::initializer_list<int> bytes);
WasmWriter& call(WasmWriter& out, std::uint32_t function);
WasmWriter& i32(WasmWriter& out, std::int32_t value);
WasmWriter& i64(WasmWriter& out, std::int64_t value);

// A loop that counts local `local` (i32) down from `times` to 0.
void counting_loop(WasmWriter& out, std::uint32_t local, std::int32_t times,
                   const std::function<void(WasmWriter&)>& body = {});

// Answers host calls from scripts and keeps what it saw.
class TestWorld : public HostEnvironment {
 public:
  CallOutcome tick(std::uint64_t g, std::uint32_t sp, Slot* new_budget) override;

  Instance* instance = nullptr;
  std::vector<std::string> log;                 // what test.log and fd_write got
  std::string output;                           // bytes written to fd 1 and 2
  std::uint64_t ticks_asked = 0;
  std::uint64_t last_g = 0;
  std::uint32_t last_sp = 0;
  // What tick answers; the default grants a huge budget.
  std::function<CallOutcome(Slot*)> on_tick;
  // What test.wait and poll_oneoff answer; the default waits.
  std::function<CallOutcome(Slot*)> on_wait;
  std::function<void()> on_write;
  std::function<void()> on_log;
  std::uint64_t clock = 1'700'000'000'000'000'000;
  std::uint64_t random = 1;
  int exit_code = -1;
  std::vector<std::string> arguments = {"guest"};
};

// test.log (i) -> (), test.wait (i) -> i, test.end () -> (), test.add (iI) -> I, and enough of WASI
// for a Go program that prints.
std::span<const HostFunction> test_functions();

// Compiles in a child process made by fork(), into a file below the tests' folder. Fails the test.
std::string compile_bytes(const std::string& wasm, const CompileOptions& options = {});

// One engine for all tests of the process.
Engine& engine();

// A program with its world and instance.
struct Guest {
  std::unique_ptr<Program> program;
  TestWorld world;
  std::unique_ptr<Instance> instance;
};
std::unique_ptr<Guest> start(const std::string& code_path, std::uint64_t memory_bytes_max = 1 << 30,
                           const EngineOptions& options = {});

// The folder of the Go guest's source.
std::string guest_folder();

// The Go guest of tests/guests/engine/stacks as wasm, built once; "" and a
// failed test when it does not build.
std::string go_guest();
// The line of its source marked "line: <mark>".
int marked_line(std::string_view mark);

std::string scratch_directory();

}  // namespace sf::engine::testing
