// SF_CHECK: invariants of our own code, always on.
//
// A failed check is a bug in seedfall, never bad input and never a guest's doing. It prints the
// place, the condition and what is being simulated (seed, step), then aborts the process; a sweep's
// parent process reports the seed and goes on with the others.
#pragma once

#include <cstdint>
#include <string>

namespace sf {

// What the process is simulating, for the message of a failed check. Set by the run loop.
struct CheckContext {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  bool active = false;
};
CheckContext& check_context();

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& detail = {});

}  // namespace sf

#define SF_CHECK(condition)                                          \
  do {                                                               \
    if (!(condition)) [[unlikely]]                                   \
      ::sf::check_failed(__FILE__, __LINE__, #condition);            \
  } while (false)

// A check with a sentence for the reader of the failure.
#define SF_CHECK_MSG(condition, detail)                              \
  do {                                                               \
    if (!(condition)) [[unlikely]]                                   \
      ::sf::check_failed(__FILE__, __LINE__, #condition, (detail));  \
  } while (false)
