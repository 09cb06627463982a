// Links that lead into a loop are ELOOP, wherever they stand in a path.
#include "check.h"

int main(void) {
  EXPECT_OK(symlink("b", "a"));
  EXPECT_OK(symlink("a", "b"));
  EXPECT_OK(symlink("self/x", "self"));
  struct stat st;
  EXPECT_ERRNO(stat("a", &st), ELOOP);
  EXPECT_ERRNO(open("a", O_RDWR | O_CREAT, 0600), ELOOP);
  EXPECT_ERRNO(stat("a/file", &st), ELOOP);
  EXPECT_ERRNO(stat("self", &st), ELOOP);
  EXPECT_ERRNO(mkdir("a/d", 0700), ELOOP);
  EXPECT_OK(lstat("a", &st));
  EXPECT_OK(unlink("a"));
  return ok();
}
