// Standard output is for writing, no terminal, and cannot seek or sync.
#include "check.h"

int main(void) {
  char byte = 0;
  EXPECT_EQ(isatty(1), 0);
  EXPECT_ERRNO(read(1, &byte, 1), EBADF);
  EXPECT_ERRNO(lseek(1, 0, SEEK_CUR), ESPIPE);
  EXPECT_ERRNO(pwrite(1, "x", 1, 0), ESPIPE);
  EXPECT_ERRNO(fsync(1), EINVAL);
  EXPECT_ERRNO(ftruncate(1, 0), EINVAL);
  EXPECT_EQ(fdstat_of(1).fs_filetype, __WASI_FILETYPE_CHARACTER_DEVICE);
  return ok();
}
