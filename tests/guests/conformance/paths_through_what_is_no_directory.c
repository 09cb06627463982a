// Only directories can be walked through.
#include "check.h"

int main(void) {
  make_file("f", "");
  EXPECT_OK(mkdir("d", 0700));
  struct stat st;
  EXPECT_ERRNO(stat("f/x", &st), ENOTDIR);
  EXPECT_ERRNO(stat("f/.", &st), ENOTDIR);
  EXPECT_ERRNO(stat("f/..", &st), ENOTDIR);
  EXPECT_ERRNO(stat("none/..", &st), ENOENT);
  EXPECT_OK(stat("d/../f", &st));
  EXPECT_OK(stat("d/./../d/.", &st));
  EXPECT_OK(stat("//d///.//", &st));
  const int fd = opened("f", O_RDONLY);
  EXPECT_ERRNO(openat(fd, "x", O_RDONLY), ENOTDIR);
  EXPECT_ERRNO(mkdirat(fd, "x", 0700), ENOTDIR);
  EXPECT_ERRNO(unlinkat(fd, "x", 0), ENOTDIR);
  return ok();
}
