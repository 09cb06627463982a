// A program that does nothing but yield does not stop the world.
#include "check.h"

#include <sched.h>

int main(void) {
  const uint64_t begin = now_of(__WASI_CLOCKID_MONOTONIC);
  for (int i = 0; i < 500; ++i) EXPECT_OK(sched_yield());
  EXPECT(now_of(__WASI_CLOCKID_MONOTONIC) - begin > 1000 * 1000);
  return ok();
}
