// shutdown ends one direction or both: the peer reads the end, own writes are EPIPE. A
// listener accepts no more.
#include "sockets.h"

int main(void) {
  const struct pair p = connected();
  char byte = 0;
  EXPECT_OK(shutdown(p.client, SHUT_WR));
  EXPECT_EQ(read(p.server, &byte, 1), 0);
  EXPECT_ERRNO(write(p.client, "x", 1), EPIPE);
  EXPECT_EQ(write(p.server, "y", 1), 1);
  EXPECT_EQ(read(p.client, &byte, 1), 1);
  EXPECT_OK(shutdown(p.client, SHUT_RD));
  EXPECT_EQ(read(p.client, &byte, 1), 0);
  EXPECT_RAW(__wasi_sock_shutdown((__wasi_fd_t)p.server, 0), __WASI_ERRNO_INVAL);
  EXPECT_RAW(__wasi_sock_shutdown((__wasi_fd_t)p.server, 4), __WASI_ERRNO_INVAL);
  EXPECT_OK(shutdown(p.server, SHUT_RDWR));
  // A listener has nothing to send; shut for reading, it listens no more.
  EXPECT_OK(shutdown(p.listener, SHUT_WR));
  EXPECT_OK(shutdown(p.listener, SHUT_RD));
  EXPECT_ERRNO(accept(p.listener, NULL, NULL), EINVAL);
  EXPECT_ERRNO(shutdown(p.listener, SHUT_RD), ENOTCONN);
  return ok();
}
