// A right that was given up never comes back.
#include "check.h"

int main(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  const __wasi_fdstat_t all = fdstat_of(fd);
  const __wasi_rights_t fewer = all.fs_rights_base & ~(__wasi_rights_t)__WASI_RIGHTS_FD_WRITE;
  EXPECT_RAW(__wasi_fd_fdstat_set_rights((__wasi_fd_t)fd, fewer, 0), 0);
  EXPECT_EQ(fdstat_of(fd).fs_rights_base, fewer);
  EXPECT_ERRNO(write(fd, "x", 1), EBADF);   // how wasi-libc reports ENOTCAPABLE
  EXPECT_RAW(__wasi_fd_fdstat_set_rights((__wasi_fd_t)fd, all.fs_rights_base, 0),
             __WASI_ERRNO_NOTCAPABLE);
  EXPECT_RAW(__wasi_fd_fdstat_set_rights((__wasi_fd_t)fd, fewer, 1), __WASI_ERRNO_NOTCAPABLE);
  EXPECT_RAW(__wasi_fd_fdstat_set_rights(999, 0, 0), __WASI_ERRNO_BADF);
  return ok();
}
