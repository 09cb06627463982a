// From Wasmtime's callbacks to host functions and back.
//
// Functions that never wait use the unchecked form: raw values in an array, results over the
// arguments. Those that may wait, and the tick, use the asynchronous form: the callback answers
// with a continuation, which every poll of the fiber asks whether the call is over. All C++ frames
// are gone by then. Exceptions would cross Rust and the fiber, so the callbacks are noexcept.
#include <bit>

#include <fmt/format.h>

#include "base/check.h"
#include "engine/instance_impl.h"

namespace sf::engine {
namespace {

constexpr std::string_view kEndText = "seedfall: the host ended the program";

wasm_trap_t* end_trap() { return wasmtime_trap_new(kEndText.data(), kEndText.size()); }

Instance::Impl& instance_of(wasmtime_caller_t* caller) {
  void* data = wasmtime_context_get_data(wasmtime_caller_context(caller));
  return *static_cast<Instance::Impl*>(data);
}

Slot slot_of(const wasmtime_val_t& value) {
  switch (value.kind) {
    case WASMTIME_I32: return static_cast<std::uint32_t>(value.of.i32);
    case WASMTIME_F32: return std::bit_cast<std::uint32_t>(value.of.f32);
    case WASMTIME_F64: return std::bit_cast<std::uint64_t>(value.of.f64);
    default: return static_cast<std::uint64_t>(value.of.i64);
  }
}

void store_result(wasmtime_val_t* out, char type, Slot slot) {
  switch (type) {
    case 0: return;
    case 'i':
      out->kind = WASMTIME_I32;
      out->of.i32 = static_cast<std::int32_t>(slot);
      return;
    case 'f':
      out->kind = WASMTIME_F32;
      out->of.f32 = std::bit_cast<float>(static_cast<std::uint32_t>(slot));
      return;
    case 'F':
      out->kind = WASMTIME_F64;
      out->of.f64 = std::bit_cast<double>(slot);
      return;
    default:
      out->kind = WASMTIME_I64;
      out->of.i64 = static_cast<std::int64_t>(slot);
  }
}

bool already_done(void*) { return true; }

// Asked by every poll of the fiber that waits.
bool is_answered(void* data) {
  auto& self = *static_cast<Instance::Impl*>(data);
  if (self.state != State::kAnswered) return false;
  store_result(self.wait_result, self.wait_type, self.answer);
  self.state = State::kRunning;
  return true;
}

// What an asynchronous host call does with its outcome.
void conclude(Instance::Impl& self, CallOutcome outcome, Slot slot, char type,
              wasmtime_val_t* results, wasm_trap_t** trap,
              wasmtime_async_continuation_t* continuation) {
  *continuation = {already_done, nullptr, nullptr};
  switch (outcome) {
    case CallOutcome::kReturn:
      store_result(results, type, slot);
      return;
    case CallOutcome::kWait:
      self.begin_wait(results, type);
      *continuation = {is_answered, &self, nullptr};
      return;
    case CallOutcome::kEnd:
      self.ending = true;
      *trap = end_trap();
  }
}

}  // namespace

wasm_trap_t* call_host(void* data, wasmtime_caller_t* caller, wasmtime_val_raw_t* values,
                       std::size_t) noexcept {
  const auto& bound = *static_cast<const BoundFunction*>(data);
  Instance::Impl& self = instance_of(caller);
  self.begin_host_call(false);
  Slot arguments[kParametersMax];
  for (std::size_t i = 0; i < bound.parameters; ++i) {
    const auto wide = static_cast<Slot>(values[i].i64);
    arguments[i] = (bound.narrow >> i) & 1 ? static_cast<std::uint32_t>(wide) : wide;
  }
  Slot result = 0;
  switch (bound.function->code(*self.environment, arguments, &result)) {
    case CallOutcome::kReturn:
      if (bound.has_result) values[0].i64 = static_cast<std::int64_t>(result);
      return nullptr;
    case CallOutcome::kWait:
      SF_CHECK_MSG(false, fmt::format("host function {}.{} waits, but is not declared to",
                                      bound.function->module, bound.function->name));
    case CallOutcome::kEnd:
      break;
  }
  self.ending = true;
  return end_trap();
}

void call_host_may_wait(void* data, wasmtime_caller_t* caller, const wasmtime_val_t* arguments,
                        std::size_t argument_count, wasmtime_val_t* results, std::size_t,
                        wasm_trap_t** trap,
                        wasmtime_async_continuation_t* continuation) noexcept {
  const auto& bound = *static_cast<const BoundFunction*>(data);
  Instance::Impl& self = instance_of(caller);
  self.begin_host_call(false);
  Slot slots[kParametersMax];
  for (std::size_t i = 0; i < argument_count; ++i) slots[i] = slot_of(arguments[i]);
  Slot result = 0;
  const CallOutcome outcome = bound.function->code(*self.environment, slots, &result);
  const char type = bound.has_result ? bound.function->result[0] : '\0';
  conclude(self, outcome, result, type, results, trap, continuation);
}

void call_tick(void*, wasmtime_caller_t* caller, const wasmtime_val_t* arguments, std::size_t,
               wasmtime_val_t* results, std::size_t, wasm_trap_t** trap,
               wasmtime_async_continuation_t* continuation) noexcept {
  Instance::Impl& self = instance_of(caller);
  self.begin_host_call(true);
  Slot budget = 0;
  const CallOutcome outcome = self.environment->tick(
      static_cast<std::uint64_t>(arguments[0].of.i64),
      static_cast<std::uint32_t>(arguments[1].of.i32), &budget);
  conclude(self, outcome, budget, 'I', results, trap, continuation);
}

}  // namespace sf::engine
