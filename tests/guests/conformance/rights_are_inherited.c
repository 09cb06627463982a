// What a directory may not pass on, nothing that is opened through it has.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  make_file("d/f", "text");
  const __wasi_rights_t opens = __WASI_RIGHTS_PATH_OPEN | __WASI_RIGHTS_PATH_CREATE_FILE;
  const __wasi_fd_t dir = raw_open("d", opens, __WASI_RIGHTS_FD_READ);
  EXPECT_EQ(fdstat_of((int)dir).fs_rights_inheriting, __WASI_RIGHTS_FD_READ);
  __wasi_fd_t fd = 0;
  EXPECT_RAW(__wasi_path_open(dir, 0, "f", 0, __WASI_RIGHTS_FD_READ, 0, 0, &fd), 0);
  EXPECT_EQ(fdstat_of((int)fd).fs_rights_base, __WASI_RIGHTS_FD_READ);
  EXPECT_RAW(__wasi_path_open(dir, 0, "f", 0, __WASI_RIGHTS_FD_WRITE, 0, 0, &fd),
             __WASI_ERRNO_NOTCAPABLE);
  EXPECT_RAW(__wasi_path_open(dir, 0, "f", 0, 0, __WASI_RIGHTS_FD_WRITE, 0, &fd),
             __WASI_ERRNO_NOTCAPABLE);
  // wasi-libc asks for no more than a directory may pass on.
  const int reader = openat((int)dir, "f", O_RDONLY);
  EXPECT(reader >= 0);
  EXPECT_EQ(fdstat_of(reader).fs_rights_base, __WASI_RIGHTS_FD_READ);
  return ok();
}
