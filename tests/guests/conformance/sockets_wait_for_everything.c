// MSG_WAITALL waits until the buffer is full or the stream has ended.
#include "sockets.h"

int main(void) {
  const struct pair p = connected();
  static char sent[200000], got[200001];
  for (size_t i = 0; i < sizeof sent; ++i) sent[i] = (char)(i * 7 % 251);
  EXPECT_OK(fcntl(p.client, F_SETFL, O_NONBLOCK));
  size_t out = 0, in = 0;
  while (in < sizeof sent) {
    const ssize_t n = out < sizeof sent ? send(p.client, sent + out, sizeof sent - out, 0) : 0;
    if (n > 0) out += (size_t)n;
    if (n == -1) EXPECT_EQ(errno, EAGAIN);
    const size_t want = out - in < 20000 ? out - in : 20000;
    EXPECT_EQ(recv(p.server, got + in, want, MSG_WAITALL), (ssize_t)want);
    in += want;
  }
  EXPECT(memcmp(sent, got, sizeof sent) == 0);
  EXPECT_EQ(send(p.client, "rest", 4, 0), 4);
  EXPECT_OK(close(p.client));
  EXPECT_EQ(recv(p.server, got, 100, MSG_WAITALL), 4);
  return ok();
}
