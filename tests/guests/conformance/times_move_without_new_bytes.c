// O_TRUNC of an empty file and posix_fallocate of what is there set mtime and ctime.
#include <time.h>

#include "check.h"

static int later(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

// What is later than in `before`: 1 for atime, 2 for mtime, 4 for ctime.
static int moved(const struct stat* before) {
  const struct stat now = stat_of("f");
  return later(now.st_atim, before->st_atim) | later(now.st_mtim, before->st_mtim) << 1 |
         later(now.st_ctim, before->st_ctim) << 2;
}

static struct stat a_moment_later(void) {
  const struct stat before = stat_of("f");
  usleep(1000);
  return before;
}

int main(void) {
  make_file("f", "");
  struct stat before = a_moment_later();
  EXPECT_OK(close(opened("f", O_RDWR)));
  EXPECT_EQ(moved(&before), 0);
  EXPECT_OK(close(opened("f", O_RDWR | O_TRUNC)));
  EXPECT_EQ(moved(&before), 6);

  const int fd = opened("f", O_RDWR);
  EXPECT_EQ(write(fd, "hello", 5), 5);
  before = a_moment_later();
  EXPECT_EQ(posix_fallocate(fd, 0, 5), 0);
  EXPECT_EQ(moved(&before), 6);
  EXPECT_EQ(stat_of("f").st_size, 5);
  before = a_moment_later();
  EXPECT_EQ(posix_fallocate(fd, 0, 0), EINVAL);
  EXPECT_EQ(moved(&before), 0);
  return ok();
}
