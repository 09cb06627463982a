// A seek before the start or beyond what a file can be is EINVAL and moves nothing.
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int fd = opened("f", O_RDONLY);
  EXPECT_EQ(lseek(fd, 5, SEEK_SET), 5);
  EXPECT_ERRNO(lseek(fd, -1, SEEK_SET), EINVAL);
  EXPECT_ERRNO(lseek(fd, -6, SEEK_CUR), EINVAL);
  EXPECT_ERRNO(lseek(fd, -11, SEEK_END), EINVAL);
  EXPECT_ERRNO(lseek(fd, INT64_MAX, SEEK_SET), EINVAL);
  EXPECT_ERRNO(lseek(fd, INT64_MAX, SEEK_CUR), EOVERFLOW);
  EXPECT_ERRNO(lseek(fd, INT64_MAX, SEEK_END), EOVERFLOW);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 5);
  __wasi_filesize_t at = 0;
  EXPECT_RAW(__wasi_fd_seek((__wasi_fd_t)fd, 0, 3, &at), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_fd_seek(999, 0, 0, &at), __WASI_ERRNO_BADF);
  return ok();
}
