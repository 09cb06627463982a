// A write with O_DSYNC or O_SYNC returns when it is durable, as an fsync would.
#include "check.h"

int main(void) {
  const int modes[] = {O_DSYNC, O_SYNC, O_RSYNC};
  for (int i = 0; i < 3; ++i) {
    const int fd = opened("f", O_RDWR | O_CREAT | modes[i]);
    const uint64_t begin = now_of(__WASI_CLOCKID_MONOTONIC);
    EXPECT_EQ(pwrite(fd, "text", 4, 0), 4);
    EXPECT_EQ(write(fd, "text", 4), 4);
    EXPECT(now_of(__WASI_CLOCKID_MONOTONIC) - begin >= 50 * 1000);
    EXPECT_OK(close(fd));
  }
  return ok();
}
