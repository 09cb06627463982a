// What stands behind Engine, Program and Instance. Only the engine's own .cc files include this.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile.h"
#include "engine/engine.h"
#include "engine/go_tables.h"
#include "engine/module_info.h"
#include "engine/wasmtime_api.h"

namespace sf::engine {

// Settings shared by the process that compiles and the process that runs: code made under other
// settings is refused by Wasmtime when it is loaded. Validate options first: bad ones abort.
enum class CompilerThreads : std::uint8_t { kNone, kMany };   // kNone keeps the process fork-safe
EngineHandle make_wasmtime_engine(const EngineOptions& options, Optimization optimization,
                                  CompilerThreads threads);

struct Engine::Impl {
  EngineOptions options;
  EngineHandle handle;
};

inline constexpr std::size_t kParametersMax = 16;

// One import of a program, bound to the host function that answers it.
struct BoundFunction {
  const HostFunction* function = nullptr;
  std::size_t parameters = 0;
  std::uint32_t narrow = 0;   // bit i: parameter i has 32 bits
  bool has_result = false;
};

// Whether a function is one around which schedules matter.
enum class GoEdge : std::uint8_t { kUnknown, kNo, kYes };

struct Program::Impl {
  const Engine* engine = nullptr;
  std::string code_path;
  ModuleInfo info;
  ModuleHandle module;
  std::vector<std::unique_ptr<BoundFunction>> bound;   // stable addresses: callbacks hold them
  LinkerHandle linker;
  InstancePreHandle pre;

  // Go's tables in the memory of one of its instances; nothing for other programs.
  std::optional<GoTables> go_tables(std::span<const std::byte> memory) const;
  mutable std::optional<GoTables::Place> go_place;   // found once
  mutable std::vector<GoEdge> go_edges;              // by function with a body, looked up once
};

// The callbacks that Wasmtime calls; data is a BoundFunction, or nothing for the tick.
wasm_trap_t* call_host(void* data, wasmtime_caller_t* caller, wasmtime_val_raw_t* values,
                       std::size_t count) noexcept;
void call_host_may_wait(void* data, wasmtime_caller_t* caller, const wasmtime_val_t* arguments,
                        std::size_t argument_count, wasmtime_val_t* results,
                        std::size_t result_count, wasm_trap_t** trap,
                        wasmtime_async_continuation_t* continuation) noexcept;
void call_tick(void* data, wasmtime_caller_t* caller, const wasmtime_val_t* arguments,
               std::size_t argument_count, wasmtime_val_t* results, std::size_t result_count,
               wasm_trap_t** trap, wasmtime_async_continuation_t* continuation) noexcept;

}  // namespace sf::engine
