// A directory that was removed while open is empty, and nothing can be made in it.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  const int fd = opened("d", O_RDONLY | O_DIRECTORY);
  EXPECT_OK(rmdir("d"));
  uint8_t buffer[256];
  __wasi_size_t used = 7;
  EXPECT_RAW(__wasi_fd_readdir((__wasi_fd_t)fd, buffer, sizeof buffer, 0, &used), 0);
  EXPECT_EQ(used, 0);
  EXPECT_ERRNO(openat(fd, "f", O_WRONLY | O_CREAT, 0600), ENOENT);
  EXPECT_ERRNO(mkdirat(fd, "sub", 0700), ENOENT);
  struct stat st;
  EXPECT_OK(fstat(fd, &st));
  EXPECT_EQ(st.st_nlink, 0);
  return ok();
}
