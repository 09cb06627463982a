// Each change of a directory needs its right.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("d/f", "text");
  const __wasi_fd_t dir = raw_open("d", __WASI_RIGHTS_PATH_OPEN, __WASI_RIGHTS_FD_READ);
  __wasi_fd_t fd = 0;
  __wasi_filestat_t stat;
  __wasi_size_t size = 0;
  uint8_t text[8];
  const __wasi_errno_t no = __WASI_ERRNO_NOTCAPABLE;
  EXPECT_RAW(__wasi_path_open(dir, 0, "g", __WASI_OFLAGS_CREAT, 0, 0, 0, &fd), no);
  EXPECT_RAW(__wasi_path_open(dir, 0, "f", __WASI_OFLAGS_TRUNC, 0, 0, 0, &fd), no);
  EXPECT_RAW(__wasi_path_open(dir, 0, "f", 0, 0, 0, __WASI_FDFLAGS_SYNC, &fd), no);
  EXPECT_RAW(__wasi_path_open(dir, 0, "f", 0, 0, 0, __WASI_FDFLAGS_DSYNC, &fd), no);
  EXPECT_RAW(__wasi_path_create_directory(dir, "sub"), no);
  EXPECT_RAW(__wasi_path_remove_directory(dir, "sub"), no);
  EXPECT_RAW(__wasi_path_unlink_file(dir, "f"), no);
  EXPECT_RAW(__wasi_path_rename(dir, "f", kRoot, "f"), no);
  EXPECT_RAW(__wasi_path_rename(kRoot, "d", dir, "d"), no);
  EXPECT_RAW(__wasi_path_link(dir, 0, "f", kRoot, "g"), no);
  EXPECT_RAW(__wasi_path_link(kRoot, 0, "d/f", dir, "g"), no);
  EXPECT_RAW(__wasi_path_symlink("f", dir, "s"), no);
  EXPECT_RAW(__wasi_path_readlink(dir, "f", text, sizeof text, &size), no);
  EXPECT_RAW(__wasi_path_filestat_get(dir, 0, "f", &stat), no);
  EXPECT_RAW(__wasi_path_filestat_set_times(dir, 0, "f", 0, 0, 1), no);
  EXPECT_RAW(__wasi_fd_readdir(dir, text, sizeof text, 0, &size), no);
  EXPECT_RAW(__wasi_path_open(dir, 0, "f", 0, 0, 0, 0, &fd), 0);
  EXPECT_TEXT(text_of("d/f"), "text");
  return ok();
}
