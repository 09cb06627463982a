// A write with O_APPEND that writes nothing leaves the offset where it was.
#include "check.h"

int main(void) {
  static char page[4096];
  make_file("f", "hello");
  const int fd = opened("f", O_RDWR | O_APPEND);
  EXPECT_EQ(lseek(fd, 1, SEEK_SET), 1);
  EXPECT_EQ(write(fd, "", 0), 0);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 1);

  const int reader = opened("f", O_RDONLY | O_APPEND);
  EXPECT_ERRNO(write(reader, "x", 1), EBADF);
  EXPECT_EQ(lseek(reader, 0, SEEK_CUR), 0);

  const int last = opened("last", O_RDWR | O_CREAT | O_APPEND);
  EXPECT_EQ(write(last, page, sizeof page), (ssize_t)sizeof page);
  EXPECT_EQ(lseek(last, 3, SEEK_SET), 3);
  const int big = opened("big", O_WRONLY | O_CREAT);
  while (write(big, page, sizeof page) > 0) {}
  EXPECT_ERRNO(write(last, page, sizeof page), ENOSPC);
  EXPECT_EQ(lseek(last, 0, SEEK_CUR), 3);
  return ok();
}
