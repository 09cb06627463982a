// 1,024 buffers are fine, one more is EINVAL (IOV_MAX).
#include "check.h"

int main(void) {
  static struct iovec many[1025];
  static char bytes[1025];
  for (int i = 0; i < 1025; ++i) {
    bytes[i] = 'x';
    many[i] = (struct iovec){&bytes[i], 1};
  }
  const int fd = opened("f", O_RDWR | O_CREAT);
  EXPECT_EQ(writev(fd, many, 1024), 1024);
  EXPECT_ERRNO(writev(fd, many, 1025), EINVAL);
  EXPECT_EQ(lseek(fd, 0, SEEK_SET), 0);
  EXPECT_ERRNO(readv(fd, many, 1025), EINVAL);
  EXPECT_EQ(readv(fd, many, 1024), 1024);
  return ok();
}
