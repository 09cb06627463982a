// An absolute timeout ends at that time, or at once when it is past.
#include "check.h"

int main(void) {
  for (uint32_t clock = 0; clock < 2; ++clock) {
    const uint64_t until = now_of(clock) + 3 * 1000 * 1000;
    __wasi_subscription_t in = on_clock(1, clock, until, 1);
    __wasi_event_t out;
    __wasi_size_t count = 0;
    EXPECT_RAW(__wasi_poll_oneoff(&in, &out, 1, &count), 0);
    EXPECT(now_of(clock) >= until && now_of(clock) < until + 1000 * 1000);
    in = on_clock(1, clock, until - 1000, 1);
    EXPECT_RAW(__wasi_poll_oneoff(&in, &out, 1, &count), 0);
    EXPECT_EQ(count, 1);
    EXPECT(now_of(clock) < until + 2 * 1000 * 1000);
  }
  return ok();
}
