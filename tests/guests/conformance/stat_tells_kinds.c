// stat follows links and lstat does not; each kind has its size and count of links.
#include "check.h"

int main(void) {
  make_file("f", "12345");
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_OK(mkdir("d/sub", 0700));
  EXPECT_OK(symlink("f", "s"));
  struct stat st;
  EXPECT_OK(stat("s", &st));
  EXPECT(S_ISREG(st.st_mode));
  EXPECT_EQ(st.st_size, 5);
  EXPECT(S_ISLNK(stat_of("s").st_mode));
  EXPECT_EQ(stat_of("s").st_size, 1);
  EXPECT(S_ISDIR(stat_of("d").st_mode));
  EXPECT_EQ(stat_of("d").st_nlink, 3);
  EXPECT_EQ(stat_of("f").st_nlink, 1);
  EXPECT_EQ(stat_of("f").st_dev, stat_of("d").st_dev);
  const int fd = opened("f", O_RDONLY);
  EXPECT_OK(fstat(fd, &st));
  EXPECT_EQ(st.st_ino, stat_of("f").st_ino);
  return ok();
}
