// CPU clocks cannot be waited for, and there is no fifth clock: the event says so.
#include "check.h"

int main(void) {
  __wasi_subscription_t in[3] = {on_clock(1, 2, 1000, 0), on_clock(2, 3, 1000, 0),
                                 on_clock(3, 4, 1000, 0)};
  __wasi_event_t out[3];
  __wasi_size_t count = 0;
  EXPECT_RAW(__wasi_poll_oneoff(in, out, 3, &count), 0);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(out[0].error, __WASI_ERRNO_NOTSUP);
  EXPECT_EQ(out[1].error, __WASI_ERRNO_NOTSUP);
  EXPECT_EQ(out[2].error, __WASI_ERRNO_INVAL);
  in[0] = on_clock(1, 1, 1000, 2);
  EXPECT_RAW(__wasi_poll_oneoff(in, out, 1, &count), __WASI_ERRNO_INVAL);
  return ok();
}
