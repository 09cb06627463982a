// A buffer too small for an entry is filled with its beginning; a larger one then gets it.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("d/a-name-of-some-length", "");
  const __wasi_fd_t fd = (__wasi_fd_t)opened("d", O_RDONLY | O_DIRECTORY);
  uint8_t whole[256], cut[256];
  __wasi_size_t all = 0, used = 0;
  EXPECT_RAW(__wasi_fd_readdir(fd, whole, sizeof whole, 0, &all), 0);
  EXPECT_EQ(all, 3 * sizeof(__wasi_dirent_t) + 1 + 2 + 21);
  for (__wasi_size_t size = 0; size <= all; ++size) {
    memset(cut, 0xee, sizeof cut);
    EXPECT_RAW(__wasi_fd_readdir(fd, cut, size, 0, &used), 0);
    EXPECT_EQ(used, size);
    EXPECT(memcmp(whole, cut, size) == 0);
    EXPECT_EQ(cut[size], 0xee);
  }
  return ok();
}
