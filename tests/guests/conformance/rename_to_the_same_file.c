// A rename between two names of one file does nothing.
#include "check.h"

int main(void) {
  make_file("a", "text");
  EXPECT_OK(link("a", "b"));
  EXPECT_OK(rename("a", "b"));
  EXPECT_EQ(stat_of("a").st_nlink, 2);
  EXPECT_OK(rename("a", "a"));
  EXPECT_TEXT(text_of("a"), "text");
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_OK(rename("d", "d"));
  EXPECT_OK(rename("d/", "./d"));
  return ok();
}
