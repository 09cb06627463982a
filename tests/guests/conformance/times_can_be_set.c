// Access and modification times keep their nanoseconds; the change time is now.
#include "check.h"

int main(void) {
  make_file("f", "");
  const struct timespec times[2] = {{1000, 1}, {1800000000, 999999999}};
  EXPECT_OK(utimensat(AT_FDCWD, "f", times, 0));
  struct stat st = stat_of("f");
  EXPECT_EQ(st.st_atim.tv_sec, 1000);
  EXPECT_EQ(st.st_atim.tv_nsec, 1);
  EXPECT_EQ(st.st_mtim.tv_sec, 1800000000);
  EXPECT_EQ(st.st_mtim.tv_nsec, 999999999);
  EXPECT(st.st_ctim.tv_sec >= 1735689600 && st.st_ctim.tv_sec < 1800000000);
  const struct timespec omit[2] = {{0, UTIME_OMIT}, {5, 0}};
  EXPECT_OK(futimens(opened("f", O_RDONLY), omit));
  EXPECT_EQ(stat_of("f").st_atim.tv_sec, 1000);
  EXPECT_EQ(stat_of("f").st_mtim.tv_sec, 5);
  return ok();
}
