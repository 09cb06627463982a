// CPU time is what a program computes, not what it sleeps.
#include "check.h"

int main(void) {
  const uint64_t cpu = now_of(__WASI_CLOCKID_PROCESS_CPUTIME_ID);
  const uint64_t begin = now_of(__WASI_CLOCKID_MONOTONIC);
  EXPECT_OK(usleep(100 * 1000));
  EXPECT(now_of(__WASI_CLOCKID_MONOTONIC) - begin >= 100 * 1000 * 1000);
  EXPECT(now_of(__WASI_CLOCKID_PROCESS_CPUTIME_ID) - cpu < 1000 * 1000);
  volatile uint32_t sum = 0;
  for (uint32_t i = 0; i < 3000000; ++i) sum += i;
  EXPECT(now_of(__WASI_CLOCKID_THREAD_CPUTIME_ID) - cpu > 1000 * 1000);
  return ok();
}
