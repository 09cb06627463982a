// Of buffers that overlap the later one wins.
#include "check.h"

int main(void) {
  make_file("f", "abcdef");
  const int fd = opened("f", O_RDONLY);
  char room[5] = {0};
  struct iovec in[2] = {{room, 4}, {room + 1, 2}};
  EXPECT_EQ(readv(fd, in, 2), 6);
  EXPECT_TEXT(room, "aefd");
  return ok();
}
