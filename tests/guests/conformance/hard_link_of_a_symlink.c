// link names the symbolic link itself, unless it is told to follow.
#include "check.h"

int main(void) {
  make_file("a", "content");
  EXPECT_OK(symlink("a", "s"));
  EXPECT_OK(link("s", "t"));
  EXPECT(S_ISLNK(stat_of("t").st_mode));
  EXPECT_OK(linkat(kRoot, "s", kRoot, "u", AT_SYMLINK_FOLLOW));
  EXPECT(S_ISREG(stat_of("u").st_mode));
  EXPECT_EQ(stat_of("a").st_nlink, 2);
  EXPECT_RAW(__wasi_path_link(kRoot, 2, "a", kRoot, "v"), __WASI_ERRNO_INVAL);
  return ok();
}
