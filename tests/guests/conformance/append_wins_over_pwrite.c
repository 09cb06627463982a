// With O_APPEND Linux appends what pwrite was to write elsewhere (pwrite(2), bugs).
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int fd = opened("f", O_RDWR | O_APPEND);
  EXPECT_EQ(lseek(fd, 3, SEEK_SET), 3);
  EXPECT_EQ(pwrite(fd, "ab", 2, 0), 2);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 3);
  EXPECT_TEXT(text_of("f"), "0123456789ab");
  return ok();
}
