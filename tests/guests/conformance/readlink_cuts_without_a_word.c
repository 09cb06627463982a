// readlink fills a short buffer and puts no NUL; only links can be read.
#include "check.h"

int main(void) {
  EXPECT_OK(symlink("0123456789", "s"));
  make_file("f", "");
  char text[16];
  memset(text, 'x', sizeof text);
  EXPECT_EQ(readlink("s", text, 4), 4);
  EXPECT(memcmp(text, "0123xxxx", 8) == 0);
  EXPECT_EQ(readlink("s", text, sizeof text), 10);
  EXPECT_ERRNO(readlink("f", text, sizeof text), EINVAL);
  EXPECT_ERRNO(readlink("none", text, sizeof text), ENOENT);
  EXPECT_ERRNO(readlink("s", text, 0), EINVAL);
  return ok();
}
