// Why and where a program stopped.
//
// For Go programs the stack comes from Go's own (go_tables.h), for others from Wasmtime's frames
// and the name section. Our own functions are left out. Messages are ours, not Wasmtime's, so that
// they stay the same over its versions.
#include <fmt/format.h>

#include "base/strings.h"
#include "engine/instance_impl.h"
#include "engine/rewrite.h"

namespace sf::engine {
namespace {

constexpr std::size_t kFramesMax = 32;

std::string_view trap_text(wasmtime_trap_code_t code) {
  switch (code) {
    case WASMTIME_TRAP_CODE_STACK_OVERFLOW: return "call stack exhausted";
    case WASMTIME_TRAP_CODE_MEMORY_OUT_OF_BOUNDS: return "out of bounds memory access";
    case WASMTIME_TRAP_CODE_TABLE_OUT_OF_BOUNDS: return "out of bounds table access";
    case WASMTIME_TRAP_CODE_INDIRECT_CALL_TO_NULL: return "indirect call of an empty table slot";
    case WASMTIME_TRAP_CODE_BAD_SIGNATURE: return "indirect call with the wrong type";
    case WASMTIME_TRAP_CODE_INTEGER_OVERFLOW: return "integer overflow";
    case WASMTIME_TRAP_CODE_INTEGER_DIVISION_BY_ZERO: return "integer divide by zero";
    case WASMTIME_TRAP_CODE_BAD_CONVERSION_TO_INTEGER: return "invalid conversion to integer";
    case WASMTIME_TRAP_CODE_UNREACHABLE_CODE_REACHED: return "unreachable executed";
    default: return {};
  }
}

}  // namespace

void Instance::Impl::describe_trap() {
  FrameVector frames;
  if (raw_trap != nullptr) {
    const TrapHandle owner(raw_trap);
    wasmtime_trap_code_t code = 0;
    if (wasmtime_trap_code(raw_trap, &code)) trap.message = trap_text(code);
    if (trap.message.empty()) trap.message = message_of(*raw_trap);
    wasm_trap_trace(raw_trap, &frames.vector);
    raw_trap = nullptr;
    trap.stack = stack_of(frames.vector);
    return;
  }
  wasmtime_error_wasm_trace(raw_error, &frames.vector);
  trap.message = take_message(raw_error);
  raw_error = nullptr;
  trap.stack = stack_of(frames.vector);
}

// The index among the module's own functions with a body; nothing for imports and ours.
std::optional<std::uint32_t> Instance::Impl::defined_index(const wasm_frame_t& frame) const {
  const std::uint32_t function = wasm_frame_func_index(&frame);
  const std::uint32_t first = info().imported_functions + 1;
  if (function < first || function - first >= info().defined_functions) return std::nullopt;
  return function - first;
}

std::vector<StackFrame> Instance::Impl::stack_of(const wasm_frame_vec_t& frames) const {
  std::vector<StackFrame> out = go_stack_after_trap(frames);
  if (!out.empty()) return out;
  for (std::size_t i = 0; i < frames.size && out.size() < kFramesMax; ++i) {
    const auto index = defined_index(*frames.data[i]);
    if (!index) continue;
    const wasm_name_t* name = wasmtime_frame_func_name(frames.data[i]);
    StackFrame frame;
    frame.function = fmt::format("function {}", *index);
    if (name != nullptr) frame.function = excerpt(text_of(*name), 200);
    out.push_back(std::move(frame));
  }
  return out;
}

// The innermost function is known from the wasm stack, but not the place inside it: either it had
// just been entered, and SP points at the return address, or it has its frame. The second wasm
// frame, the caller, decides.
std::vector<StackFrame> Instance::Impl::go_stack_after_trap(const wasm_frame_vec_t& frames) const {
  std::vector<StackFrame> out;
  const std::span<const std::byte> bytes(base, memory_size());
  const auto tables = program->impl().go_tables(bytes);
  std::size_t first = 0;
  while (first < frames.size && !defined_index(*frames.data[first])) ++first;
  if (!tables || first == frames.size) return out;
  const std::uint64_t entry_pc = (kGoFirstFunction + *defined_index(*frames.data[first])) << 16;
  out = tables->frames(entry_pc);
  if (out.empty()) return out;
  std::optional<std::uint64_t> caller;
  if (first + 1 < frames.size) {
    const auto index = defined_index(*frames.data[first + 1]);
    if (index) caller = kGoFirstFunction + *index;
  }
  const std::uint64_t sp = read_go_sp();
  for (const std::uint64_t frame_bytes : tables->frame_sizes(entry_pc)) {
    const auto found = tables->return_function(sp + frame_bytes);
    if (!found || (caller && *found != *caller)) continue;
    for (StackFrame& frame : tables->callers(sp + frame_bytes, kFramesMax - out.size())) {
      out.push_back(std::move(frame));
    }
    break;
  }
  return out;
}

std::vector<StackFrame> Instance::go_stack(std::uint64_t, std::uint32_t sp) const {
  const Impl& self = *impl_;
  if (self.state == State::kStopped) return self.trap.stack;
  std::vector<StackFrame> out;
  const auto tables = self.program->impl().go_tables(memory());
  if (!tables) return out;
  if (sp == 0) {
    const bool waits = self.state == State::kWaiting || self.state == State::kAnswered;
    sp = waits ? self.stopped_sp : self.read_go_sp();
  }
  std::uint64_t slot = sp;
  if (self.in_tick) {
    const auto pc = static_cast<std::uint64_t>(self.control[kControlPc / 8]);
    out = tables->frames(pc);
    slot += tables->frame_size(pc).value_or(0);
  }
  for (StackFrame& frame : tables->callers(slot, kFramesMax - out.size())) {
    out.push_back(std::move(frame));
  }
  return out;
}

}  // namespace sf::engine
