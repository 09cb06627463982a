// O_TRUNC empties a file under all who have it open.
#include "check.h"

int main(void) {
  make_file("f", "0123456789");
  const int reader = opened("f", O_RDONLY);
  char byte = 0;
  EXPECT_EQ(read(reader, &byte, 1), 1);
  EXPECT_OK(close(opened("f", O_WRONLY | O_TRUNC)));
  EXPECT_EQ(read(reader, &byte, 1), 0);
  EXPECT_EQ(stat_of("f").st_size, 0);
  return ok();
}
