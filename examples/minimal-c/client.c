// Sends pings and checks the one rule: an answer is greater than all before it.
#include <netdb.h>
#include <poll.h>
#include <seedfall.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PINGS = 200, PAUSE_US = 20000, PATIENCE_MS = 1000 };

// A connection to the server, or -1 while it is down.
static int dial(void) {
  struct addrinfo *server;
  if (getaddrinfo("server", "7000", NULL, &server) != 0) return -1;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd >= 0 && connect(fd, server->ai_addr, server->ai_addrlen) != 0) {
    close(fd);
    fd = -1;
  }
  freeaddrinfo(server);
  return fd;
}

// The answer to one ping, or -1 when none comes: a server without power is silent.
static long ping(int fd) {
  struct pollfd readable = {.fd = fd, .events = POLLIN};
  char answer[24] = "";
  if (write(fd, "ping\n", 5) != 5) return -1;
  if (poll(&readable, 1, PATIENCE_MS) != 1) return -1;
  if (read(fd, answer, sizeof answer - 1) <= 0) return -1;
  return strtol(answer, NULL, 10);
}

int main(void) {
  long greatest = 0;
  int fd = -1;
  for (int answered = 0; answered < PINGS;) {
    usleep(PAUSE_US);
    if (fd < 0 && (fd = dial()) < 0) continue;
    const long count = ping(fd);
    if (count < 0) {
      close(fd);
      fd = -1;
      continue;
    }
    seedfall_assertf(count > greatest, "the count went back from %ld to %ld", greatest, count);
    greatest = count;
    ++answered;
  }
  printf("%d pings, the last is number %ld\n", PINGS, greatest);
}
