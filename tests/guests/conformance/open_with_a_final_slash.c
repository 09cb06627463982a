// A path that ends in a slash means a directory; nothing is created there.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("f", "");
  EXPECT_OK(close(opened("d/", O_RDONLY)));
  EXPECT_OK(close(opened("d///", O_RDONLY)));
  EXPECT_ERRNO(open("f/", O_RDONLY), ENOTDIR);
  EXPECT_ERRNO(open("none/", O_RDONLY), ENOENT);
  EXPECT_ERRNO(open("none/", O_WRONLY | O_CREAT, 0600), EISDIR);
  EXPECT_ERRNO(open("f/", O_WRONLY | O_CREAT, 0600), EISDIR);
  return ok();
}
