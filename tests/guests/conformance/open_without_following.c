// O_NOFOLLOW refuses a link as the last part of a path, and only there.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("d/f", "text");
  EXPECT_OK(symlink("d", "to-d"));
  EXPECT_OK(symlink("d/f", "to-f"));
  EXPECT_ERRNO(open("to-f", O_RDONLY | O_NOFOLLOW), ELOOP);
  EXPECT_ERRNO(open("to-d", O_RDONLY | O_NOFOLLOW | O_DIRECTORY), ENOTDIR);
  EXPECT_OK(close(opened("to-d/f", O_RDONLY | O_NOFOLLOW)));
  EXPECT_OK(close(opened("to-d/", O_RDONLY | O_NOFOLLOW)));
  return ok();
}
