// What was opened with O_WRONLY cannot be read, and the other way round.
#include "check.h"

int main(void) {
  make_file("f", "text");
  char byte = 0;
  const int writer = opened("f", O_WRONLY);
  EXPECT_ERRNO(read(writer, &byte, 1), EBADF);
  EXPECT_ERRNO(pread(writer, &byte, 1, 0), EBADF);
  const int reader = opened("f", O_RDONLY);
  EXPECT_ERRNO(write(reader, "x", 1), EBADF);
  EXPECT_ERRNO(pwrite(reader, "x", 1, 0), EBADF);
  EXPECT_ERRNO(ftruncate(reader, 0), EINVAL);
  EXPECT_EQ(posix_fallocate(reader, 0, 1), EBADF);
  EXPECT_OK(fsync(reader));
  EXPECT_OK(fdatasync(reader));
  return ok();
}
