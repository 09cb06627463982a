// A directory can be rewound.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  const int fd = opened("d", O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(lseek(fd, 0, SEEK_SET), 0);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 0);
  EXPECT_ERRNO(lseek(fd, -1, SEEK_SET), EINVAL);
  return ok();
}
