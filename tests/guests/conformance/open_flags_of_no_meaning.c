// Flags that preview 1 does not have are EINVAL.
#include "check.h"

int main(void) {
  __wasi_fd_t fd = 0;
  EXPECT_RAW(__wasi_path_open(kRoot, 2, "f", 1, 0, 0, 0, &fd), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_path_open(kRoot, 0, "f", 1 << 4, 0, 0, 0, &fd), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_path_open(kRoot, 0, "f", 1, 0, 0, 1 << 5, &fd), __WASI_ERRNO_INVAL);
  __wasi_filestat_t stat;
  EXPECT_RAW(__wasi_path_filestat_get(kRoot, 4, ".", &stat), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_path_filestat_get(kRoot, 0, "f", &stat), __WASI_ERRNO_NOENT);
  return ok();
}
