// Result<T>: the channel of operating errors (bad config, missing file, a build that fails).
//
// An Error says what went wrong, where (a file, a JSON path, a byte offset) and what to do. It is
// never used for guest-visible errors (kernel/errno.h) nor for our own bugs (base/check.h).
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sf {

// The values double as the program's exit codes (docs/guide/exit-codes-and-output.md).
enum class ErrorCode : int {
  kUsage = 2,        // command line or config: the user can fix it by editing
  kCannotRun = 3,    // a build failed, a file is missing, the host lacks something
};

struct Error {
  ErrorCode code = ErrorCode::kCannotRun;
  std::string where;    // "seedfall.json:9:7: $.faults.crash_per_sec"; may be empty
  std::string message;  // lower case, names the thing
  std::string hint;     // what to do; may be empty

  // "where: message; hint", on one line unless a part itself has more.
  std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> usage_error(std::string where, std::string message,
                                         std::string hint = {}) {
  return tl::make_unexpected(
      Error{ErrorCode::kUsage, std::move(where), std::move(message), std::move(hint)});
}

inline tl::unexpected<Error> cannot_run(std::string where, std::string message,
                                        std::string hint = {}) {
  return tl::make_unexpected(
      Error{ErrorCode::kCannotRun, std::move(where), std::move(message), std::move(hint)});
}

inline std::string Error::text() const {
  std::string out = where;
  if (!out.empty()) out += ": ";
  out += message;
  if (!hint.empty()) out += "; " + hint;
  return out;
}

}  // namespace sf

#define SF_CONCAT_INNER(a, b) a##b
#define SF_CONCAT(a, b) SF_CONCAT_INNER(a, b)

// SF_TRY(const auto x, parse(...)): binds the value or returns the error to the caller.
#define SF_TRY(declaration, expression) \
  SF_TRY_IMPL(SF_CONCAT(sf_try_, __LINE__), declaration, expression)
#define SF_TRY_IMPL(temporary, declaration, expression)                          \
  auto temporary = (expression);                                                 \
  if (!temporary) return tl::make_unexpected(std::move(temporary).error());      \
  declaration = *std::move(temporary)

// The same for a Result<void>.
#define SF_TRY_VOID(expression)                                                  \
  do {                                                                           \
    auto sf_try_void = (expression);                                             \
    if (!sf_try_void) return tl::make_unexpected(std::move(sf_try_void).error()); \
  } while (false)
