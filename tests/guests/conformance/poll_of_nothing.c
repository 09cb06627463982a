// No subscriptions, unknown kinds of them and wild pointers are errors of the call.
#include "check.h"

static __wasi_subscription_t on_fd(uint64_t userdata, int fd, uint8_t tag) {
  __wasi_subscription_t made = {.userdata = userdata};
  made.u.tag = tag;
  made.u.u.fd_read.file_descriptor = (__wasi_fd_t)fd;
  return made;
}

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
