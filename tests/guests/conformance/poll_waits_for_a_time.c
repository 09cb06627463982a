// A relative timeout counts from the call, on either clock.
#include "check.h"

int main(void) {
  for (uint32_t clock = 0; clock < 2; ++clock) {
    __wasi_subscription_t in = on_clock(42, clock, 5 * 1000 * 1000, 0);
    __wasi_event_t out;
    __wasi_size_t count = 0;
    const uint64_t begin = now_of(clock);
    EXPECT_RAW(__wasi_poll_oneoff(&in, &out, 1, &count), 0);
    const uint64_t took = now_of(clock) - begin;
    EXPECT_EQ(count, 1);
    EXPECT_EQ(out.userdata, 42);
    EXPECT_EQ(out.error, 0);
    EXPECT_EQ(out.type, __WASI_EVENTTYPE_CLOCK);
    EXPECT(took >= 5 * 1000 * 1000 && took < 6 * 1000 * 1000);
  }
  return ok();
}
