// A rename moves and replaces links themselves, not what they point to.
#include "check.h"

int main(void) {
  make_file("target", "text");
  EXPECT_OK(symlink("target", "a"));
  EXPECT_OK(symlink("nowhere", "b"));
  EXPECT_OK(rename("a", "b"));
  EXPECT_TEXT(text_of("b"), "text");
  make_file("f", "over a link");
  EXPECT_OK(rename("f", "b"));
  EXPECT(S_ISREG(stat_of("b").st_mode));
  EXPECT_TEXT(text_of("target"), "text");
  return ok();
}
