// What one end sends the other receives, in order; a closed end reads as the end.
#include "sockets.h"

int main(void) {
  const struct pair p = connected();
  EXPECT_EQ(fdstat_of(p.client).fs_filetype, __WASI_FILETYPE_SOCKET_STREAM);
  EXPECT_EQ(send(p.client, "hello", 5, 0), 5);
  EXPECT_EQ(write(p.client, " you", 4), 4);
  char got[16] = {0};
  EXPECT_EQ(recv(p.server, got, 9, MSG_WAITALL), 9);
  EXPECT_TEXT(got, "hello you");
  EXPECT_OK(close(p.client));
  EXPECT_EQ(read(p.server, got, 1), 0);
  EXPECT_EQ(recv(p.server, got, 1, 0), 0);
  return ok();
}
