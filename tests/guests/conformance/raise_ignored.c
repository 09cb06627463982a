// Signals that do nothing by default do nothing; unknown ones are EINVAL (raise(3)).
#include "check.h"

__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_raise"))) uint32_t
raise_signal(uint32_t signal);

int main(void) {
  EXPECT_RAW(raise_signal(0), 0);
  EXPECT_RAW(raise_signal(16), 0);    // chld
  EXPECT_RAW(raise_signal(27), 0);    // winch
  EXPECT_RAW(raise_signal(31), __WASI_ERRNO_INVAL);
  return ok();
}
