// The flags for "now" set the present time; two values of one time are EINVAL.
#include "check.h"

int main(void) {
  make_file("f", "");
  const struct timespec old[2] = {{1, 0}, {1, 0}};
  EXPECT_OK(utimensat(AT_FDCWD, "f", old, 0));
  // wasi-libc of 2022 makes other flags of UTIME_NOW.
  EXPECT_RAW(__wasi_fd_filestat_set_times((__wasi_fd_t)opened("f", O_RDONLY), 0, 0, 10), 0);
  EXPECT(stat_of("f").st_mtim.tv_sec >= 1735689600);
  EXPECT(stat_of("f").st_atim.tv_sec >= 1735689600);
  EXPECT_OK(utimensat(AT_FDCWD, "f", old, 0));
  EXPECT_RAW(__wasi_path_filestat_set_times(kRoot, 0, "f", 0, 0, 8), 0);
  EXPECT(stat_of("f").st_mtim.tv_sec >= 1735689600);
  EXPECT_EQ(stat_of("f").st_atim.tv_sec, 1);
  EXPECT_RAW(__wasi_path_filestat_set_times(kRoot, 0, "f", 0, 0, 3), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_path_filestat_set_times(kRoot, 0, "f", 0, 0, 12), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_path_filestat_set_times(kRoot, 0, "f", 0, 0, 16), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_path_filestat_set_times(kRoot, 0, "none", 0, 0, 1), __WASI_ERRNO_NOENT);
  return ok();
}
