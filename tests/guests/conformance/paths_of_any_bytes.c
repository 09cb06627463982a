// A name is any bytes but / and NUL, also what is no UTF-8; a NUL inside is EINVAL.
#include "check.h"

__attribute__((import_module("wasi_snapshot_preview1"), import_name("path_filestat_get"))) uint32_t
raw_stat(uint32_t fd, uint32_t flags, const char* path, uint32_t size, __wasi_filestat_t* out);

int main(void) {
  make_file("\xff\xfe \x01\n", "odd");
  EXPECT_TEXT(text_of("\xff\xfe \x01\n"), "odd");
  __wasi_filestat_t stat;
  EXPECT_RAW(raw_stat(kRoot, 0, "a\0b", 3, &stat), __WASI_ERRNO_INVAL);
  EXPECT_RAW(raw_stat(kRoot, 0, "", 0, &stat), __WASI_ERRNO_NOENT);
  EXPECT_RAW(raw_stat(kRoot, 0, "/", 1, &stat), 0);
  EXPECT_RAW(raw_stat(kRoot, 0, (const char*)0xfffffff0, 32, &stat), __WASI_ERRNO_FAULT);
  EXPECT_RAW(raw_stat(kRoot, 0, "x", 0xffffffff, &stat), __WASI_ERRNO_NAMETOOLONG);
  return ok();
}
