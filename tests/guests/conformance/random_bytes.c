// Random bytes differ from draw to draw; none is a fine number of them.
#include "check.h"

int main(void) {
  unsigned char a[4096], b[4096];
  EXPECT_RAW(__wasi_random_get(a, sizeof a), 0);
  EXPECT_RAW(__wasi_random_get(b, sizeof b), 0);
  EXPECT(memcmp(a, b, sizeof a) != 0);
  EXPECT_RAW(__wasi_random_get(a, 0), 0);
  EXPECT_RAW(__wasi_random_get((uint8_t*)0xfffffff0, 32), __WASI_ERRNO_FAULT);
  return ok();
}
