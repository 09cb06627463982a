// CPU clocks cannot be waited for, and there is no fifth clock: the event says so.
#include "check.h"

static __wasi_subscription_t on_clock(uint64_t userdata, uint32_t id, uint64_t timeout,
                                      uint16_t flags) {
  __wasi_subscription_t made = {.userdata = userdata};
  made.u.tag = __WASI_EVENTTYPE_CLOCK;
  made.u.u.clock = (__wasi_subscription_clock_t){.id = id, .timeout = timeout, .flags = flags};
  return made;
}

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
