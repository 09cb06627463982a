// What the engine offers a program: host functions, and the object that answers them.
//
// The engine knows nothing of nodes, disks or WASI. It moves 64-bit slots between wasm and a table
// of functions, and asks HostEnvironment::tick when the program's budget is spent.
#pragma once

#include <cstdint>
#include <string_view>

namespace sf::engine {

// Wasm values travel as raw 64-bit slots: i32 and f32 zero-extended in the low half, i64 as is,
// f64 as bits.
using Slot = std::uint64_t;

enum class CallOutcome : std::uint8_t {
  kReturn,   // *result is set; the program goes on
  kWait,     // the program is suspended until Instance::finish_wait(result); only if may_wait
  kEnd,      // the program ends here (exit, kill): Instance::resume returns Stop::kEnded
};

// The program's side of the world. One per instance; must outlive it.
class HostEnvironment {
 public:
  virtual ~HostEnvironment() = default;

  // The tick budget is spent: g and sp are Go's current goroutine and stack pointer (0 for programs
  // that have none). kReturn: *new_budget is how many ticks the program may use before the next
  // question. kWait: suspended, finish_wait(new budget) goes on. kEnd: the program ends.
  virtual CallOutcome tick(std::uint64_t g, std::uint32_t sp, Slot* new_budget) = 0;
};

using HostFunctionCode = CallOutcome (*)(HostEnvironment& environment, const Slot* arguments,
                                         Slot* result);

// One importable function. Types are spelled with i (i32), I (i64), f (f32), F (f64); at most one
// result, "" for none. A function that may wait costs about 190 ns more per call.
struct HostFunction {
  std::string_view module;
  std::string_view name;
  std::string_view parameters;
  std::string_view result;
  bool may_wait = false;
  HostFunctionCode code = nullptr;
};

}  // namespace sf::engine
