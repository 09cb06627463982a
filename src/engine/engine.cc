// Process-wide settings.
//
// Everything that could make two runs differ is switched off: NaNs get one bit pattern, relaxed
// SIMD and threads do not exist, memory growth fails only at the simulated bound (address space for
// 4 GiB is reserved up front). Code is made for the x86-64 baseline, not for the machine at hand,
// so a cache folder can be shared and no result depends on the processor.
#include "engine/engine.h"

#include <fmt/format.h>

#include "base/check.h"
#include "engine/engine_impl.h"

namespace sf::engine {
namespace {

// Host functions run on the program's fiber, above its own stack, and get the difference.
constexpr std::uint64_t kHostStackBytes = 2ULL << 20;
constexpr std::uint64_t kWasmStackMin = 64ULL << 10;
constexpr std::uint64_t kWasmStackMax = 4ULL << 30;

constexpr std::uint64_t kAddressSpace = 4ULL << 30;
constexpr std::uint64_t kGuardBytes = 32ULL << 20;

void set_determinism(wasm_config_t* config) {
  wasmtime_config_cranelift_nan_canonicalization_set(config, true);
  wasmtime_config_wasm_relaxed_simd_set(config, false);
  wasmtime_config_wasm_relaxed_simd_deterministic_set(config, true);
  wasmtime_config_wasm_threads_set(config, false);
  wasmtime_config_shared_memory_set(config, false);
}

// Wasm 2.0, tail calls, and the second memory that the rewriting pass adds. What the pass refuses
// by name is off here as well.
void set_features(wasm_config_t* config) {
  wasmtime_config_wasm_tail_call_set(config, true);
  wasmtime_config_wasm_reference_types_set(config, true);
  wasmtime_config_wasm_simd_set(config, true);
  wasmtime_config_wasm_bulk_memory_set(config, true);
  wasmtime_config_wasm_multi_value_set(config, true);
  wasmtime_config_wasm_multi_memory_set(config, true);
  wasmtime_config_wasm_branch_hinting_set(config, true);   // for the tick: rewrite_code.cc
  wasmtime_config_wasm_function_references_set(config, false);
  wasmtime_config_wasm_gc_set(config, false);
  wasmtime_config_wasm_exceptions_set(config, false);
  wasmtime_config_wasm_memory64_set(config, false);
  wasmtime_config_wasm_wide_arithmetic_set(config, false);
  wasmtime_config_wasm_custom_page_sizes_set(config, false);
  wasmtime_config_wasm_stack_switching_set(config, false);
}

void set_memory(wasm_config_t* config) {
  wasmtime_config_memory_may_move_set(config, false);
  wasmtime_config_memory_reservation_set(config, kAddressSpace);
  wasmtime_config_memory_guard_size_set(config, kGuardBytes);
  wasmtime_config_memory_init_cow_set(config, true);
}

}  // namespace

EngineHandle make_wasmtime_engine(const EngineOptions& options, Optimization optimization,
                                  CompilerThreads threads) {
  wasm_config_t* config = wasm_config_new();
  set_determinism(config);
  set_features(config);
  set_memory(config);
  wasmtime_config_max_wasm_stack_set(config, options.wasm_stack_bytes);
  wasmtime_config_async_stack_size_set(config, options.wasm_stack_bytes + kHostStackBytes);
  wasmtime_config_native_unwind_info_set(config, false);
  wasmtime_config_parallel_compilation_set(config, threads == CompilerThreads::kMany);
  wasmtime_config_cranelift_opt_level_set(
      config, optimization == Optimization::kSpeed ? WASMTIME_OPT_LEVEL_SPEED
                                                   : WASMTIME_OPT_LEVEL_NONE);
  const std::string error =
      take_message(wasmtime_config_target_set(config, "x86_64-unknown-linux-gnu"));
  SF_CHECK_MSG(error.empty(), error);
  return EngineHandle(wasm_engine_new_with_config(config));  // takes the config
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(const EngineOptions& options) {
  if (options.wasm_stack_bytes < kWasmStackMin || options.wasm_stack_bytes > kWasmStackMax) {
    return usage_error("", fmt::format("a wasm stack of {} bytes is out of range",
                                       options.wasm_stack_bytes),
                       fmt::format("give {} to {}", kWasmStackMin, kWasmStackMax));
  }
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->handle = make_wasmtime_engine(options, Optimization::kSpeed, CompilerThreads::kNone);
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

}  // namespace sf::engine
