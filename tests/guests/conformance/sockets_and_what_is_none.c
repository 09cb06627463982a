// Calls for sockets refuse what is none, and what a listener cannot do.
#include "sockets.h"

int main(void) {
  const struct pair p = connected();
  char byte = 0;
  const int file = opened("f", O_RDWR | O_CREAT);
  EXPECT_ERRNO(recv(file, &byte, 1, 0), ENOTSOCK);
  EXPECT_ERRNO(send(1, "x", 1, 0), ENOTSOCK);
  EXPECT_ERRNO(shutdown(file, SHUT_RD), ENOTSOCK);
  EXPECT_ERRNO(accept(file, NULL, NULL), ENOTSOCK);
  EXPECT_ERRNO(accept(p.client, NULL, NULL), EINVAL);
  EXPECT_ERRNO(recv(p.listener, &byte, 1, 0), ENOTCONN);
  EXPECT_ERRNO(read(p.listener, &byte, 1), ENOTCONN);
  EXPECT_ERRNO(send(p.listener, "x", 1, 0), EPIPE);
  EXPECT_ERRNO(write(p.listener, "x", 1), EPIPE);
  EXPECT_ERRNO(lseek(p.client, 0, SEEK_CUR), ESPIPE);
  EXPECT_ERRNO(fsync(p.client), EINVAL);
  __wasi_ciovec_t vector = {(const uint8_t*)"x", 1};
  __wasi_size_t count = 0;
  EXPECT_RAW(__wasi_sock_send((__wasi_fd_t)p.client, &vector, 1, 1, &count), __WASI_ERRNO_INVAL);
  __wasi_iovec_t in = {(uint8_t*)&byte, 1};
  __wasi_roflags_t flags = 0;
  EXPECT_RAW(__wasi_sock_recv((__wasi_fd_t)p.client, &in, 1, 4, &count, &flags),
             __WASI_ERRNO_INVAL);
  return ok();
}
