// Reads and writes at a place do not move the offset.
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int fd = opened("f", O_RDWR);
  char got[4] = {0};
  EXPECT_EQ(lseek(fd, 1, SEEK_SET), 1);
  EXPECT_EQ(pread(fd, got, 3, 5), 3);
  EXPECT_TEXT(got, "567");
  EXPECT_EQ(pwrite(fd, "xy", 2, 8), 2);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 1);
  EXPECT_EQ(pread(fd, got, 3, 9), 1);
  EXPECT_EQ(pread(fd, got, 3, 10), 0);
  EXPECT_TEXT(text_of("f"), "01234567xy");
  return ok();
}
