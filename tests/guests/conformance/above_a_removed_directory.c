// A removed directory that is open still knows what was above it, though that is removed too.
#include "check.h"

int main(void) {
  struct stat above;
  EXPECT_OK(mkdir("a", 0700));
  EXPECT_OK(mkdir("a/b", 0700));
  EXPECT_OK(mkdir("a/b/c", 0700));
  const struct stat a = stat_of("a");
  const int fd = opened("a/b/c", O_RDONLY | O_DIRECTORY);
  EXPECT_OK(rmdir("a/b/c"));
  EXPECT_OK(rmdir("a/b"));
  EXPECT_OK(fstatat(fd, "../..", &above, 0));
  EXPECT_EQ(above.st_ino, a.st_ino);
  EXPECT_OK(rmdir("a"));
  EXPECT_OK(fstatat(fd, "../..", &above, 0));
  EXPECT_EQ(above.st_ino, a.st_ino);
  EXPECT_ERRNO(openat(fd, "../x", O_WRONLY | O_CREAT, 0600), ENOENT);
  EXPECT_ERRNO(fstatat(fd, "../b", &above, 0), ENOENT);
  EXPECT_OK(close(fd));
  EXPECT_OK(mkdir("a", 0700));
  return ok();
}
