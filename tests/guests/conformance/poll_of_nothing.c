// No subscriptions, unknown kinds of them and wild pointers are errors of the call.
#include "check.h"

int main(void) {
  __wasi_subscription_t in = on_fd(1, 0, 3);
  __wasi_event_t out;
  __wasi_size_t count = 0;
  EXPECT_RAW(__wasi_poll_oneoff(&in, &out, 0, &count), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_poll_oneoff(&in, &out, 1, &count), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_poll_oneoff(&in, &out, 0xffffffff, &count), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_poll_oneoff((__wasi_subscription_t*)0xffffff00, &out, 10, &count),
             __WASI_ERRNO_FAULT);
  return ok();
}
