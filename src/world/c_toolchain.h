// The clang that builds C and C++ guests for WASI, and Debian's packages that belong to it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sf::world {

struct CToolchain {
  std::string program;     // "clang-19"
  int version = 0;         // 19
  std::string identity;    // the compiler's own words about itself, for cache keys
};

inline constexpr int kClangOldest = 14;   // Debian 12's own, with a wasm32 libc++ of its own
inline constexpr int kClangUsual = 19;    // what we test with

// $SEEDFALL_CLANG, else clang-19, else the newest clang-N, else clang. `where` is used in errors:
// there is none, or it is older than clang 14.
Result<CToolchain> find_c_toolchain(const std::string& where);

// Debian's packages for C and C++ on WASI that go with one version of clang.
std::string c_packages(int version);

// What to do about a failed compiler or linker run whose output is `output`, or "": packages that
// are missing, C++ exceptions, functions that WASI lacks.
std::string hint_for_c_failure(const std::string& output, const CToolchain& toolchain);

}  // namespace sf::world
