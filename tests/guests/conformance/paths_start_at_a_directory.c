// openat and its like count from the directory that is given.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  const int d = opened("d", O_RDONLY | O_DIRECTORY);
  const int fd = openat(d, "f", O_WRONLY | O_CREAT, 0600);
  EXPECT(fd >= 0);
  EXPECT_EQ(write(fd, "text", 4), 4);
  EXPECT_TEXT(text_of("d/f"), "text");
  EXPECT_OK(renameat(d, "f", kRoot, "moved"));
  EXPECT_TEXT(text_of("moved"), "text");
  EXPECT_OK(rename("d", "e"));
  EXPECT_OK(mkdirat(d, "sub", 0700));
  struct stat st;
  EXPECT_OK(stat("e/sub", &st));
  EXPECT_OK(unlinkat(d, "sub", AT_REMOVEDIR));
  return ok();
}
