// With O_APPEND each write goes to the end, wherever the offset was.
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int fd = opened("f", O_RDWR | O_APPEND);
  EXPECT_EQ(lseek(fd, 2, SEEK_SET), 2);
  EXPECT_EQ(write(fd, "ab", 2), 2);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 12);
  EXPECT_OK(truncate("f", 4));
  EXPECT_EQ(write(fd, "cd", 2), 2);
  EXPECT_TEXT(text_of("f"), "0123cd");
  return ok();
}
