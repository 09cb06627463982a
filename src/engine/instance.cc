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
#include "engine/instance_impl.h"
#include "engine/rewrite.h"

namespace sf::engine {
namespace {

constexpr std::uint32_t kTableElementsMax = 4 << 20;
constexpr std::uint64_t kPage = 65'536;

// Setting up copies segments to where the module says that they go, and nothing else can trap.
std::string why_not_set_up(const wasm_trap_t& trap) {
  wasmtime_trap_code_t code = 0;
  if (!wasmtime_trap_code(&trap, &code)) return message_of(trap);
  if (code == WASMTIME_TRAP_CODE_MEMORY_OUT_OF_BOUNDS) {
    return "a data segment lies outside the memory";
  }
  if (code == WASMTIME_TRAP_CODE_TABLE_OUT_OF_BOUNDS) {
    return "an element segment lies outside its table";
  }
  return message_of(trap);
}

}  // namespace

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
    return cannot_run("", "the program cannot be set up: " + why_not_set_up(*owner));
  }
  if (raw_error != nullptr) {
    return cannot_run("", "the program cannot be set up: " + take_message(raw_error),
                      fmt::format("a program may have tables of {} elements",
                                  with_thousands(kTableElementsMax)));
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

Instance::Instance(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Instance::~Instance() {
  impl_->future.reset();  // kills the fiber; only then may its store go
  impl_->store.reset();
}

// Without an environment it may not run.
Result<std::unique_ptr<Instance::Impl>> Instance::set_up(const Program& program,
                                                         HostEnvironment* environment,
                                                         std::uint64_t memory_bytes_max) {
  const Program::Impl& code = program.impl();
  const std::uint64_t initial = code.info.memory_bytes_initial;
  if (initial > memory_bytes_max) {
    return cannot_run("", fmt::format("the program starts with {} of memory, above the bound of {}",
                                      format_size(initial), format_size(memory_bytes_max)),
                      "raise it (memory, in a config)");
  }
  auto impl = std::make_unique<Impl>();
  impl->program = &program;
  impl->environment = environment;
  impl->store.reset(wasmtime_store_new(code.engine->impl().handle.get(), impl.get(), nullptr));
  impl->context = wasmtime_store_context(impl->store.get());
  const std::uint64_t bound = std::clamp(memory_bytes_max, kPage, std::uint64_t{4} << 30);
  wasmtime_store_limiter(impl->store.get(), static_cast<std::int64_t>(bound), kTableElementsMax,
                         1, -1, 2);
  SF_TRY_VOID(impl->instantiate());
  return impl;
}

Result<void> Instance::check(const Program& program, std::uint64_t memory_bytes_max) {
  SF_TRY_VOID(set_up(program, nullptr, memory_bytes_max));
  return {};
}

Result<std::unique_ptr<Instance>> Instance::create(const Program& program,
                                                   HostEnvironment& environment,
                                                   std::uint64_t memory_bytes_max) {
  SF_TRY(auto impl, set_up(program, &environment, memory_bytes_max));
  if (program.impl().engine->impl().options.huge_pages && impl->has_memory) {
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

void Instance::prepare_for_forks() const {
#ifdef MADV_COLLAPSE
  constexpr int kCollapse = MADV_COLLAPSE;
#else
  constexpr int kCollapse = 25;   // asm-generic/mman-common.h; glibc 2.36's headers lack the name
#endif
  // Piece by piece: the first pages are a private mapping of the program's image, which the kernel
  // refuses, and a refusal ends the whole call.
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const std::span<std::byte> pages = memory();
  for (std::size_t at = 0; at + kHugePage <= pages.size(); at += kHugePage) {
    ::madvise(pages.data() + at, kHugePage, kCollapse);
  }
}

const Trap& Instance::trap() const { return impl_->trap; }

}  // namespace sf::engine
