// A rename replaces a file at once; who has the old one open keeps it.
#include "check.h"

int main(void) {
  make_file("a", "new");
  make_file("b", "old");
  const int old = opened("b", O_RDONLY);
  EXPECT_OK(rename("a", "b"));
  EXPECT_TEXT(text_of("b"), "new");
  struct stat st;
  EXPECT_ERRNO(stat("a", &st), ENOENT);
  char got[4] = {0};
  EXPECT_EQ(read(old, got, 3), 3);
  EXPECT_TEXT(got, "old");
  EXPECT_OK(fstat(old, &st));
  EXPECT_EQ(st.st_nlink, 0);
  return ok();
}
