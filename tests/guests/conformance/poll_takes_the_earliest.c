// Of several clocks the earliest ends the wait, and only what is due is told.
#include "check.h"

int main(void) {
  const uint64_t ms = 1000 * 1000;
  __wasi_subscription_t in[4] = {
      on_clock(1, 1, 50 * ms, 0), on_clock(2, 1, now_of(1) + 10 * ms, 1),
      on_clock(3, 0, 900 * ms, 0), on_clock(4, 0, now_of(0) + 700 * ms, 1)};
  __wasi_event_t out[4];
  __wasi_size_t count = 0;
  const uint64_t begin = now_of(1);
  EXPECT_RAW(__wasi_poll_oneoff(in, out, 4, &count), 0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(out[0].userdata, 2);
  EXPECT(now_of(1) - begin < 11 * ms);
  __wasi_subscription_t both[2] = {on_clock(5, 1, 0, 0), on_clock(6, 0, 0, 0)};
  EXPECT_RAW(__wasi_poll_oneoff(both, out, 2, &count), 0);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(out[0].userdata, 5);
  EXPECT_EQ(out[1].userdata, 6);
  return ok();
}
