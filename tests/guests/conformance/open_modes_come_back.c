// fcntl(F_GETFL) tells what open was asked for.
#include "check.h"

int main(void) {
  make_file("f", "text");
  const int modes[] = {O_RDONLY, O_WRONLY, O_RDWR};
  const int flags[] = {0, O_APPEND, O_NONBLOCK, O_DSYNC, O_SYNC, O_RSYNC, O_APPEND | O_NONBLOCK};
  for (size_t m = 0; m < sizeof modes / sizeof *modes; ++m) {
    for (size_t f = 0; f < sizeof flags / sizeof *flags; ++f) {
      const int fd = opened("f", modes[m] | flags[f]);
      EXPECT_EQ(fcntl(fd, F_GETFL), modes[m] | flags[f]);
      EXPECT_OK(close(fd));
    }
  }
  return ok();
}
