// posix_fallocate grows a file with zeros, keeps what is there and never shrinks.
#include "check.h"

int main(void) {
  make_file("f", "head");
  const int fd = opened("f", O_RDWR);
  EXPECT_EQ(posix_fallocate(fd, 2, 10000), 0);
  EXPECT_EQ(stat_of("f").st_size, 10002);
  EXPECT_EQ(posix_fallocate(fd, 0, 3), 0);
  EXPECT_EQ(stat_of("f").st_size, 10002);
  EXPECT_TEXT(text_of("f"), "head");
  return ok();
}
