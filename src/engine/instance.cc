// One running program.
//
// The program runs on a fiber that Wasmtime makes for the call of its entry. A host call that
// answers kWait leaves a continuation behind; the fiber is then switched away from until
// finish_wait, and every resume() polls it once. Nothing of C++ lies on the fiber while it waits,
// so deleting the call's future is a clean way to kill the program.
//
// While the call's future lives, Wasmtime allows its store to be touched only inside host calls.
// Two things the host wants at any time, cheaply: the budget, which lives in the control memory
// (rewrite.h) and is read and written through a pointer, and the program's memory, whose base never
// moves and whose size is remembered when the program stops to wait.
#include <sys/mman.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/strings.h"
#include "engine/engine.h"
#include "engine/engine_impl.h"
#include "engine/go_tables.h"
#include "engine/rewrite.h"

namespace sf::engine {
namespace {

constexpr std::size_t kFramesMax = 32;
constexpr std::int64_t kTableElementsMax = 4 << 20;
constexpr std::uint64_t kPage = 65'536;

enum class State : std::uint8_t { kFresh, kRunning, kWaiting, kAnswered, kStopped };

constexpr std::string_view kEndText = "seedfall: the host ended the program";

wasm_trap_t* end_trap() { return wasmtime_trap_new(kEndText.data(), kEndText.size()); }

}  // namespace

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

namespace {

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

void Instance::Impl::begin_host_call(bool tick) {
  in_tick = tick;
  size_known = false;
}

void Instance::Impl::begin_wait(wasmtime_val_t* result, char type) {
  wait_result = result;
  wait_type = type;
  state = State::kWaiting;
  memory_size();
  stopped_sp = read_go_sp();
}

std::uint64_t Instance::Impl::memory_size() const {
  if (!size_known) {
    size = has_memory ? wasmtime_memory_data_size(context, &memory) : 0;
    size_known = true;
  }
  return size;
}

std::uint32_t Instance::Impl::read_go_sp() const {
  if (!info().is_go) return 0;
  wasmtime_val_t value{};
  wasmtime_global_get(context, &go_sp, &value);
  return static_cast<std::uint32_t>(value.of.i32);
}

Result<void> Instance::Impl::instantiate() {
  FutureHandle starting(wasmtime_instance_pre_instantiate_async(
      program->impl().pre.get(), context, &instance, &raw_trap, &raw_error));
  // No code runs: the pass removed the start section. So the first poll completes.
  SF_CHECK(wasmtime_call_future_poll(starting.get()));
  starting.reset();
  if (raw_trap != nullptr) {
    const TrapHandle owner(raw_trap);
    return cannot_run("", "the program cannot be set up: " + message_of(*owner));
  }
  if (raw_error != nullptr) {
    return cannot_run("", "the program cannot be set up: " + take_message(raw_error));
  }
  find_exports();
  return {};
}

void Instance::Impl::find_exports() {
  wasmtime_extern_t item{};
  const auto get = [&](std::string_view name) {
    return wasmtime_instance_export_get(context, &instance, name.data(), name.size(), &item);
  };
  SF_CHECK(get(kEntryExport) && item.kind == WASMTIME_EXTERN_FUNC);
  entry = item.of.func;
  SF_CHECK(get(kControlExport) && item.kind == WASMTIME_EXTERN_MEMORY);
  control = reinterpret_cast<std::int64_t*>(wasmtime_memory_data(context, &item.of.memory));
  if (get("memory") && item.kind == WASMTIME_EXTERN_MEMORY) {
    memory = item.of.memory;
    has_memory = true;
    base = reinterpret_cast<std::byte*>(wasmtime_memory_data(context, &memory));
  }
  if (!info().is_go) return;
  SF_CHECK(get(kGoGExport));
  go_g = item.of.global;
  SF_CHECK(get(kGoSpExport));
  go_sp = item.of.global;
}

// The future has completed: tells how, and frees what it left.
Stop Instance::Impl::finish() {
  future.reset();
  state = State::kStopped;
  size_known = false;
  if (ending) {
    TrapHandle{raw_trap}.reset();
    ErrorHandle{raw_error}.reset();
    return Stop::kEnded;
  }
  if (raw_trap == nullptr && raw_error == nullptr) return Stop::kReturned;
  describe_trap();
  return Stop::kTrapped;
}

namespace {

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
    frame.function = name != nullptr ? excerpt(text_of(*name), 200) : fmt::format("function {}", *index);
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

Instance::Instance(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Instance::~Instance() {
  impl_->future.reset();  // kills the fiber; only then may its store go
  impl_->store.reset();
}

Result<std::unique_ptr<Instance>> Instance::create(const Program& program,
                                                   HostEnvironment& environment,
                                                   std::uint64_t memory_bytes_max) {
  const Program::Impl& code = program.impl();
  const std::uint64_t initial = code.info.memory_bytes_initial;
  if (initial > memory_bytes_max) {
    return cannot_run("", fmt::format("the program starts with {} of memory, above the bound of {}",
                                      format_size(initial), format_size(memory_bytes_max)),
                      "raise the bound");
  }
  auto impl = std::make_unique<Impl>();
  impl->program = &program;
  impl->environment = &environment;
  impl->store.reset(wasmtime_store_new(code.engine->impl().handle.get(), impl.get(), nullptr));
  impl->context = wasmtime_store_context(impl->store.get());
  const std::uint64_t bound = std::clamp(memory_bytes_max, kPage, std::uint64_t{4} << 30);
  wasmtime_store_limiter(impl->store.get(), static_cast<std::int64_t>(bound), kTableElementsMax,
                         1, -1, 2);
  SF_TRY_VOID(impl->instantiate());
  if (code.engine->impl().options.huge_pages && impl->has_memory) {
    // Advice only: a host without huge pages refuses, and nothing but fork() speed is lost.
    madvise(impl->base, std::uint64_t{4} << 30, MADV_HUGEPAGE);
  }
  return std::unique_ptr<Instance>(new Instance(std::move(impl)));
}

Stop Instance::resume() {
  Impl& self = *impl_;
  SF_CHECK(self.state == State::kFresh || self.state == State::kAnswered);
  if (self.state == State::kFresh) {
    self.state = State::kRunning;
    self.future.reset(wasmtime_func_call_async(self.context, &self.entry, nullptr, 0, nullptr, 0,
                                               &self.raw_trap, &self.raw_error));
  }
  if (wasmtime_call_future_poll(self.future.get())) return self.finish();
  SF_CHECK(self.state == State::kWaiting);
  return Stop::kWaiting;
}

void Instance::finish_wait(Slot result) {
  SF_CHECK(impl_->state == State::kWaiting);
  impl_->answer = result;
  impl_->state = State::kAnswered;
}

std::int64_t Instance::budget() const { return impl_->control[kControlBudget / 8]; }

void Instance::set_budget(std::int64_t ticks) { impl_->control[kControlBudget / 8] = ticks; }

std::span<std::byte> Instance::memory() const { return {impl_->base, impl_->memory_size()}; }

const Trap& Instance::trap() const { return impl_->trap; }

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
