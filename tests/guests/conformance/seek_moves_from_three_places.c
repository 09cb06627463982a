// lseek counts from the start, from here and from the end.
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int fd = opened("f", O_RDONLY);
  char byte = 0;
  EXPECT_EQ(lseek(fd, 4, SEEK_SET), 4);
  EXPECT_EQ(lseek(fd, -1, SEEK_CUR), 3);
  EXPECT_EQ(read(fd, &byte, 1), 1);
  EXPECT_EQ(byte, '3');
  EXPECT_EQ(lseek(fd, -2, SEEK_END), 8);
  EXPECT_EQ(lseek(fd, 90, SEEK_END), 100);
  EXPECT_EQ(read(fd, &byte, 1), 0);
  __wasi_filesize_t at = 0;
  EXPECT_RAW(__wasi_fd_tell((__wasi_fd_t)fd, &at), 0);
  EXPECT_EQ(at, 100);
  return ok();
}
