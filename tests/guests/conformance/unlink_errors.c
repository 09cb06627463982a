// unlink answers as unlink(2).
#include "check.h"

int main(void) {
  make_file("f", "");
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_RAW(__wasi_path_unlink_file(kRoot, "d"), __WASI_ERRNO_ISDIR);
  EXPECT_RAW(__wasi_path_unlink_file(kRoot, "d/"), __WASI_ERRNO_ISDIR);
  EXPECT_RAW(__wasi_path_unlink_file(kRoot, "d/."), __WASI_ERRNO_ISDIR);
  EXPECT_RAW(__wasi_path_unlink_file(kRoot, "d/.."), __WASI_ERRNO_ISDIR);
  EXPECT_RAW(__wasi_path_unlink_file(kRoot, "/"), __WASI_ERRNO_ISDIR);
  EXPECT_ERRNO(unlink("f/"), ENOTDIR);
  EXPECT_ERRNO(unlink("f/x"), ENOTDIR);
  EXPECT_ERRNO(unlink("none"), ENOENT);
  EXPECT_ERRNO(unlink("none/"), ENOENT);
  EXPECT_RAW(__wasi_path_unlink_file(kRoot, ""), __WASI_ERRNO_NOENT);
  EXPECT_OK(unlink("f"));
  return ok();
}
