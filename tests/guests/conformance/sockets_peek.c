// MSG_PEEK shows what is there and takes nothing out.
#include "sockets.h"

int main(void) {
  const struct pair p = connected();
  EXPECT_EQ(send(p.client, "abcdef", 6, 0), 6);
  char got[8] = {0};
  EXPECT_EQ(recv(p.server, got, 6, MSG_PEEK | MSG_WAITALL), 6);
  EXPECT_TEXT(got, "abcdef");
  memset(got, 0, sizeof got);
  EXPECT_EQ(recv(p.server, got, 3, MSG_PEEK), 3);
  EXPECT_TEXT(got, "abc");
  EXPECT_EQ(recv(p.server, got, 8, 0), 6);
  EXPECT_TEXT(got, "abcdef");
  return ok();
}
