// The engine: compiled programs and their running instances, on Wasmtime's C API.
//
// Engine   process-wide settings (determinism switches, stack and memory bounds).
// Program  one compiled module with its import table resolved against the host functions.
// Instance one running program: resumes until it waits, returns, ends or traps.
//
// Rules: one thread. Programs are compiled in another process (compile.h) and only loaded here, so
// the process stays single-threaded and may fork() any time, even inside a host call.
// Host functions run on the program's own fiber; they must not throw and must leave no C++ frame
// behind when they answer kWait.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/host_call.h"

namespace sf::engine {

struct EngineOptions {
  std::uint64_t wasm_stack_bytes = 64ULL << 20;   // recursion bound; overflow is a trap
  bool huge_pages = false;   // advise huge pages for linear memory: cheaper fork() of large runs
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One line of a program's stack: "main.(*store).append", "example.com/kvlog/server/store.go", 88.
// file is empty and line 0 when the program carries no tables for it.
struct StackFrame {
  std::string function;
  std::string file;
  std::int32_t line = 0;
};

class Program {
 public:
  // Loads machine code made by compile_program (compile.h) for this engine version. `functions`
  // must outlive the program. An import that is not among them, or has another type, is an error
  // that names it ("imports env.foo, which seedfall does not offer").
  static Result<std::unique_ptr<Program>> load(const Engine& engine, const std::string& code_path,
                                               std::span<const HostFunction> functions);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Whether the bytes [address, address + size) lie in one initialised data segment of the module:
  // then they are constants of its source.
  bool in_data_segment(std::uint64_t address, std::uint64_t size) const;

  // Whether the module imports this function (an SDK call, for instance).
  bool imports(std::string_view module, std::string_view name) const;

  // Made by the stock Go toolchain, as its imports and globals tell.
  bool is_go() const;

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

enum class Stop : std::uint8_t {
  kWaiting,   // in a host call or tick that answered kWait
  kReturned,  // _start returned
  kEnded,     // a host call answered kEnd
  kTrapped,   // see Instance::trap
};

struct Trap {
  std::string message;             // "out of bounds memory access", "call stack exhausted", …
  std::vector<StackFrame> stack;   // innermost first, at most 32
};

class Instance {
 public:
  // Instantiates; does not run any code. `memory_bytes_max` bounds the linear memory: growth beyond
  // it fails inside the program. An initial memory above the bound is an error.
  static Result<std::unique_ptr<Instance>> create(const Program& program,
                                                  HostEnvironment& environment,
                                                  std::uint64_t memory_bytes_max);
  // Whether create() succeeds: it does for each further instance if it does once, as long as the
  // host has memory.
  static Result<void> check(const Program& program, std::uint64_t memory_bytes_max);
  // Also the way to kill a suspended program; runs none of its code.
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Runs until the program waits, ends, returns or traps. Requires that it has not stopped for good
  // and, after kWaiting, that finish_wait was called.
  Stop resume();

  // The answer to the host call or tick that waits.
  void finish_wait(Slot result);

  // Ticks left: one is used per function entry and loop header, and the one that makes it negative
  // asks HostEnvironment::tick, which therefore sees -1. Usable at any time, also from inside host
  // calls and while the program waits; costs a memory access. Below zero, the next entry, header or
  // host call of the program asks.
  std::int64_t budget() const;
  void set_budget(std::int64_t ticks);

  // Linear memory: base address and present size. The base never moves; the size only grows.
  std::span<std::byte> memory() const;

  // Gathers the linear memory in huge pages, where the kernel can (MADV_COLLAPSE, Linux 6.1): Go
  // grows its memory in steps too small to get any by itself. Costs some milliseconds per 2 MiB
  // once, and makes each later fork() of the process several times cheaper. Best effort.
  void prepare_for_forks() const;

  const Trap& trap() const;

  // The program's stack as Go's own tables tell it, innermost first, at most 32: from inside a tick
  // (g and sp as the tick gave them) or a host call (0, 0: sp as it is), while it waits in one, or
  // after a trap. Best effort: empty for programs without such tables. Costs a few microseconds.
  std::vector<StackFrame> go_stack(std::uint64_t g, std::uint32_t sp) const;

  // ---- for the preemption of goroutines, from inside a tick of a Go program only (go_preempt.cc)
  // Where the program is: function and resume point, see go_tables.h.
  std::uint64_t go_pc() const;
  // Whether that is in a function of locks, atomic operations, channels or goroutines.
  bool at_go_edge() const;
  // Makes goroutine g, as the tick gave it, yield at the next function entry with a stack check;
  // false: it is none that can be preempted. Only where the layout of g was verified.
  bool preempt_goroutine(std::uint64_t g) const;
  // The innermost place outside the runtime and package sync; else the innermost; else empty.
  StackFrame go_place(std::uint64_t g, std::uint32_t sp) const;

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  static Result<std::unique_ptr<Impl>> set_up(const Program& program, HostEnvironment* environment,
                                              std::uint64_t memory_bytes_max);
  explicit Instance(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sf::engine
