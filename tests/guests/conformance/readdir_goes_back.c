// telldir and seekdir return to a place, also when names before it have gone.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  char name[32];
  for (int i = 0; i < 20; ++i) {
    snprintf(name, sizeof name, "d/%c", 'a' + i);
    make_file(name, "");
  }
  DIR* dir = opendir("d");
  char first[32] = {0}, next[32] = {0};
  do {
    strcpy(first, readdir(dir)->d_name);
  } while (first[0] == '.');
  const long place = telldir(dir);
  strcpy(next, readdir(dir)->d_name);
  snprintf(name, sizeof name, "d/%s", first);
  EXPECT_OK(unlink(name));
  seekdir(dir, place);
  EXPECT_TEXT(readdir(dir)->d_name, next);
  rewinddir(dir);
  EXPECT_TEXT(readdir(dir)->d_name, ".");
  return ok();
}
