// Buffers that do not lie in memory are EFAULT, and nothing is written.
#include "check.h"

int main(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  struct iovec wild[2] = {{"abc", 3}, {(void*)0xffffff00, 16}};
  EXPECT_ERRNO(writev(fd, wild, 2), EFAULT);
  EXPECT_ERRNO(write(fd, (void*)0xffffff00, 4096), EFAULT);
  EXPECT_EQ(stat_of("f").st_size, 0);
  __wasi_size_t count = 0;
  EXPECT_RAW(__wasi_fd_write((__wasi_fd_t)fd, (const __wasi_ciovec_t*)0xfffffff8, 2, &count),
             __WASI_ERRNO_FAULT);
  EXPECT_ERRNO(open((const char*)"f", O_RDONLY | 1 << 5), EINVAL);
  return ok();
}
