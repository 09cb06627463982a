// fsync and fdatasync work on whatever has content on the disk.
#include "check.h"

int main(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  EXPECT_EQ(write(fd, "text", 4), 4);
  EXPECT_OK(fdatasync(fd));
  EXPECT_OK(fsync(fd));
  EXPECT_OK(fsync(opened("f", O_RDONLY)));
  const int dir = opened("/", O_RDONLY | O_DIRECTORY);
  EXPECT_OK(fsync(dir));
  EXPECT_OK(fdatasync(dir));
  EXPECT_ERRNO(fdatasync(1), EINVAL);
  return ok();
}
