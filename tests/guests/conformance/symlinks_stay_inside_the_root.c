// No link and no .. leads above the root.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("f", "at the root");
  EXPECT_OK(symlink("../../../../f", "d/far-up"));
  EXPECT_TEXT(text_of("d/far-up"), "at the root");
  EXPECT_OK(symlink("/../../etc/passwd", "out"));
  EXPECT_ERRNO(open("out", O_RDONLY), ENOENT);
  __wasi_filestat_t up, root;
  EXPECT_RAW(__wasi_path_filestat_get(kRoot, 0, "..", &up), 0);
  EXPECT_RAW(__wasi_path_filestat_get(kRoot, 0, ".", &root), 0);
  EXPECT_EQ(up.ino, root.ino);
  EXPECT_RAW(__wasi_path_filestat_get(kRoot, 0, "../../d/../../f", &up), 0);
  return ok();
}
