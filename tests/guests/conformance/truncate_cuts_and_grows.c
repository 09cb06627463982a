// ftruncate cuts what is behind, and grows with zeros.
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int fd = opened("f", O_RDWR);
  EXPECT_OK(ftruncate(fd, 4));
  EXPECT_TEXT(text_of("f"), "0123");
  EXPECT_OK(ftruncate(fd, 8));
  char got[8];
  EXPECT_EQ(pread(fd, got, 8, 0), 8);
  EXPECT(memcmp(got, "0123\0\0\0\0", 8) == 0);
  EXPECT_ERRNO(ftruncate(fd, -1), EINVAL);
  EXPECT_ERRNO(ftruncate(fd, INT64_MAX), EFBIG);
  EXPECT_ERRNO(ftruncate(opened("/", O_RDONLY), 0), EINVAL);
  return ok();
}
