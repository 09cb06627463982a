// Four clocks have a resolution and a time; there is no fifth (clock_getres(2)).
#include "check.h"

int main(void) {
  __wasi_timestamp_t value = 0;
  for (__wasi_clockid_t id = 0; id < 4; ++id) {
    EXPECT_RAW(__wasi_clock_res_get(id, &value), 0);
    EXPECT(value > 0);
    EXPECT_RAW(__wasi_clock_time_get(id, 0, &value), 0);
  }
  EXPECT_RAW(__wasi_clock_res_get(4, &value), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_clock_time_get(4, 0, &value), __WASI_ERRNO_INVAL);
  return ok();
}
