// rmdir answers as rmdir(2).
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_OK(mkdir("d/sub", 0700));
  make_file("f", "");
  EXPECT_OK(symlink("d/sub", "link"));
  EXPECT_ERRNO(rmdir("d"), ENOTEMPTY);
  EXPECT_ERRNO(rmdir("f"), ENOTDIR);
  EXPECT_ERRNO(rmdir("link"), ENOTDIR);
  EXPECT_ERRNO(rmdir("link/"), ENOTDIR);
  EXPECT_ERRNO(rmdir("none"), ENOENT);
  EXPECT_RAW(__wasi_path_remove_directory(kRoot, ""), __WASI_ERRNO_NOENT);
  EXPECT_ERRNO(rmdir("d/."), EINVAL);
  EXPECT_ERRNO(rmdir("d/sub/.."), ENOTEMPTY);
  EXPECT_RAW(__wasi_path_remove_directory(kRoot, "/"), __WASI_ERRNO_BUSY);
  EXPECT_OK(rmdir("d/sub/"));
  EXPECT_OK(rmdir("d"));
  return ok();
}
