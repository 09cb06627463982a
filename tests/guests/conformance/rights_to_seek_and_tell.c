// The right to tell allows a seek that does not move; the right to seek implies it.
#include "check.h"

int main(void) {
  make_file("f", "text");
  __wasi_filesize_t at = 0;
  const __wasi_fd_t tells = raw_open("f", __WASI_RIGHTS_FD_TELL, 0);
  EXPECT_RAW(__wasi_fd_tell(tells, &at), 0);
  EXPECT_RAW(__wasi_fd_seek(tells, 0, __WASI_WHENCE_CUR, &at), 0);
  EXPECT_RAW(__wasi_fd_seek(tells, 1, __WASI_WHENCE_CUR, &at), __WASI_ERRNO_NOTCAPABLE);
  EXPECT_RAW(__wasi_fd_seek(tells, 0, __WASI_WHENCE_END, &at), __WASI_ERRNO_NOTCAPABLE);
  const __wasi_fd_t seeks = raw_open("f", __WASI_RIGHTS_FD_SEEK, 0);
  EXPECT_RAW(__wasi_fd_seek(seeks, 2, __WASI_WHENCE_SET, &at), 0);
  EXPECT_RAW(__wasi_fd_tell(seeks, &at), 0);
  EXPECT_EQ(at, 2);
  return ok();
}
