// mkdir answers as mkdir(2).
#include "check.h"

int main(void) {
  const nlink_t before = stat_of("/").st_nlink;
  make_file("f", "");
  EXPECT_OK(mkdir("d", 0700));
  EXPECT_OK(symlink("nowhere", "dangling"));
  EXPECT_ERRNO(mkdir("d", 0700), EEXIST);
  EXPECT_ERRNO(mkdir("f", 0700), EEXIST);
  EXPECT_ERRNO(mkdir("f/", 0700), EEXIST);
  EXPECT_ERRNO(mkdir("dangling", 0700), EEXIST);
  EXPECT_ERRNO(mkdir("none/d", 0700), ENOENT);
  EXPECT_ERRNO(mkdir("f/d", 0700), ENOTDIR);
  EXPECT_RAW(__wasi_path_create_directory(kRoot, ""), __WASI_ERRNO_NOENT);
  EXPECT_ERRNO(mkdir(".", 0700), EEXIST);
  EXPECT_ERRNO(mkdir("d/..", 0700), EEXIST);
  EXPECT_ERRNO(mkdir("/", 0700), EEXIST);
  EXPECT_OK(mkdir("with-a-slash/", 0700));
  EXPECT_EQ(stat_of("/").st_nlink, before + 2);
  return ok();
}
