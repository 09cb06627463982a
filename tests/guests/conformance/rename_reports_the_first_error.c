// Of two errors rename reports the one that Linux meets first: both directories are walked, then
// "." and ".." are refused, then the names are looked up.
#include "check.h"

int main(void) {
  char longer[300] = "d/";
  memset(longer + 2, 'y', 276);
  EXPECT_OK(mkdir("d", 0700));
  make_file("d/f", "");
  EXPECT_OK(symlink("loop", "d/loop"));
  EXPECT_ERRNO(rename("d/none", "d/.."), EBUSY);
  EXPECT_ERRNO(rename("d/none", "d/."), EBUSY);
  EXPECT_ERRNO(rename("d/f/", "d/.."), EBUSY);
  EXPECT_ERRNO(rename("d/none", "d/f/x"), ENOTDIR);
  EXPECT_ERRNO(rename("d/none", "d/loop/x"), ELOOP);
  EXPECT_ERRNO(rename("d/.", "d/f/x"), ENOTDIR);
  EXPECT_ERRNO(rename(longer, "d/f/x"), ENOTDIR);
  EXPECT_ERRNO(rename(longer, "d/x"), ENAMETOOLONG);
  EXPECT_ERRNO(rename("d/none", longer), ENOENT);
  EXPECT_ERRNO(rename("d/f/", longer), ENAMETOOLONG);
  EXPECT_ERRNO(rename("d/f/", "d/x"), ENOTDIR);
  EXPECT_ERRNO(rename("d/none/x", "d/f/x"), ENOENT);
  EXPECT_OK(rename("d/loop", "d/moved"));
  return ok();
}
