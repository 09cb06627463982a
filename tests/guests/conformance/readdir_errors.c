// Only what is open as a directory can be listed.
#include "check.h"

int main(void) {
  make_file("f", "");
  uint8_t buffer[64];
  __wasi_size_t used = 0;
  EXPECT_RAW(__wasi_fd_readdir((__wasi_fd_t)opened("f", O_RDONLY), buffer, 64, 0, &used),
             __WASI_ERRNO_NOTDIR);
  EXPECT_RAW(__wasi_fd_readdir(1, buffer, 64, 0, &used), __WASI_ERRNO_NOTDIR);
  EXPECT_RAW(__wasi_fd_readdir(999, buffer, 64, 0, &used), __WASI_ERRNO_BADF);
  EXPECT_RAW(__wasi_fd_readdir(kRoot, (uint8_t*)0xffffff00, 4096, 0, &used), __WASI_ERRNO_FAULT);
  EXPECT_RAW(__wasi_fd_readdir(kRoot, buffer, 64, UINT64_MAX, &used), 0);
  EXPECT_EQ(used, 0);
  EXPECT(opendir("f") == NULL);
  EXPECT_EQ(errno, ENOTDIR);
  EXPECT(opendir("none") == NULL);
  EXPECT_EQ(errno, ENOENT);
  return ok();
}
