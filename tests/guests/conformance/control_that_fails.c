// The control of this suite: an expectation that does not hold is reported.
// exit: 1
#include "check.h"

int main(void) {
  EXPECT_EQ(1 + 1, 3);
  return ok();
}
