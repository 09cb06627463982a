// F_SETFL changes append and nonblock; what was set at open for syncs stays.
#include "check.h"

int main(void) {
  const int fd = opened("f", O_RDWR | O_CREAT | O_DSYNC);
  EXPECT_OK(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK));
  EXPECT_EQ(fcntl(fd, F_GETFL), O_RDWR | O_APPEND | O_NONBLOCK | O_DSYNC);
  EXPECT_OK(fcntl(fd, F_SETFL, O_SYNC));
  EXPECT_EQ(fcntl(fd, F_GETFL), O_RDWR | O_DSYNC);
  EXPECT_RAW(__wasi_fd_fdstat_set_flags((__wasi_fd_t)fd, 1 << 5), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_fd_fdstat_set_flags(999, 0), __WASI_ERRNO_BADF);
  return ok();
}
