// Two connected streams inside one node, made by calls of the simulator: preview 1 makes none.
#pragma once

#include <sched.h>
#include <sys/socket.h>

#include "check.h"

__attribute__((import_module("seedfall"), import_name("call"))) uint32_t seedfall_call(
    uint32_t number, const void* in, uint32_t in_size, void* out, uint32_t out_size);

enum { kNetListen = 6, kNetDial = 7, kNetConnectStatus = 8 };

static inline int made_socket(uint32_t number) {
  static const char address[] = "localhost:7000";
  const struct {
    const char* text;
    uint32_t size;
  } in = {address, sizeof address - 1};
  uint32_t fd = 0;
  EXPECT_RAW(seedfall_call(number, &in, sizeof in, &fd, sizeof fd), 0);
  return (int)fd;
}

static inline void set_blocking(int fd) { EXPECT_OK(fcntl(fd, F_SETFL, 0)); }

struct pair {
  int listener, client, server;   // the streams are blocking
};

static inline struct pair connected(void) {
  struct pair made;
  made.listener = made_socket(kNetListen);
  made.client = made_socket(kNetDial);
  set_blocking(made.listener);
  made.server = accept(made.listener, NULL, NULL);
  EXPECT(made.server >= 0);
  const uint32_t fd = (uint32_t)made.client;
  uint32_t status = 1;
  while (status != 0) {
    EXPECT_RAW(seedfall_call(kNetConnectStatus, &fd, sizeof fd, &status, sizeof status), 0);
    sched_yield();
  }
  set_blocking(made.client);
  return made;
}
