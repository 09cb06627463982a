// A file without a name goes on for who has it open.
#include "check.h"

int main(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  EXPECT_OK(unlink("f"));
  struct stat st;
  EXPECT_ERRNO(stat("f", &st), ENOENT);
  EXPECT_EQ(write(fd, "still here", 10), 10);
  char got[11] = {0};
  EXPECT_EQ(pread(fd, got, 10, 0), 10);
  EXPECT_TEXT(got, "still here");
  EXPECT_OK(fstat(fd, &st));
  EXPECT_EQ(st.st_nlink, 0);
  EXPECT_OK(fsync(fd));
  make_file("f", "another one");
  EXPECT(stat_of("f").st_ino != st.st_ino);
  return ok();
}
