// A name has at most 255 bytes, a path at most 4,095.
#include "check.h"

int main(void) {
  static char name[300], path[9000];
  memset(name, 'n', 255);
  make_file(name, "x");
  EXPECT_TEXT(text_of(name), "x");
  name[255] = 'n';
  EXPECT_ERRNO(open(name, O_WRONLY | O_CREAT, 0600), ENAMETOOLONG);
  EXPECT_ERRNO(mkdir(name, 0700), ENAMETOOLONG);
  struct stat st;
  EXPECT_ERRNO(stat(name, &st), ENAMETOOLONG);
  for (int i = 0; i < 4094; i += 2) memcpy(path + i, "./", 2);
  EXPECT_OK(stat(path, &st));
  memset(path, '.', 8000);
  EXPECT_ERRNO(stat(path, &st), ENAMETOOLONG);
  EXPECT_ERRNO(symlink(path, "s"), ENAMETOOLONG);
  return ok();
}
