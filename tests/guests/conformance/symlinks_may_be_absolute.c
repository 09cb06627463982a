// An absolute link starts at the root of the node's disk.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("f", "at the root");
  EXPECT_OK(symlink("/f", "d/link"));
  EXPECT_TEXT(text_of("d/link"), "at the root");
  EXPECT_OK(symlink("/", "d/root"));
  EXPECT_TEXT(text_of("d/root/f"), "at the root");
  EXPECT_TEXT(text_of("d/root/d/root/d/link"), "at the root");
  char target[8] = {0};
  EXPECT_EQ(readlink("d/link", target, sizeof target), 2);
  EXPECT_TEXT(target, "/f");
  return ok();
}
