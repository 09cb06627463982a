// Rights that do not apply to a directory are left out; asking for them is no error.
#include "check.h"

int main(void) {
  EXPECT_OK(mkdir("d", 0700));
  __wasi_fd_t dir = 0;
  const __wasi_rights_t asked =
      __WASI_RIGHTS_FD_WRITE | __WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_READDIR;
  EXPECT_RAW(__wasi_path_open(kRoot, 0, "d", __WASI_OFLAGS_DIRECTORY, asked, 0, 0, &dir), 0);
  EXPECT_EQ(fdstat_of((int)dir).fs_rights_base, __WASI_RIGHTS_FD_READDIR);
  char byte = 0;
  EXPECT_ERRNO(read((int)dir, &byte, 1), EISDIR);
  EXPECT_ERRNO(write((int)dir, &byte, 1), EBADF);
  return ok();
}
