/* wasi-libc has no <netdb.h>. Names are those of the nodes in the configuration; each has one IPv4
 * address. */
#ifdef __wasi__
#ifndef SEEDFALL_NETDB_H
#define SEEDFALL_NETDB_H

#include <netinet/in.h>
#include <sys/socket.h>

struct addrinfo {
  int ai_flags;
  int ai_family;
  int ai_socktype;
  int ai_protocol;
  socklen_t ai_addrlen;
  struct sockaddr *ai_addr;
  char *ai_canonname;
  struct addrinfo *ai_next;
};

/* The numbers are those of the host call. */
#define AI_PASSIVE 0x01
#define AI_CANONNAME 0x02
#define AI_NUMERICHOST 0x04
#define AI_NUMERICSERV 0x08
#define AI_V4MAPPED 0x10
#define AI_ALL 0x20
#define AI_ADDRCONFIG 0x40

#define EAI_BADFLAGS -1
#define EAI_NONAME -2
#define EAI_AGAIN -3
#define EAI_FAIL -4
#define EAI_FAMILY -6
#define EAI_SOCKTYPE -7
#define EAI_SERVICE -8
#define EAI_MEMORY -10
#define EAI_SYSTEM -11
#define EAI_OVERFLOW -12

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the address of a node by its name, of "localhost", or of a numeric IPv4 address. The
 * service is a decimal port, "http" or "https". One result. */
int getaddrinfo(const char *__restrict node, const char *__restrict service,
                const struct addrinfo *__restrict hints, struct addrinfo **__restrict result);
void freeaddrinfo(struct addrinfo *result);
const char *gai_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif
#else
#include_next <netdb.h>
#endif
