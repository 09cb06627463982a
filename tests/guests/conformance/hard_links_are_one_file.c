// Two names of one file share content and inode, and count.
#include "check.h"

int main(void) {
  make_file("a", "one");
  EXPECT_OK(link("a", "b"));
  EXPECT_EQ(stat_of("a").st_ino, stat_of("b").st_ino);
  EXPECT_EQ(stat_of("a").st_nlink, 2);
  make_file("b", "two");
  EXPECT_TEXT(text_of("a"), "two");
  EXPECT_OK(unlink("a"));
  EXPECT_EQ(stat_of("b").st_nlink, 1);
  EXPECT_TEXT(text_of("b"), "two");
  return ok();
}
