// Standard input ends at once, and cannot be written.
#include "check.h"

int main(void) {
  char byte = 0;
  EXPECT_EQ(read(0, &byte, 1), 0);
  EXPECT_ERRNO(write(0, "x", 1), EBADF);
  return ok();
}
