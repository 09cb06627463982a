// symlink answers as symlink(2); what it points to does not matter.
#include "check.h"

int main(void) {
  make_file("f", "");
  EXPECT_ERRNO(symlink("x", "f"), EEXIST);
  EXPECT_ERRNO(symlink("", "s"), ENOENT);
  EXPECT_RAW(__wasi_path_symlink("x", kRoot, ""), __WASI_ERRNO_NOENT);
  EXPECT_ERRNO(symlink("x", "none/s"), ENOENT);
  EXPECT_ERRNO(symlink("x", "f/s"), ENOTDIR);
  EXPECT_ERRNO(symlink("x", "s/"), ENOENT);
  EXPECT_OK(symlink("nowhere/at/all", "s"));
  EXPECT_EQ(stat_of("s").st_size, 14);
  EXPECT_ERRNO(open("s", O_RDONLY), ENOENT);
  EXPECT_ERRNO(symlink("x", "s"), EEXIST);
  return ok();
}
