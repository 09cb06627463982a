// posix_fadvise takes all six kinds of advice and changes nothing.
#include "check.h"

int main(void) {
  make_file("f", "text");
  const int fd = opened("f", O_RDONLY);
  for (int advice = 0; advice < 6; ++advice) EXPECT_EQ(posix_fadvise(fd, 0, 0, advice), 0);
  EXPECT_EQ(posix_fadvise(fd, 0, 0, 6), EINVAL);
  EXPECT_EQ(posix_fadvise(fd, 0, -1, 0), EINVAL);
  EXPECT_EQ(posix_fadvise(1, 0, 0, 0), ESPIPE);
  EXPECT_EQ(posix_fadvise(999, 0, 0, 0), EBADF);
  return ok();
}
