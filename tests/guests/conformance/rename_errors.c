// rename answers as rename(2).
#include "check.h"

int main(void) {
  make_file("f", "");
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_OK(mkdir("full", 0700));
  make_file("full/x", "");
  EXPECT_ERRNO(rename("none", "x"), ENOENT);
  EXPECT_ERRNO(rename("f", "none/x"), ENOENT);
  EXPECT_RAW(__wasi_path_rename(kRoot, "f", kRoot, ""), __WASI_ERRNO_NOENT);
  EXPECT_RAW(__wasi_path_rename(kRoot, "", kRoot, "x"), __WASI_ERRNO_NOENT);
  EXPECT_ERRNO(rename("f", "d"), EISDIR);
  EXPECT_ERRNO(rename("d", "f"), ENOTDIR);
  EXPECT_ERRNO(rename("d", "full"), ENOTEMPTY);
  EXPECT_ERRNO(rename("f", "f/x"), ENOTDIR);
  EXPECT_ERRNO(rename("f/", "x"), ENOTDIR);
  EXPECT_ERRNO(rename("f", "x/"), ENOTDIR);
  EXPECT_ERRNO(rename("d", "d/x"), EINVAL);
  EXPECT_ERRNO(rename("full/x", "full"), ENOTEMPTY);
  EXPECT_ERRNO(rename("d/.", "x"), EBUSY);
  EXPECT_ERRNO(rename("d", "full/.."), EBUSY);
  EXPECT_RAW(__wasi_path_rename(kRoot, "/", kRoot, "x"), __WASI_ERRNO_BUSY);
  return ok();
}
