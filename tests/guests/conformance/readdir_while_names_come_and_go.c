// While a directory changes under a reader, each name that stays comes exactly once.
#include "check.h"

int main(void) {
  enum { kFiles = 300 };
  static char seen[kFiles];
  char name[32];
  EXPECT_OK(mkdir("d", 0700));
  for (int i = 0; i < kFiles; ++i) {
    snprintf(name, sizeof name, "d/f%d", i);
    make_file(name, "");
  }
  const int fd = opened("d", O_RDONLY | O_DIRECTORY);
  uint8_t buffer[100];
  __wasi_dircookie_t cookie = 0;
  __wasi_size_t used = 0;
  int round = 0;
  do {
    EXPECT_RAW(__wasi_fd_readdir((__wasi_fd_t)fd, buffer, sizeof buffer, cookie, &used), 0);
    for (__wasi_size_t at = 0; at + sizeof(__wasi_dirent_t) <= used;) {
      __wasi_dirent_t entry;
      memcpy(&entry, buffer + at, sizeof entry);
      at += sizeof entry + entry.d_namlen;
      if (at > used) break;
      cookie = entry.d_next;
      int number = -1;
      memset(name, 0, sizeof name);
      memcpy(name, buffer + at - entry.d_namlen, entry.d_namlen);
      if (sscanf(name, "f%d", &number) == 1) EXPECT_EQ(seen[number]++, 0);
    }
    // Every name that is a multiple of three goes, and others come.
    if (round * 3 < kFiles) {
      snprintf(name, sizeof name, "d/f%d", round * 3);
      EXPECT_OK(unlink(name));
      snprintf(name, sizeof name, "d/new%d", round);
      make_file(name, "");
    }
    ++round;
  } while (used == sizeof buffer);
  for (int i = 0; i < kFiles; ++i) {
    if (i % 3 != 0) EXPECT_EQ(seen[i], 1);
  }
  return ok();
}
