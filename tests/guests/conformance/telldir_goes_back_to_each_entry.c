// seekdir(telldir()) comes back to the same entry, though a `long` has 32 bits, also when entries
// came and went meanwhile; rewinddir starts anew.
#include "check.h"

enum { kFiles = 200 };

static int next(DIR* dir, char* name) {
  const struct dirent* entry = readdir(dir);
  if (entry == NULL) return 0;
  strcpy(name, entry->d_name);
  return 1;
}

int main(void) {
  static char names[kFiles + 2][16];
  static long places[kFiles + 3];
  char name[16];
  EXPECT_OK(mkdir("d", 0700));
  for (int i = 0; i < kFiles; ++i) {
    snprintf(name, sizeof name, "d/f%d", i);
    make_file(name, "");
  }
  DIR* dir = opendir("d");
  EXPECT(dir != NULL);
  int count = 0;
  for (places[0] = telldir(dir); next(dir, name); places[count] = telldir(dir)) {
    EXPECT(count < kFiles + 2);
    EXPECT(places[count] >= 0);
    strcpy(names[count++], name);
  }
  EXPECT_EQ(count, kFiles + 2);
  for (int i = count - 1; i >= 0; --i) {
    seekdir(dir, places[i]);
    EXPECT(next(dir, name));
    EXPECT_TEXT(name, names[i]);
  }
  seekdir(dir, places[count]);
  EXPECT(!next(dir, name));

  // The place before an entry that went leads to the next one that stayed.
  for (int i = 2; i < count; i += 2) {
    snprintf(name, sizeof name, "d/%s", names[i]);
    EXPECT_OK(unlink(name));
  }
  for (int i = 2; i + 1 < count; i += 2) {
    seekdir(dir, places[i]);
    EXPECT(next(dir, name));
    EXPECT_TEXT(name, names[i + 1]);
  }
  rewinddir(dir);
  EXPECT_EQ(telldir(dir), places[0]);
  EXPECT(next(dir, name));
  EXPECT_TEXT(name, names[0]);
  EXPECT_OK(closedir(dir));
  return ok();
}
