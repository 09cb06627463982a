// A descriptor has no right that was not asked for at path_open.
#include "check.h"

int main(void) {
  make_file("f", "text");
  const __wasi_fd_t none = raw_open("f", 0, 0);
  EXPECT_EQ(fdstat_of((int)none).fs_rights_base, 0);
  EXPECT_EQ(fdstat_of((int)none).fs_rights_inheriting, 0);
  char byte = 0;
  __wasi_iovec_t vector = {(uint8_t*)&byte, 1};
  __wasi_size_t count = 0;
  EXPECT_RAW(__wasi_fd_read(none, &vector, 1, &count), __WASI_ERRNO_NOTCAPABLE);
  __wasi_filestat_t stat;
  EXPECT_RAW(__wasi_fd_filestat_get(none, &stat), __WASI_ERRNO_NOTCAPABLE);
  EXPECT_RAW(__wasi_fd_sync(none), __WASI_ERRNO_NOTCAPABLE);
  EXPECT_RAW(__wasi_fd_datasync(none), __WASI_ERRNO_NOTCAPABLE);
  EXPECT_RAW(__wasi_fd_fdstat_set_flags(none, 0), __WASI_ERRNO_NOTCAPABLE);
  EXPECT_RAW(__wasi_fd_close(none), 0);
  const __wasi_fd_t some = raw_open("f", __WASI_RIGHTS_FD_READ, 0);
  EXPECT_EQ(fdstat_of((int)some).fs_rights_base, __WASI_RIGHTS_FD_READ);
  EXPECT_RAW(__wasi_fd_read(some, &vector, 1, &count), 0);
  // pread also needs the right to seek.
  EXPECT_RAW(__wasi_fd_pread(some, &vector, 1, 0, &count), __WASI_ERRNO_NOTCAPABLE);
  return ok();
}
