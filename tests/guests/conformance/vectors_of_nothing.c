// No buffers, or empty ones, move nothing and are no error.
#include "check.h"

int main(void) {
  make_file("f", "text");
  const int fd = opened("f", O_RDWR);
  struct iovec empty[2] = {{NULL, 0}, {NULL, 0}};
  EXPECT_EQ(readv(fd, empty, 2), 0);
  EXPECT_EQ(writev(fd, empty, 2), 0);
  __wasi_size_t count = 7;
  EXPECT_RAW(__wasi_fd_read((__wasi_fd_t)fd, NULL, 0, &count), 0);
  EXPECT_EQ(count, 0);
  EXPECT_RAW(__wasi_fd_write((__wasi_fd_t)fd, NULL, 0, &count), 0);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 0);
  return ok();
}
