// link answers as link(2).
#include "check.h"

int main(void) {
  make_file("a", "");
  make_file("b", "");
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_ERRNO(link("a", "b"), EEXIST);
  EXPECT_ERRNO(link("none", "c"), ENOENT);
  EXPECT_ERRNO(link("a", "none/c"), ENOENT);
  EXPECT_ERRNO(link("d", "c"), EPERM);
  EXPECT_ERRNO(link("a/", "c"), ENOTDIR);
  EXPECT_ERRNO(link("a", "c/"), ENOENT);
  EXPECT_ERRNO(link("a", "b/c"), ENOTDIR);
  EXPECT_RAW(__wasi_path_link(kRoot, 0, "a", kRoot, ""), __WASI_ERRNO_NOENT);
  return ok();
}
