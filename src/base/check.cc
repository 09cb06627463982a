#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace sf {

CheckContext& check_context() {
  static CheckContext context;
  return context;
}

void check_failed(const char* file, int line, const char* condition, const std::string& detail) {
  std::fprintf(stderr, "seedfall: internal error at %s:%d: check failed: %s%s%s\n", file, line,
               condition, detail.empty() ? "" : ": ", detail.c_str());
  const CheckContext& context = check_context();
  if (context.active) {
    std::fprintf(stderr, "  while simulating seed %llu, step %llu\n",
                 static_cast<unsigned long long>(context.seed),
                 static_cast<unsigned long long>(context.step));
  }
  std::fprintf(stderr, "  this is a bug in seedfall, not in the program under test\n");
  std::abort();
}

}  // namespace sf
