// posix_fallocate answers as Linux does to what it cannot do.
#include "check.h"

int main(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  EXPECT_EQ(posix_fallocate(fd, 0, 0), EINVAL);
  EXPECT_EQ(posix_fallocate(fd, -1, 10), EINVAL);
  EXPECT_EQ(posix_fallocate(fd, 0, -1), EINVAL);
  EXPECT_EQ(posix_fallocate(fd, INT64_MAX - 5, 5), EFBIG);
  EXPECT_EQ(posix_fallocate(fd, 0, 1LL << 40), ENOSPC);
  EXPECT_EQ(posix_fallocate(1, 0, 1), ESPIPE);
  EXPECT_EQ(posix_fallocate(opened("/", O_RDONLY), 0, 1), EBADF);
  EXPECT_EQ(posix_fallocate(999, 0, 1), EBADF);
  EXPECT_EQ(posix_fallocate(opened("/dev/null", O_RDWR), 0, 5), ENODEV);
  EXPECT_EQ(posix_fallocate(opened("/dev/null", O_RDWR), 0, 0), EINVAL);
  EXPECT_EQ(posix_fallocate(opened("/dev/null", O_RDONLY), 0, 5), EBADF);
  EXPECT_EQ(posix_fallocate(opened("f", O_RDONLY), 0, 5), EBADF);
  EXPECT_EQ(posix_fallocate(opened("f", O_RDONLY), 0, 0), EINVAL);
  return ok();
}
