// A slash behind a link follows it to a directory, but not for what changes the name itself.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("f", "");
  EXPECT_OK(symlink("d", "to-d"));
  EXPECT_OK(symlink("f", "to-f"));
  struct stat st;
  EXPECT_OK(lstat("to-d/", &st));
  EXPECT(S_ISDIR(st.st_mode));
  EXPECT_ERRNO(lstat("to-f/", &st), ENOTDIR);
  EXPECT_ERRNO(unlink("to-d/"), ENOTDIR);
  EXPECT_ERRNO(rename("to-d/", "other"), ENOTDIR);
  EXPECT_ERRNO(mkdir("to-d/", 0700), EEXIST);
  EXPECT(S_ISLNK(stat_of("to-d").st_mode));
  return ok();
}
