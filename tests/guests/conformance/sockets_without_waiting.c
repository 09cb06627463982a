// A non-blocking socket says EAGAIN instead of waiting; an accepted one starts out blocking.
#include "sockets.h"

int main(void) {
  const struct pair p = connected();
  char byte = 0;
  EXPECT_EQ(fcntl(p.server, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_OK(fcntl(p.server, F_SETFL, O_NONBLOCK));
  EXPECT_ERRNO(read(p.server, &byte, 1), EAGAIN);
  EXPECT_ERRNO(recv(p.server, &byte, 1, MSG_WAITALL), EAGAIN);
  EXPECT_OK(fcntl(p.listener, F_SETFL, O_NONBLOCK));
  EXPECT_ERRNO(accept(p.listener, NULL, NULL), EAGAIN);
  return ok();
}
