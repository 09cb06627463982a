// Counts pings. The answer to a ping is the number of pings so far, which a restart must not lose:
// the count is kept in a file. Built without -DSYNC it answers before the file is on the disk.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <seedfall.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void die(const char *what) {
  perror(what);
  exit(1);
}

static long load(int file) {
  char text[24] = "";
  if (pread(file, text, sizeof text - 1, 0) < 0) die("read the count");
  return strtol(text, NULL, 10);
}

static void store(int file, long count) {
  char text[24];
  const int size = snprintf(text, sizeof text, "%020ld\n", count);
  if (pwrite(file, text, (size_t)size, 0) != size) die("write the count");
#ifdef SYNC
  if (fsync(file) != 0) die("sync the count");
#endif
}

static int listen_on(in_port_t port) {
  const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port)};
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof any) != 0) die("bind");
  if (listen(fd, 16) != 0) die("listen");
  return fd;
}

// Answers the pings of one client until it goes away.
static void serve(int client, int file, long *count) {
  char line[16], answer[24];
  while (read(client, line, sizeof line) > 0) {
    store(file, ++*count);
    const int size = snprintf(answer, sizeof answer, "%ld\n", *count);
    if (write(client, answer, (size_t)size) != size) break;
  }
  close(client);
}

int main(void) {
  const int file = open("/count", O_RDWR | O_CREAT, 0644);
  if (file < 0) die("open /count");
  long count = load(file);
  seedfall_sometimes(count > 0, "the server comes back with a count");
  const int listener = listen_on(7000);
  seedfall_setup_complete();
  for (;;) {
    const int client = accept(listener, NULL, NULL);
    if (client < 0) die("accept");
    serve(client, file, &count);
  }
}
