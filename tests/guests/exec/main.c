// Ends in the ways that a Go program cannot, for tests of `seedfall exec`.
#include <netinet/in.h>
#include <seedfall.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

// Waits for a connection that nobody can make.
static int wait_for_nobody(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(7)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1) != 0) return 1;
  return accept(fd, NULL, NULL);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (strcmp(argv[1], "deadlock") == 0) return wait_for_nobody();
  seedfall_assert(strcmp(argv[1], "assert") != 0, "the argument is not \033[1massert");
  puts("it held");
  return 0;
}
