// The limit of open files is EMFILE, and closing gives one back.
#include "check.h"

int main(void) {
  static int open_fds[5000];
  int count = 0;
  while (count < 5000 && (open_fds[count] = open("f", O_RDWR | O_CREAT)) >= 0) ++count;
  EXPECT(count < 5000);
  EXPECT_EQ(errno, EMFILE);
  EXPECT_OK(close(open_fds[count / 2]));
  EXPECT_EQ(opened("f", O_RDONLY), open_fds[count / 2]);
  return ok();
}
