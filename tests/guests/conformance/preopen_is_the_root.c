// One folder is opened before the program starts: the root.
#include "check.h"

int main(void) {
  __wasi_prestat_t stat;
  EXPECT_RAW(__wasi_fd_prestat_get(kRoot, &stat), 0);
  EXPECT_EQ(stat.tag, __WASI_PREOPENTYPE_DIR);
  EXPECT_EQ(stat.u.dir.pr_name_len, 1);
  uint8_t name[4] = {0};
  EXPECT_RAW(__wasi_fd_prestat_dir_name(kRoot, name, 0), __WASI_ERRNO_NAMETOOLONG);
  EXPECT_RAW(__wasi_fd_prestat_dir_name(kRoot, name, sizeof name), 0);
  EXPECT_TEXT((const char*)name, "/");
  EXPECT_RAW(__wasi_fd_prestat_get(kRoot + 1, &stat), __WASI_ERRNO_BADF);
  EXPECT_RAW(__wasi_fd_prestat_get(1, &stat), __WASI_ERRNO_BADF);
  return ok();
}
