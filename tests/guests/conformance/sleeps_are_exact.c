// nanosleep and usleep take as long as they are told.
#include "check.h"

#include <time.h>

int main(void) {
  const struct timespec wait = {1, 500000000};
  const uint64_t begin = now_of(__WASI_CLOCKID_MONOTONIC);
  EXPECT_OK(nanosleep(&wait, NULL));
  const uint64_t took = now_of(__WASI_CLOCKID_MONOTONIC) - begin;
  EXPECT(took >= 1500000000 && took < 1501000000);
  return ok();
}
