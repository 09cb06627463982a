// A full disk is ENOSPC; what fitted is kept, and room that is freed can be used.
#include "check.h"

int main(void) {
  static char block[1 << 20];
  const int fd = opened("big", O_RDWR | O_CREAT);
  ssize_t last = 0;
  long long total = 0;
  while ((last = write(fd, block, sizeof block)) > 0) total += last;
  EXPECT_EQ(last, -1);
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_EQ(stat_of("big").st_size, total);
  EXPECT_EQ(pwrite(fd, "x", 1, 0), 1);       // overwrites need no new block
  EXPECT_OK(ftruncate(fd, 0));
  make_file("small", "fits again");
  EXPECT_TEXT(text_of("small"), "fits again");
  return ok();
}
