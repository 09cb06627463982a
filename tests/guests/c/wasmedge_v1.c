// WasmEdge's socket extension in its older forms, and as dispatchrun/net calls it.
#include <stdint.h>
#include <unistd.h>

#include "check.h"

#define IMPORT(name) \
  __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))

struct address {
  void *bytes;
  uint32_t size;
};

IMPORT(sock_open) uint32_t sock_open(uint32_t family, uint32_t type, uint32_t *fd);
IMPORT(sock_bind) uint32_t sock_bind(uint32_t fd, struct address *address, uint32_t port);
IMPORT(sock_listen) uint32_t sock_listen(uint32_t fd, uint32_t backlog);
IMPORT(sock_connect) uint32_t sock_connect(uint32_t fd, struct address *address, uint32_t port);
IMPORT(sock_accept) uint32_t sock_accept(uint32_t fd, uint32_t *accepted);
IMPORT(sock_getlocaladdr)
uint32_t sock_getlocaladdr(uint32_t fd, struct address *address, uint32_t *type, uint32_t *port);
IMPORT(sock_getpeeraddr)
uint32_t sock_getpeeraddr(uint32_t fd, struct address *address, uint32_t *type, uint32_t *port);
IMPORT(sock_recv_from)
uint32_t sock_recv_from(uint32_t fd, struct address *into, uint32_t number, struct address *from,
                        uint32_t flags, uint32_t *count, uint32_t *out_flags);
IMPORT(sock_send_to)
uint32_t sock_send_to(uint32_t fd, struct address *from, uint32_t number, struct address *to,
                      uint32_t port, uint32_t flags, uint32_t *count);
IMPORT(sock_getsockopt)
uint32_t sock_getsockopt(uint32_t fd, uint32_t level, uint32_t option, void *value, uint32_t size);

enum { INET4 = 1, UNIX = 3, DATAGRAM = 1, STREAM = 2, OPTION_TYPE = 1, OPTION_ERROR = 2 };

int main(void) {
  uint32_t listener, client, server, type = 0, port = 0, count = 0, flags = 0, value = 0;
  uint8_t loopback[] = {127, 0, 0, 1}, bytes[16] = {0}, storage[128] = {INET4, 0, 127, 0, 0, 1};
  struct address here = {loopback, sizeof loopback}, told = {bytes, sizeof bytes};
  struct address in_storage = {storage, sizeof storage}, odd = {bytes, 5};
  CHECK(sock_open(UNIX, STREAM, &listener) == EAFNOSUPPORT);
  CHECK(sock_open(INET4, DATAGRAM, &listener) == EPROTONOSUPPORT);
  CHECK(sock_open(INET4, 7, &listener) == EINVAL);
  CHECK(sock_open(INET4, STREAM, &listener) == 0);
  CHECK(sock_bind(listener, &odd, 7600) == EINVAL);
  CHECK(sock_bind(listener, &here, 65536) == EINVAL);
  CHECK(sock_bind(listener, &in_storage, 7600) == 0);
  CHECK(sock_listen(listener, 8) == 0);

  CHECK(sock_open(INET4, STREAM, &client) == 0);
  CHECK(sock_getpeeraddr(client, &told, &type, &port) == ENOTCONN);
  CHECK(sock_connect(client, &here, 7600) == 0);
  CHECK(sock_accept(listener, &server) == 0);
  CHECK(sock_getpeeraddr(client, &told, &type, &port) == 0);
  CHECK(type == 4 && port == 7600 && bytes[0] == 10);
  CHECK(sock_getlocaladdr(server, &in_storage, &type, &port) == 0);
  CHECK(storage[0] == INET4 && storage[1] == 0 && storage[2] == 10 && port == 7600);
  CHECK(sock_getlocaladdr(server, &odd, &type, &port) == EINVAL);

  char text[8] = "hello";
  struct address out = {text, 5}, in = {text, sizeof text};
  CHECK(sock_send_to(client, &out, 1, &here, 1, 0, &count) == 0 && count == 5);
  CHECK(sock_recv_from(server, &in, 1, &told, 0, &count, &flags) == 0 && count == 5);
  CHECK(memcmp(text, "hello", 5) == 0 && bytes[0] == 10);
  CHECK(sock_getsockopt(client, 0, OPTION_TYPE, &value, sizeof value) == 0 && value == STREAM);
  CHECK(sock_getsockopt(client, 0, OPTION_ERROR, &value, sizeof value) == 0 && value == 0);
  CHECK(sock_getsockopt(client, 1, OPTION_TYPE, &value, sizeof value) == ENOPROTOOPT);
  puts("all of it holds");
}
