// Files and the console are always ready, and tell how much is left to read.
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int fd = opened("f", O_RDWR);
  EXPECT_EQ(lseek(fd, 3, SEEK_SET), 3);
  __wasi_subscription_t in[4] = {on_fd(1, fd, __WASI_EVENTTYPE_FD_READ),
                                 on_fd(2, fd, __WASI_EVENTTYPE_FD_WRITE),
                                 on_fd(3, 0, __WASI_EVENTTYPE_FD_READ),
                                 on_fd(4, 1, __WASI_EVENTTYPE_FD_WRITE)};
  __wasi_event_t out[4];
  __wasi_size_t count = 0;
  EXPECT_RAW(__wasi_poll_oneoff(in, out, 4, &count), 0);
  EXPECT_EQ(count, 4);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(out[i].userdata, i + 1);
    EXPECT_EQ(out[i].error, 0);
    EXPECT_EQ(out[i].type, in[i].u.tag);
  }
  EXPECT_EQ(out[0].fd_readwrite.nbytes, 7);
  EXPECT(out[1].fd_readwrite.nbytes > 0);
  EXPECT_EQ(out[2].fd_readwrite.nbytes, 0);
  return ok();
}
