// Builds a node's C and C++ sources for the simulator with clang, for wasm32-wasi.
//
// Shipped with this program are sdk/c's header and sources: seedfall.h, and the socket functions
// that wasi-libc lacks. They are compiled into every guest; what it does not call is left out by
// the linker.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "world/guest_file.h"

namespace sf::world {

struct CBuildRequest {
  std::string directory;              // absolute: the folder of the config, where clang runs
  std::vector<std::string> sources;   // files or patterns, as written in the config
  std::vector<std::string> flags;     // for compiling and linking alike
  std::string place;                  // for errors: "seedfall.json:4:31: $.nodes[0].c"
  std::string sdk_directory;          // empty: find_c_sdk_directory()
};

// Failures have the code kCannotRun; the compiler's text stands in them, with paths relative to
// `directory`. Objects and programs are cached by content (build_step.h).
Result<BuiltGuest> build_c_guest(const CBuildRequest& request);

// The folder of the C SDK: `c` beside the Go SDK (find_sdk_directory). Empty when there is none.
std::string find_c_sdk_directory();

// ---- for the checks of a config, before anything is built

enum class CLanguage : std::uint8_t { kNone, kC, kCxx };
CLanguage language_of(std::string_view source);   // by its ending: .c; .cc .cpp .cxx .C

// Why a flag cannot be used ("names the output, which seedfall chooses"), or "".
std::string why_not_flag(std::string_view flag);
// Whether its value is the argument after it ("-I", "-include").
bool wants_next(std::string_view flag);

}  // namespace sf::world
