// fd_renumber gives a file the number of another one, which is closed.
#include "check.h"

#include <wasi/libc.h>

int main(void) {
  make_file("a", "content of a");
  make_file("b", "content of b");
  const int a = opened("a", O_RDONLY), b = opened("b", O_RDONLY);
  EXPECT_OK(__wasilibc_fd_renumber(a, b));
  char got[13] = {0};
  EXPECT_EQ(read(b, got, 12), 12);
  EXPECT_TEXT(got, "content of a");
  EXPECT_ERRNO(read(a, got, 1), EBADF);
  EXPECT_OK(__wasilibc_fd_renumber(b, b));
  EXPECT_RAW(__wasi_fd_renumber((__wasi_fd_t)b, 999), __WASI_ERRNO_BADF);
  EXPECT_RAW(__wasi_fd_renumber(999, (__wasi_fd_t)b), __WASI_ERRNO_BADF);
  EXPECT_EQ(opened("a", O_RDONLY), a);   // the lowest number that is free
  return ok();
}
