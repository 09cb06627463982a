// O_CREAT on a link that leads nowhere makes what it points to.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_OK(symlink("d/new", "s"));
  make_file("s", "made");
  EXPECT_TEXT(text_of("d/new"), "made");
  EXPECT(S_ISLNK(stat_of("s").st_mode));
  EXPECT_OK(symlink("none/new", "t"));
  EXPECT_ERRNO(open("t", O_WRONLY | O_CREAT, 0600), ENOENT);
  return ok();
}
