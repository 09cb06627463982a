// Directories open for reading only, and O_DIRECTORY opens nothing else.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("f", "");
  EXPECT_OK(close(opened("d", O_RDONLY)));
  EXPECT_OK(close(opened("d", O_RDONLY | O_DIRECTORY)));
  EXPECT_ERRNO(open("d", O_WRONLY), EISDIR);
  EXPECT_ERRNO(open("d", O_RDWR), EISDIR);
  EXPECT_ERRNO(open("d", O_RDONLY | O_CREAT, 0600), EISDIR);
  EXPECT_ERRNO(open("f", O_RDONLY | O_DIRECTORY), ENOTDIR);
  EXPECT_ERRNO(open("none", O_RDONLY | O_DIRECTORY), ENOENT);
  EXPECT_ERRNO(open("none", O_RDONLY | O_DIRECTORY | O_CREAT, 0600), EINVAL);
  char byte = 0;
  const int fd = opened("d", O_RDONLY);
  EXPECT_ERRNO(read(fd, &byte, 1), EISDIR);
  EXPECT_ERRNO(pread(fd, &byte, 1, 0), EISDIR);
  EXPECT_ERRNO(write(fd, &byte, 1), EBADF);
  return ok();
}
