// A directory may replace an empty one, and takes what is in it along.
#include "check.h"

int main(void) {
  const nlink_t before = stat_of("/").st_nlink;
  EXPECT_OK(mkdir("a", 0700));
  make_file("a/f", "inside");
  EXPECT_OK(mkdir("b", 0700));
  EXPECT_OK(rename("a", "b"));
  EXPECT_TEXT(text_of("b/f"), "inside");
  EXPECT_OK(mkdir("c", 0700));
  EXPECT_OK(rename("b", "c/moved/"));
  EXPECT_TEXT(text_of("c/moved/f"), "inside");
  EXPECT_TEXT(text_of("c/moved/../moved/f"), "inside");
  EXPECT_EQ(stat_of("c").st_nlink, 3);
  EXPECT_EQ(stat_of("/").st_nlink, before + 1);
  return ok();
}
