// Several buffers are filled and written one after the other.
#include "check.h"

int main(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  struct iovec out[3] = {{"abc", 3}, {"", 0}, {"defgh", 5}};
  EXPECT_EQ(writev(fd, out, 3), 8);
  char a[3] = {0}, b[4] = {0}, c[9] = {0};
  struct iovec in[3] = {{a, 2}, {b, 3}, {c, 8}};
  EXPECT_EQ(preadv(fd, in, 3, 0), 8);
  EXPECT_TEXT(a, "ab");
  EXPECT_TEXT(b, "cde");
  EXPECT_TEXT(c, "fgh");
  EXPECT_EQ(pwritev(fd, out, 3, 4), 8);
  EXPECT_TEXT(text_of("f"), "abcdabcdefgh");
  return ok();
}
