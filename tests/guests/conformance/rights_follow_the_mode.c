// The rights of what is opened are those that were asked for and mean something for it.
#include "check.h"

int main(void) {
  make_file("f", "text");
  const __wasi_rights_t reading = __WASI_RIGHTS_FD_READ;
  const __wasi_rights_t writing = __WASI_RIGHTS_FD_WRITE | __WASI_RIGHTS_FD_ALLOCATE;
  const __wasi_rights_t reader = fdstat_of(opened("f", O_RDONLY)).fs_rights_base;
  EXPECT_EQ(reader & (reading | writing), reading);
  const __wasi_rights_t writer = fdstat_of(opened("f", O_WRONLY)).fs_rights_base;
  EXPECT_EQ(writer & (reading | writing), writing);
  const __wasi_rights_t both = fdstat_of(opened("f", O_RDWR)).fs_rights_base;
  EXPECT_EQ(both & (reading | writing), reading | writing);
  EXPECT_EQ(both & __WASI_RIGHTS_PATH_OPEN, 0);
  EXPECT_EQ(fdstat_of(opened("f", O_RDWR)).fs_rights_inheriting, 0);
  return ok();
}
