// The socket functions of the C SDK, on one node: both ends are in this program.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <seedfall.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

#define ADDRESS(a) ((struct sockaddr *)&(a)), sizeof(a)

static struct sockaddr_in at(const char *ip, in_port_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  CHECK(inet_pton(AF_INET, ip, &address.sin_addr) == 1);
  return address;
}

static int option(int fd, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  CHECK(getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0);
  CHECK(size == sizeof value);
  return value;
}

static struct sockaddr_in own_address(int fd) {
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  CHECK(getsockname(fd, (struct sockaddr *)&address, &size) == 0);
  CHECK(size == sizeof address && address.sin_family == AF_INET);
  return address;
}

static struct sockaddr_in peer_address(int fd) {
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  CHECK(getpeername(fd, (struct sockaddr *)&address, &size) == 0);
  return address;
}

static void sockets_that_do_not_exist(void) {
  CHECK_FAILS(socket(AF_INET, SOCK_DGRAM, 0), EPROTONOSUPPORT);
  CHECK_FAILS(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP), EPROTONOSUPPORT);
  CHECK_FAILS(socket(AF_UNIX, SOCK_STREAM, 0), EAFNOSUPPORT);
  struct sockaddr_in any = at("0.0.0.0", 1);
  CHECK_FAILS(bind(99, ADDRESS(any)), EBADF);
  CHECK_FAILS(bind(1, ADDRESS(any)), ENOTSOCK);
  CHECK_FAILS(listen(1, 1), ENOTSOCK);
}

static int make_listener(in_port_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in any = at("0.0.0.0", port);
  CHECK(bind(fd, ADDRESS(any)) == 0);
  CHECK(listen(fd, SOMAXCONN) == 0);
  return fd;
}

static void binding(void) {
  const int first = socket(AF_INET, SOCK_STREAM, 0), second = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in any = at("0.0.0.0", 7100), other = at("10.0.0.200", 7101);
  CHECK_FAILS(bind(first, ADDRESS(other)), EADDRNOTAVAIL);
  CHECK_FAILS(bind(first, (struct sockaddr *)&any, 2), EINVAL);
  CHECK(bind(first, ADDRESS(any)) == 0);
  CHECK(ntohs(own_address(first).sin_port) == 7100);
  CHECK_FAILS(bind(first, ADDRESS(any)), EINVAL);
  CHECK_FAILS(bind(second, ADDRESS(any)), EADDRINUSE);
  CHECK(option(first, SO_ACCEPTCONN) == 0);
  CHECK(listen(first, 1) == 0);
  CHECK(listen(first, 1) == 0);
  CHECK(option(first, SO_ACCEPTCONN) == 1);
  CHECK_FAILS(bind(second, ADDRESS(any)), EADDRINUSE);
  close(first);
  CHECK(bind(second, ADDRESS(any)) == 0);   // free again
  close(second);

  const int third = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in zero = at("0.0.0.0", 0);
  CHECK(bind(third, ADDRESS(zero)) == 0);
  CHECK(ntohs(own_address(third).sin_port) >= 32768);
  close(third);
  const int unbound = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(listen(unbound, 1) == 0);
  CHECK(ntohs(own_address(unbound).sin_port) >= 32768);
  close(unbound);
}

static void talking(void) {
  const int listener = make_listener(7200);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in there = at("127.0.0.1", 7200), from;
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  char text[16] = "";
  CHECK_FAILS(getpeername(client, (struct sockaddr *)&peer, &size), ENOTCONN);
  CHECK_FAILS(recv(client, text, 1, 0), ENOTCONN);
  CHECK_FAILS(send(client, "x", 1, 0), EPIPE);
  CHECK(connect(client, ADDRESS(there)) == 0);
  CHECK_FAILS(connect(client, ADDRESS(there)), EISCONN);
  CHECK_FAILS(listen(client, 1), EINVAL);

  size = sizeof peer;
  const int server = accept(listener, (struct sockaddr *)&peer, &size);
  CHECK(server >= 0 && size == sizeof(struct sockaddr_in));
  CHECK(((struct sockaddr_in *)&peer)->sin_port == own_address(client).sin_port);
  CHECK(peer_address(client).sin_port == htons(7200));
  CHECK(peer_address(server).sin_port == own_address(client).sin_port);
  CHECK(option(client, SO_TYPE) == SOCK_STREAM && option(client, SO_ERROR) == 0);

  CHECK(sendto(client, "hello", 5, MSG_NOSIGNAL, NULL, 0) == 5);
  size = sizeof from;
  CHECK(recvfrom(server, text, sizeof text, 0, (struct sockaddr *)&from, &size) == 5);
  CHECK(strcmp(text, "hello") == 0 && from.sin_port == own_address(client).sin_port);
  struct iovec parts[] = {{.iov_base = "a", .iov_len = 1}, {.iov_base = "bc", .iov_len = 2}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  CHECK(sendmsg(server, &message, 0) == 3);
  struct iovec into = {.iov_base = text, .iov_len = sizeof text};
  struct msghdr received = {.msg_iov = &into, .msg_iovlen = 1};
  CHECK(recvmsg(client, &received, 0) == 3 && memcmp(text, "abc", 3) == 0);

  const int on = 1;
  CHECK(setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
  CHECK(setsockopt(client, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
  CHECK(setsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) == 0);
  struct timeval second = {.tv_sec = 1};
  CHECK_FAILS(setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second), ENOPROTOOPT);
  CHECK_FAILS(setsockopt(client, SOL_SOCKET, 12345, &on, sizeof on), ENOPROTOOPT);
  CHECK(shutdown(client, SHUT_WR) == 0);
  CHECK(read(server, text, sizeof text) == 0);
  close(client);
  close(server);
  close(listener);
}

static void connecting(void) {
  const int refused = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in nobody = at("127.0.0.1", 7300), nowhere = at("192.0.2.1", 80);
  CHECK_FAILS(connect(refused, ADDRESS(nobody)), ECONNREFUSED);
  CHECK_FAILS(connect(refused, ADDRESS(nowhere)), EHOSTUNREACH);
  struct sockaddr_in peer;
  socklen_t size = sizeof peer;
  CHECK_FAILS(getpeername(refused, (struct sockaddr *)&peer, &size), ENOTCONN);
  const int listener = make_listener(7300);
  CHECK(connect(refused, ADDRESS(nobody)) == 0);   // a failed try is no obstacle
  close(refused);

  const int later = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  CHECK((fcntl(later, F_GETFL) & O_NONBLOCK) != 0);
  CHECK_FAILS(connect(later, ADDRESS(nobody)), EINPROGRESS);
  CHECK_FAILS(connect(later, ADDRESS(nobody)), EALREADY);
  CHECK_FAILS(getpeername(later, (struct sockaddr *)&peer, &size), ENOTCONN);
  struct pollfd writable = {.fd = later, .events = POLLOUT};
  CHECK(poll(&writable, 1, 1000) == 1 && (writable.revents & POLLOUT) != 0);
  CHECK(option(later, SO_ERROR) == 0);
  CHECK_FAILS(connect(later, ADDRESS(nobody)), EISCONN);
  close(later);
  close(listener);

  const int failing = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in gone = at("127.0.0.1", 7301);
  CHECK_FAILS(connect(failing, ADDRESS(gone)), EINPROGRESS);
  writable.fd = failing;
  CHECK(poll(&writable, 1, 1000) == 1);
  CHECK(option(failing, SO_ERROR) == ECONNREFUSED);
  CHECK(option(failing, SO_ERROR) == 0);   // told once
  close(failing);
}

static void accepting(void) {
  const int listener = make_listener(7400);
  CHECK(fcntl(listener, F_SETFL, O_NONBLOCK) == 0);
  CHECK_FAILS(accept(listener, NULL, NULL), EAGAIN);
  struct sockaddr_in there = at("127.0.0.1", 7400);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(client, ADDRESS(there)) == 0);
  const int blocking = accept(listener, NULL, NULL);
  CHECK(blocking >= 0 && (fcntl(blocking, F_GETFL) & O_NONBLOCK) == 0);
  const int another = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(another, ADDRESS(there)) == 0);
  const int non_blocking = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
  char byte;
  CHECK_FAILS(read(non_blocking, &byte, 1), EAGAIN);
  for (int fd = listener; fd <= non_blocking; ++fd) close(fd);
}

static void names(void) {
  struct addrinfo *found = NULL;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME};
  CHECK(getaddrinfo(seedfall_node(), "7000", &hints, &found) == 0);
  CHECK(found->ai_family == AF_INET && found->ai_socktype == SOCK_STREAM);
  CHECK(found->ai_addrlen == sizeof(struct sockaddr_in) && found->ai_next == NULL);
  CHECK(strcmp(found->ai_canonname, seedfall_node()) == 0);
  struct sockaddr_in *address = (struct sockaddr_in *)found->ai_addr;
  CHECK(ntohs(address->sin_port) == 7000 && ntohl(address->sin_addr.s_addr) >> 8 == 0x0a0000);
  freeaddrinfo(found);
  CHECK(getaddrinfo("localhost", NULL, NULL, &found) == 0);
  CHECK(ntohl(((struct sockaddr_in *)found->ai_addr)->sin_addr.s_addr) == INADDR_LOOPBACK);
  freeaddrinfo(found);
  CHECK(getaddrinfo("no-such-node", "1", NULL, &found) == EAI_NONAME);
  CHECK(getaddrinfo("localhost", "no-such-service", NULL, &found) == EAI_NONAME);
  CHECK(getaddrinfo(NULL, NULL, NULL, &found) == EAI_NONAME);
  hints.ai_socktype = SOCK_DGRAM;
  CHECK(getaddrinfo("localhost", "1", &hints, &found) == EAI_SOCKTYPE);
}

static void over_ipv6(void) {
  const int listener = make_listener(7500);
  const int client = socket(AF_INET6, SOCK_STREAM, 0);
  struct sockaddr_in6 there = {.sin6_family = AF_INET6, .sin6_port = htons(7500)};
  there.sin6_addr = in6addr_loopback;
  CHECK(connect(client, ADDRESS(there)) == 0);
  close(client);
  close(listener);
}

int main(void) {
  sockets_that_do_not_exist();
  binding();
  talking();
  connecting();
  accepting();
  names();
  over_ipv6();
  puts("all of it holds");
}
