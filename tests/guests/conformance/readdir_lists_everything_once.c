// A directory lists each name once, with its type and inode, and . and .. too.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_OK(mkdir("d/sub", 0700));
  make_file("d/file", "");
  EXPECT_OK(symlink("file", "d/link"));
  DIR* dir = opendir("d");
  EXPECT(dir != NULL);
  int seen = 0, dots = 0;
  for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
    char path[300];
    snprintf(path, sizeof path, "d/%s", entry->d_name);
    const struct stat st = stat_of(path);
    EXPECT_EQ(entry->d_ino, st.st_ino);
    if (strcmp(entry->d_name, "file") == 0) EXPECT_EQ(entry->d_type, DT_REG);
    if (strcmp(entry->d_name, "sub") == 0) EXPECT_EQ(entry->d_type, DT_DIR);
    if (strcmp(entry->d_name, "link") == 0) EXPECT_EQ(entry->d_type, DT_LNK);
    dots += entry->d_name[0] == '.';
    ++seen;
  }
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(dots, 2);
  return ok();
}
