// A descriptor that is not open makes an event with EBADF, not an error of the call.
#include "check.h"

#include <poll.h>

int main(void) {
  make_file("f", "");
  __wasi_subscription_t in[2] = {on_fd(1, 999, __WASI_EVENTTYPE_FD_READ),
                                 on_fd(2, opened("f", O_RDONLY), __WASI_EVENTTYPE_FD_READ)};
  __wasi_event_t out[2];
  __wasi_size_t count = 0;
  EXPECT_RAW(__wasi_poll_oneoff(in, out, 2, &count), 0);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(out[0].error, __WASI_ERRNO_BADF);
  EXPECT_EQ(out[1].error, 0);
  __wasi_fd_t none = 0;
  EXPECT_RAW(__wasi_path_open(kRoot, 0, "f", 0, 0, 0, 0, &none), 0);
  in[0] = on_fd(3, (int)none, __WASI_EVENTTYPE_FD_READ);
  EXPECT_RAW(__wasi_poll_oneoff(in, out, 1, &count), 0);
  EXPECT_EQ(out[0].error, __WASI_ERRNO_NOTCAPABLE);
  struct pollfd fds = {.fd = 999, .events = POLLIN};
  EXPECT_EQ(poll(&fds, 1, 0), 1);
  EXPECT_EQ(fds.revents, POLLNVAL);
  return ok();
}
