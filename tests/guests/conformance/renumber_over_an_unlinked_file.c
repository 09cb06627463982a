// What fd_renumber closes is closed: a file without a name goes.
#include "check.h"

#include <wasi/libc.h>

int main(void) {
  make_file("gone", "x");
  const int gone = opened("gone", O_RDONLY);
  EXPECT_OK(unlink("gone"));
  const int kept = opened("kept", O_RDWR | O_CREAT);
  EXPECT_OK(__wasilibc_fd_renumber(kept, gone));
  EXPECT_EQ(write(gone, "kept", 4), 4);
  EXPECT_TEXT(text_of("kept"), "kept");
  return ok();
}
