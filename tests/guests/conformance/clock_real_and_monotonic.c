// The wall clock shows years, the monotonic one only that time passes.
#include "check.h"

int main(void) {
  const uint64_t year_2025 = 1735689600ULL * 1000000000ULL;
  EXPECT(now_of(__WASI_CLOCKID_REALTIME) >= year_2025);
  uint64_t last = now_of(__WASI_CLOCKID_MONOTONIC);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t now = now_of(__WASI_CLOCKID_MONOTONIC);
    EXPECT(now >= last);
    last = now;
  }
  return ok();
}
