// Forty links in a row are followed, one more is ELOOP (path_resolution(7)).
#include "check.h"

int main(void) {
  char from[16], to[16] = "end";
  make_file("end", "found");
  for (int i = 1; i <= 41; ++i) {
    snprintf(from, sizeof from, "l%d", i);
    EXPECT_OK(symlink(to, from));
    strcpy(to, from);
  }
  EXPECT_TEXT(text_of("l40"), "found");
  EXPECT_ERRNO(open("l41", O_RDONLY), ELOOP);
  return ok();
}
