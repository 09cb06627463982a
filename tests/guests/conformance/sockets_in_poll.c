// poll wakes for data, tells how much there is, and says when the peer has hung up.
#include "sockets.h"

#include <poll.h>
#include <sys/ioctl.h>

int main(void) {
  const struct pair p = connected();
  struct pollfd fds = {.fd = p.server, .events = POLLIN};
  EXPECT_EQ(poll(&fds, 1, 5), 0);
  EXPECT_EQ(send(p.client, "abc", 3, 0), 3);
  EXPECT_EQ(poll(&fds, 1, 1000), 1);
  EXPECT(fds.revents & POLLIN);
  EXPECT_EQ(fds.revents & POLLHUP, 0);
  int waiting = 0;
  EXPECT_OK(ioctl(p.server, FIONREAD, &waiting));
  EXPECT_EQ(waiting, 3);
  EXPECT_OK(close(p.client));
  usleep(10000);
  EXPECT_EQ(poll(&fds, 1, 1000), 1);
  EXPECT(fds.revents & POLLHUP);
  return ok();
}
