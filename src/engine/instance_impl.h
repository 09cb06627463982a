// The inside of an Instance, shared by its three files: instance.cc (life), host_thunks.cc (host
// calls), trap.cc (stacks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/engine_impl.h"

namespace sf::engine {

// kAnswered: finish_wait was called, resume not yet.
enum class State : std::uint8_t { kFresh, kRunning, kWaiting, kAnswered, kStopped };

struct Instance::Impl {
  const Program* program = nullptr;
  HostEnvironment* environment = nullptr;
  StoreHandle store;
  wasmtime_context_t* context = nullptr;
  wasmtime_instance_t instance{};
  wasmtime_func_t entry{};
  wasmtime_memory_t memory{};
  wasmtime_global_t go_g{};
  wasmtime_global_t go_sp{};
  bool has_memory = false;
  std::byte* base = nullptr;
  std::int64_t* control = nullptr;       // see kControlBudget
  FutureHandle future;                   // after the store: must go first
  wasm_trap_t* raw_trap = nullptr;       // written by the future
  wasmtime_error_t* raw_error = nullptr;

  State state = State::kFresh;
  bool in_tick = false;                  // the last stop was a tick: control holds the PC
  bool ending = false;                   // a host call answered kEnd
  mutable bool size_known = false;
  mutable std::uint64_t size = 0;
  std::uint32_t stopped_sp = 0;          // Go's SP when it began to wait
  wasmtime_val_t* wait_result = nullptr;
  char wait_type = 0;                    // of the result; 0 for none
  Slot answer = 0;
  Trap trap;

  Result<void> instantiate();
  void find_exports();
  std::uint64_t memory_size() const;
  std::uint32_t read_go_sp() const;
  void begin_host_call(bool tick);
  void begin_wait(wasmtime_val_t* result, char type);
  Stop finish();
  void describe_trap();
  std::vector<StackFrame> stack_of(const wasm_frame_vec_t& frames) const;
  std::vector<StackFrame> go_stack_after_trap(const wasm_frame_vec_t& frames) const;
  std::optional<std::uint32_t> defined_index(const wasm_frame_t& frame) const;
  const ModuleInfo& info() const { return program->impl().info; }
};

}  // namespace sf::engine
