// Preempting a goroutine of a stock Go program, from inside a tick.
//
// Go has cooperative preemption: `g.stackguard0 = stackPreempt` makes the check at the beginning of
// the next function fail, and the runtime then puts the goroutine at the end of its global queue,
// unless it holds runtime locks or does something else that must not be interrupted. Nobody sets
// that word on wasm, where Go has no second thread, but the checks are compiled in. We set it.
//
// Layout of runtime.g, the same from Go 1.23 to 1.27: stackguard0 at 16, stackguard1 at 24. The
// latter is all ones on ordinary goroutines and a stack bound on g0 and the signal stack, which
// must not be preempted. World checks by experiment that this holds for the Go at hand.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "engine/instance_impl.h"
#include "engine/rewrite.h"

namespace sf::engine {
namespace {

constexpr std::uint64_t kStackGuard0 = 16;
constexpr std::uint64_t kStackGuard1 = 24;
constexpr std::uint64_t kOrdinary = ~std::uint64_t{0};
// runtime.stackPreempt, (1<<(8*sys.PtrSize) - 1) & -1314 with 64-bit pointers.
constexpr std::uint64_t kStackPreempt = 0xfffffffffffffade;

// Functions at whose entry another goroutine may soon matter. Locks whose fast path is inlined show
// up as the atomic operation that they consist of.
constexpr std::array<std::string_view, 11> kEdges = {
    "internal/runtime/atomic.", "runtime/internal/atomic.", "sync/atomic.", "sync.",
    "internal/sync.",           "runtime.chan",             "runtime.select", "runtime.closechan",
    "runtime.goready",          "runtime.newproc",          "runtime.sema"};

bool begins_edge(std::string_view function) {
  return std::any_of(kEdges.begin(), kEdges.end(), [function](std::string_view prefix) {
    return function.starts_with(prefix);
  });
}

bool is_library(std::string_view function) {
  constexpr std::array<std::string_view, 4> kLibraries = {"runtime.", "runtime/", "internal/",
                                                          "sync"};
  return std::any_of(kLibraries.begin(), kLibraries.end(), [function](std::string_view prefix) {
    return function.starts_with(prefix);
  });
}

}  // namespace

bool Program::is_go() const { return impl_->info.is_go; }

std::uint64_t Instance::go_pc() const {
  return static_cast<std::uint64_t>(impl_->control[kControlPc / 8]);
}

bool Instance::at_go_edge() const {
  const std::uint64_t pc = go_pc();
  const std::uint64_t function = pc >> 16;
  if (function < kGoFirstFunction) return false;
  auto& known = impl_->program->impl().go_edges;
  const std::uint64_t index = function - kGoFirstFunction;
  if (index >= impl_->info().defined_functions) return false;
  if (known.empty()) known.resize(impl_->info().defined_functions, GoEdge::kUnknown);
  if (known[index] == GoEdge::kUnknown) {
    const auto tables = impl_->program->impl().go_tables(memory());
    const auto frames = tables ? tables->frames(function << 16) : std::vector<StackFrame>();
    const bool edge = !frames.empty() && begins_edge(frames.back().function);
    known[index] = edge ? GoEdge::kYes : GoEdge::kNo;
  }
  return known[index] == GoEdge::kYes;
}

bool Instance::preempt_goroutine(std::uint64_t g) const {
  const std::span<std::byte> bytes = memory();
  if (g == 0 || g > bytes.size() || bytes.size() - g < kStackGuard1 + sizeof(kOrdinary)) {
    return false;
  }
  std::uint64_t guard1 = 0;
  std::memcpy(&guard1, &bytes[g + kStackGuard1], sizeof(guard1));
  if (guard1 != kOrdinary) return false;
  std::memcpy(&bytes[g + kStackGuard0], &kStackPreempt, sizeof(kStackPreempt));
  return true;
}

StackFrame Instance::go_place(std::uint64_t g, std::uint32_t sp) const {
  const std::vector<StackFrame> stack = go_stack(g, sp);
  const auto own = std::find_if(stack.begin(), stack.end(), [](const StackFrame& frame) {
    return !is_library(frame.function);
  });
  if (own != stack.end()) return *own;
  return stack.empty() ? StackFrame() : stack.front();
}

}  // namespace sf::engine
