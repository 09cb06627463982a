// A relative link counts from where it lies, and text behind it goes on.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_OK(mkdir("d/e", 0700));
  make_file("d/f", "in d");
  EXPECT_OK(symlink("../f", "d/e/up"));
  EXPECT_OK(symlink("d/e", "way"));
  EXPECT_TEXT(text_of("d/e/up"), "in d");
  EXPECT_TEXT(text_of("way/up"), "in d");
  EXPECT_TEXT(text_of("way/../f"), "in d");
  make_file("way/new", "through a link");
  EXPECT_TEXT(text_of("d/e/new"), "through a link");
  return ok();
}
