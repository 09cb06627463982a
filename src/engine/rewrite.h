// The rewriting pass: a wasip1 module in, the same module with a tick out.
//
// What is added (names are reserved, see module_info.h):
//   import    seedfall.tick (g: i64, sp: i32) -> i64 budget, asked when the budget is spent
//   memory    one page of "control" memory, invisible to the program: the budget and Go's last PC
//   functions the way to that import, a shim before every imported function, and the entry
//   exports   the control memory, the entry, and for Go modules the globals g and SP
// The budget goes down by one per function entry and per loop header, and is checked there. Where
// a function begins with a loop (after opening blocks and moves of locals and globals), the first
// pass of that loop is the entry: one charge for both.
// A shim checks the budget before the import is called, so no host call starts on a spent budget,
// whatever the host did to the budget before. All references to an import lead to its shim.
// The start section is gone: the entry calls its function first, then _start.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "engine/module_info.h"

namespace sf::engine {

// Grows whenever the pass makes different code from the same module.
inline constexpr int kRewriteVersion = 2;

// Layout of the control memory.
inline constexpr std::uint64_t kControlBudget = 0;   // i64, ticks left
inline constexpr std::uint64_t kControlPc = 8;       // i64, Go's PC at the last tick; 0 unknown

struct RewriteOptions {
  bool tick = true;   // false: everything else stays, but nothing is ever charged
};

struct Rewritten {
  std::string wasm;
  ModuleInfo info;
  std::uint32_t check_sites = 0;   // places that charge one tick
};

// Errors say what is wrong and at which byte offset; `where` is left to the caller.
Result<Rewritten> rewrite_module(std::span<const std::uint8_t> wasm,
                                 const RewriteOptions& options = {});

}  // namespace sf::engine
