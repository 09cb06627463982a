// A blocking write returns when all of it is on its way, however long that takes.
#include "sockets.h"

int main(void) {
  const struct pair p = connected();
  static char block[30000];
  EXPECT_EQ(write(p.client, block, sizeof block), (ssize_t)sizeof block);
  EXPECT_EQ(write(p.client, block, sizeof block), (ssize_t)sizeof block);
  EXPECT_OK(fcntl(p.client, F_SETFL, O_NONBLOCK));
  ssize_t total = 60000, n = 0;
  while ((n = write(p.client, block, sizeof block)) > 0) total += n;
  EXPECT_ERRNO(n, EAGAIN);
  static char room[30000];
  while (total > 0) {
    n = read(p.server, room, sizeof room);
    EXPECT(n > 0);
    total -= n;
  }
  EXPECT_EQ(total, 0);
  return ok();
}
