// Writes move the modification time, names that come and go that of their directory.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("d/f", "");
  const struct timespec old[2] = {{1, 0}, {1, 0}};
  EXPECT_OK(utimensat(AT_FDCWD, "d/f", old, 0));
  EXPECT_OK(utimensat(AT_FDCWD, "d", old, 0));
  const int fd = opened("d/f", O_WRONLY);
  EXPECT_EQ(stat_of("d/f").st_mtim.tv_sec, 1);
  EXPECT_EQ(write(fd, "x", 1), 1);
  EXPECT(stat_of("d/f").st_mtim.tv_sec > 1);
  EXPECT_EQ(stat_of("d").st_mtim.tv_sec, 1);
  EXPECT_OK(unlink("d/f"));
  EXPECT(stat_of("d").st_mtim.tv_sec > 1);
  return ok();
}
