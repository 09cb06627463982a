// A place below zero is EINVAL, one beyond what a file can be EFBIG, on a pipe ESPIPE.
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int fd = opened("f", O_RDWR);
  char byte = 0;
  EXPECT_ERRNO(pread(fd, &byte, 1, -1), EINVAL);
  EXPECT_ERRNO(pwrite(fd, "x", 1, -1), EINVAL);
  EXPECT_ERRNO(pwrite(fd, "x", 1, INT64_MAX), EFBIG);
  EXPECT_EQ(pread(fd, &byte, 1, INT64_MAX), 0);
  EXPECT_ERRNO(pread(0, &byte, 1, 0), ESPIPE);
  EXPECT_EQ(stat_of("f").st_size, 10);
  return ok();
}
