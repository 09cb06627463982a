/* The socket functions that wasi-libc lacks, over the host's socket extension (WasmEdge's names and
 * layouts). Sockets are descriptors like others: read, write, close, poll, send, recv and shutdown
 * are wasi-libc's own. accept, accept4 and getsockopt are here too, since wasi-libc's know neither
 * addresses nor options. */
#ifdef SEEDFALL

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define IMPORT(name) \
  __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))

struct host_address {
  void *bytes;
  uint32_t size; /* 4: IPv4, 16: IPv6 */
};

IMPORT(sock_open) uint16_t host_open(uint32_t family, uint32_t type, uint32_t *fd);
IMPORT(sock_bind) uint16_t host_bind(int32_t fd, const struct host_address *address, uint32_t port);
IMPORT(sock_listen) uint16_t host_listen(int32_t fd, uint32_t backlog);
IMPORT(sock_accept) uint16_t host_accept(int32_t fd, uint32_t flags, uint32_t *accepted);
IMPORT(sock_connect)
uint16_t host_connect(int32_t fd, const struct host_address *address, uint32_t port);
IMPORT(sock_getlocaladdr)
uint16_t host_local_address(int32_t fd, struct host_address *address, uint32_t *port);
IMPORT(sock_getpeeraddr)
uint16_t host_peer_address(int32_t fd, struct host_address *address, uint32_t *port);
IMPORT(sock_getsockopt)
uint16_t host_get_option(int32_t fd, uint32_t level, uint32_t option, void *value, uint32_t *size);
IMPORT(sock_setsockopt)
uint16_t host_set_option(int32_t fd, uint32_t level, uint32_t option, const void *value,
                         uint32_t size);
struct host_address_info;
IMPORT(sock_getaddrinfo)
uint16_t host_look_up(const char *node, uint32_t node_size, const char *service,
                      uint32_t service_size, const struct host_address_info *hints,
                      struct host_address_info **result, uint32_t results_max, uint32_t *results);

enum { HOST_DATAGRAM = 1, HOST_STREAM = 2, HOST_TCP = 1, HOST_UDP = 2 };
enum { HOST_NONBLOCK = 4 }; /* of WASI's fdflags */

/* The host's numbers of errors are wasi-libc's. */
static int answer(uint16_t error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int socket(int family, int type, int protocol) {
  const int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  uint32_t fd = 0;
  if (family != AF_INET && family != AF_INET6) return answer(EAFNOSUPPORT);
  if (kind != SOCK_STREAM || (protocol != 0 && protocol != IPPROTO_TCP)) {
    return answer(EPROTONOSUPPORT);
  }
  if (answer(host_open((uint32_t)family, HOST_STREAM, &fd)) != 0) return -1;
  if ((type & SOCK_NONBLOCK) != 0 && fcntl((int)fd, F_SETFL, O_NONBLOCK) != 0) {
    close((int)fd);
    return -1;
  }
  return (int)fd;
}

/* ---- addresses */

/* 0 or an error. */
static int to_host(const struct sockaddr *address, socklen_t size, struct host_address *out,
                   uint32_t *port) {
  if (address->sa_family == AF_INET) {
    struct sockaddr_in *in = (struct sockaddr_in *)address;
    if (size < offsetof(struct sockaddr_in, sin_addr) + sizeof in->sin_addr) return EINVAL;
    out->bytes = &in->sin_addr;
    out->size = sizeof in->sin_addr;
    *port = ntohs(in->sin_port);
    return 0;
  }
  if (address->sa_family == AF_INET6) {
    struct sockaddr_in6 *in = (struct sockaddr_in6 *)address;
    if (size < offsetof(struct sockaddr_in6, sin6_addr) + sizeof in->sin6_addr) return EINVAL;
    out->bytes = &in->sin6_addr;
    out->size = sizeof in->sin6_addr;
    *port = ntohs(in->sin6_port);
    return 0;
  }
  return EAFNOSUPPORT;
}

typedef uint16_t (*address_call)(int32_t fd, struct host_address *address, uint32_t *port);

/* Cut to the room there is; `size` becomes that of the whole address. */
static int tell_address(address_call call, int fd, struct sockaddr *out, socklen_t *size) {
  struct sockaddr_in in;
  struct host_address address = {&in.sin_addr, sizeof in.sin_addr};
  uint32_t port = 0;
  memset(&in, 0, sizeof in);
  if (answer(call(fd, &address, &port)) != 0) return -1;
  in.sin_family = AF_INET;
  in.sin_port = htons((uint16_t)port);
  memcpy(out, &in, *size < sizeof in ? *size : sizeof in);
  *size = sizeof in;
  return 0;
}

int getsockname(int fd, struct sockaddr *restrict address, socklen_t *restrict size) {
  return tell_address(host_local_address, fd, address, size);
}

int getpeername(int fd, struct sockaddr *restrict address, socklen_t *restrict size) {
  return tell_address(host_peer_address, fd, address, size);
}

/* ---- connections */

int bind(int fd, const struct sockaddr *address, socklen_t size) {
  struct host_address out;
  uint32_t port = 0;
  const int error = to_host(address, size, &out, &port);
  return answer(error != 0 ? (uint16_t)error : host_bind(fd, &out, port));
}

int listen(int fd, int backlog) {
  return answer(host_listen(fd, backlog < 0 ? 0 : (uint32_t)backlog));
}

int connect(int fd, const struct sockaddr *address, socklen_t size) {
  struct host_address out;
  uint32_t port = 0;
  const int error = to_host(address, size, &out, &port);
  return answer(error != 0 ? (uint16_t)error : host_connect(fd, &out, port));
}

/* The new descriptor blocks unless the flags say otherwise, as on Linux. */
int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags) {
  const uint32_t host_flags = (flags & SOCK_NONBLOCK) != 0 ? HOST_NONBLOCK : 0;
  uint32_t accepted = 0;
  if (answer(host_accept(fd, host_flags, &accepted)) != 0) return -1;
  if (address != NULL && getpeername((int)accepted, address, size) != 0) {
    *size = 0; /* the peer is gone already: the connection tells */
  }
  return (int)accepted;
}

int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict size) {
  return accept4(fd, address, size, 0);
}

/* ---- data */

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to,
               socklen_t to_size) {
  (void)to;
  (void)to_size;
  return send(fd, data, size, flags);
}

ssize_t recvfrom(int fd, void *restrict data, size_t size, int flags,
                 struct sockaddr *restrict from, socklen_t *restrict from_size) {
  const ssize_t count = recv(fd, data, size, flags);
  if (count >= 0 && from != NULL && getpeername(fd, from, from_size) != 0) *from_size = 0;
  return count;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  if (flags != 0 || message->msg_controllen != 0) return answer(EOPNOTSUPP);
  return writev(fd, message->msg_iov, message->msg_iovlen);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
  if (flags != 0) return answer(EOPNOTSUPP);
  message->msg_controllen = 0;
  message->msg_flags = 0;
  const ssize_t count = readv(fd, message->msg_iov, message->msg_iovlen);
  if (count >= 0 && message->msg_name != NULL &&
      getpeername(fd, (struct sockaddr *)message->msg_name, &message->msg_namelen) != 0) {
    message->msg_namelen = 0;
  }
  return count;
}

/* ---- options */

/* The host's number of an option of SOL_SOCKET, or -1. */
static int host_option(int option) {
  switch (option) {
    case SO_REUSEADDR:
    case SO_REUSEPORT: return 0;
    case SO_TYPE: return 1;
    case SO_ERROR: return 2;
    case SO_BROADCAST: return 4;
    case SO_SNDBUF: return 5;
    case SO_RCVBUF: return 6;
    case SO_KEEPALIVE: return 7;
    case SO_LINGER: return 9;
    case SO_RCVTIMEO: return 11;
    case SO_SNDTIMEO: return 12;
    case SO_ACCEPTCONN: return 13;
    default: return -1;
  }
}

/* Nothing is ever held back or probed on the simulated network, whatever TCP's options say. */
static int is_without_effect(int level, int option) {
  return level == IPPROTO_TCP && (option == TCP_NODELAY || option == TCP_KEEPIDLE ||
                                  option == TCP_KEEPINTVL || option == TCP_KEEPCNT);
}

int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict size) {
  uint32_t room = *size;
  if (room < sizeof(int)) return answer(EINVAL);
  if (is_without_effect(level, option)) {
    *(int *)value = option == TCP_NODELAY;
    *size = sizeof(int);
    return 0;
  }
  if (level != SOL_SOCKET || host_option(option) < 0) return answer(ENOPROTOOPT);
  if (answer(host_get_option(fd, 0, (uint32_t)host_option(option), value, &room)) != 0) return -1;
  if (option == SO_TYPE) *(int *)value = SOCK_STREAM;
  *size = room;
  return 0;
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t size) {
  if (is_without_effect(level, option)) return size < sizeof(int) ? answer(EINVAL) : 0;
  if (level != SOL_SOCKET || host_option(option) < 0) return answer(ENOPROTOOPT);
  return answer(host_set_option(fd, 0, (uint32_t)host_option(option), value, size));
}

/* ---- names */

struct host_socket_address {
  uint32_t family;
  uint32_t size;
  uint8_t *bytes;
};

struct host_address_info {
  uint16_t flags;
  uint8_t family;
  uint8_t type;
  uint32_t protocol;
  uint32_t address_size;
  struct host_socket_address *address;
  char *name;
  uint32_t name_size;
  struct host_address_info *next;
};

enum { NAME_BYTES_MAX = 256, PORT_BYTES = 2, ADDRESS_BYTES = 6 };

/* One block of memory per result. */
struct result {
  struct addrinfo info;
  struct sockaddr_in address;
  char name[NAME_BYTES_MAX];
};

static int eai_of(uint16_t error) {
  switch (error) {
    case 0: return 0;
    case EINVAL: return EAI_BADFLAGS;
    case ENOENT:
    case EHOSTUNREACH: return EAI_NONAME;
    case EPROTONOSUPPORT: return EAI_SOCKTYPE;
    case ENAMETOOLONG:
    case EOVERFLOW: return EAI_OVERFLOW;
    default: errno = error; return EAI_SYSTEM;
  }
}

static void fill(struct result *out, const struct host_address_info *found, const uint8_t *bytes,
                 int flags) {
  out->address.sin_family = AF_INET;
  memcpy(&out->address.sin_port, bytes, PORT_BYTES);
  memcpy(&out->address.sin_addr, bytes + PORT_BYTES, ADDRESS_BYTES - PORT_BYTES);
  out->info.ai_flags = found->flags;
  out->info.ai_family = AF_INET;
  out->info.ai_socktype = SOCK_STREAM;
  out->info.ai_protocol = IPPROTO_TCP;
  out->info.ai_addrlen = sizeof out->address;
  out->info.ai_addr = (struct sockaddr *)&out->address;
  if ((flags & AI_CANONNAME) != 0) out->info.ai_canonname = out->name;
}

int getaddrinfo(const char *restrict node, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict result) {
  uint8_t bytes[ADDRESS_BYTES] = {0};
  struct host_socket_address address = {0, sizeof bytes, bytes};
  struct host_address_info wanted, found, *first = &found;
  uint32_t count = 0;
  struct result *out = NULL;
  if (node == NULL && service == NULL) return EAI_NONAME;
  out = (struct result *)calloc(1, sizeof *out);
  if (out == NULL) return EAI_MEMORY;
  memset(&wanted, 0, sizeof wanted);
  if (hints != NULL) {
    wanted.flags = (uint16_t)hints->ai_flags;
    wanted.family = (uint8_t)hints->ai_family;
    wanted.type = hints->ai_socktype == SOCK_STREAM  ? HOST_STREAM
                  : hints->ai_socktype == SOCK_DGRAM ? HOST_DATAGRAM
                                                     : 0;
    wanted.protocol = hints->ai_protocol == IPPROTO_TCP   ? HOST_TCP
                      : hints->ai_protocol == IPPROTO_UDP ? HOST_UDP
                                                          : 0;
  }
  memset(&found, 0, sizeof found);
  found.address = &address;
  found.name = out->name;
  found.name_size = sizeof out->name;
  const int error = eai_of(host_look_up(
      node != NULL ? node : "", node != NULL ? (uint32_t)strlen(node) : 0,
      service != NULL ? service : "0", service != NULL ? (uint32_t)strlen(service) : 1, &wanted,
      &first, 1, &count));
  if (error != 0) {
    free(out);
    return error;
  }
  fill(out, &found, bytes, wanted.flags);
  *result = &out->info;
  return 0;
}

void freeaddrinfo(struct addrinfo *result) { free(result); }

const char *gai_strerror(int error) {
  switch (error) {
    case 0: return "no error";
    case EAI_BADFLAGS: return "bad flags";
    case EAI_NONAME: return "name or service not known";
    case EAI_AGAIN: return "temporary failure in name resolution";
    case EAI_FAMILY: return "address family not supported";
    case EAI_SOCKTYPE: return "socket type not supported";
    case EAI_SERVICE: return "service not known for this type";
    case EAI_MEMORY: return "out of memory";
    case EAI_OVERFLOW: return "argument too long";
    case EAI_SYSTEM: return "system error";
    default: return "name resolution failed";
  }
}

#endif
