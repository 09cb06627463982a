// Times go to what a link points to, or to the link itself.
#include "check.h"

int main(void) {
  make_file("f", "");
  EXPECT_OK(symlink("f", "s"));
  const struct timespec one[2] = {{1, 0}, {1, 0}}, two[2] = {{2, 0}, {2, 0}};
  EXPECT_OK(utimensat(AT_FDCWD, "s", one, 0));
  EXPECT_OK(utimensat(AT_FDCWD, "s", two, AT_SYMLINK_NOFOLLOW));
  EXPECT_EQ(stat_of("f").st_mtim.tv_sec, 1);
  EXPECT_EQ(stat_of("s").st_mtim.tv_sec, 2);
  return ok();
}
