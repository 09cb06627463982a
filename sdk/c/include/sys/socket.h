/* Adds to wasi-libc's <sys/socket.h> what it leaves out. The sockets are those of the simulated
 * network: TCP. seedfall compiles the functions (seedfall_socket.c) into every C program. */
#include_next <sys/socket.h>

#if defined(__wasi__) && !defined(SEEDFALL_SYS_SOCKET_H)
#define SEEDFALL_SYS_SOCKET_H

#include <sys/uio.h>

#ifndef SOMAXCONN
#define SOMAXCONN 128
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* there are no signals */
#endif
#ifndef PF_INET
#define PF_UNSPEC AF_UNSPEC
#define PF_INET AF_INET
#define PF_INET6 AF_INET6
#endif
/* Linux's numbers, as wasi-libc's own SO_TYPE. */
#ifndef SO_REUSEADDR
#define SO_REUSEADDR 2
#define SO_ERROR 4
#define SO_BROADCAST 6
#define SO_SNDBUF 7
#define SO_RCVBUF 8
#define SO_KEEPALIVE 9
#define SO_LINGER 13
#define SO_REUSEPORT 15
#define SO_RCVTIMEO 20
#define SO_SNDTIMEO 21
#define SO_ACCEPTCONN 30
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A new TCP socket: AF_INET or AF_INET6, SOCK_STREAM with SOCK_NONBLOCK and SOCK_CLOEXEC if wanted.
 * EPROTONOSUPPORT for SOCK_DGRAM. */
int socket(int family, int type, int protocol);
/* EADDRNOTAVAIL for an address that is not this node's, EADDRINUSE. */
int bind(int fd, const struct sockaddr *address, socklen_t size);
int listen(int fd, int backlog);
/* Waits until the connection stands or has failed; EINPROGRESS at once for a non-blocking socket,
 * which polls writable when it is so far: SO_ERROR says how it went. */
int connect(int fd, const struct sockaddr *address, socklen_t size);
int getsockname(int fd, struct sockaddr *__restrict address, socklen_t *__restrict size);
int getpeername(int fd, struct sockaddr *__restrict address, socklen_t *__restrict size);
/* On a connected stream, as send: the address plays no part. */
ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to,
               socklen_t to_size);
/* On a connected stream, as recv; the address is the peer's. */
ssize_t recvfrom(int fd, void *__restrict data, size_t size, int flags,
                 struct sockaddr *__restrict from, socklen_t *__restrict from_size);
/* Without control data. */
ssize_t sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t recvmsg(int fd, struct msghdr *message, int flags);
/* ENOPROTOOPT for what would change something and is not simulated, such as a timeout. */
int setsockopt(int fd, int level, int option, const void *value, socklen_t size);

#ifdef __cplusplus
}
#endif

#endif
