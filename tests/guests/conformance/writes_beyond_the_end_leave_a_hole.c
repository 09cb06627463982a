// What lies between the old end and a later write reads as zeros.
#include "check.h"

int main(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  EXPECT_EQ(write(fd, "ab", 2), 2);
  EXPECT_EQ(lseek(fd, 100000, SEEK_SET), 100000);
  EXPECT_EQ(stat_of("f").st_size, 2);
  EXPECT_EQ(write(fd, "yz", 2), 2);
  EXPECT_EQ(stat_of("f").st_size, 100002);
  char got[4] = {1, 1, 1, 1};
  EXPECT_EQ(pread(fd, got, 4, 99998), 4);
  EXPECT(memcmp(got, "\0\0yz", 4) == 0);
  EXPECT_EQ(pread(fd, got, 4, 1), 4);
  EXPECT(memcmp(got, "b\0\0\0", 4) == 0);
  return ok();
}
