// After close the number means nothing, for any call.
#include "check.h"

int main(void) {
  make_file("f", "text");
  const int fd = opened("f", O_RDWR);
  EXPECT_OK(close(fd));
  char byte = 0;
  struct stat st;
  EXPECT_ERRNO(close(fd), EBADF);
  EXPECT_ERRNO(read(fd, &byte, 1), EBADF);
  EXPECT_ERRNO(write(fd, &byte, 1), EBADF);
  EXPECT_ERRNO(lseek(fd, 0, SEEK_SET), EBADF);
  EXPECT_ERRNO(fsync(fd), EBADF);
  EXPECT_ERRNO(fdatasync(fd), EBADF);
  EXPECT_ERRNO(fstat(fd, &st), EBADF);
  EXPECT_ERRNO(ftruncate(fd, 0), EBADF);
  EXPECT_ERRNO(fcntl(fd, F_GETFL), EBADF);
  EXPECT_ERRNO(openat(fd, "f", O_RDONLY), EBADF);
  return ok();
}
