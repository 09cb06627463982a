// O_EXCL makes a new file or fails, also on a link that leads nowhere.
#include "check.h"

int main(void) {
  EXPECT_OK(close(opened("f", O_WRONLY | O_CREAT | O_EXCL)));
  EXPECT_ERRNO(open("f", O_WRONLY | O_CREAT | O_EXCL, 0600), EEXIST);
  EXPECT_OK(symlink("nowhere", "s"));
  EXPECT_ERRNO(open("s", O_WRONLY | O_CREAT | O_EXCL, 0600), EEXIST);
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_ERRNO(open("d", O_RDONLY | O_CREAT | O_EXCL, 0600), EEXIST);
  return ok();
}
