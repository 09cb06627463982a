// What each program of this folder is made of: expectations, and a few helpers.
//
// A program checks one behaviour, prints "ok" and ends with exit code 0. The first expectation that
// does not hold is printed with its place, what was expected and what came, and the exit code is 1.
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wasi/api.h>

static inline int ok(void) {
  puts("ok");
  return 0;
}

static inline void check_int(const char* file, int line, const char* what, long long got,
                             long long want) {
  if (got == want) return;
  printf("%s:%d: %s: expected %lld, got %lld\n", file, line, what, want, got);
  exit(1);
}

// A call that must fail with -1 and this errno.
static inline void check_errno(const char* file, int line, const char* what, long long result,
                               int want) {
  const int got = result == -1 ? errno : 0;
  if (got == want) return;
  printf("%s:%d: %s: expected %s, got %s\n", file, line, what, strerror(want),
         got == 0 ? "success" : strerror(got));
  exit(1);
}

static inline void check_text(const char* file, int line, const char* what, const char* got,
                              const char* want) {
  if (strcmp(got, want) == 0) return;
  printf("%s:%d: %s: expected \"%s\", got \"%s\"\n", file, line, what, want, got);
  exit(1);
}

#define EXPECT(condition) check_int(__FILE__, __LINE__, #condition, !!(condition), 1)
#define EXPECT_EQ(got, want) \
  check_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define EXPECT_OK(call) check_errno(__FILE__, __LINE__, #call, (errno = 0, (call)), 0)
#define EXPECT_ERRNO(call, want) check_errno(__FILE__, __LINE__, #call, (call), want)
#define EXPECT_TEXT(got, want) check_text(__FILE__, __LINE__, #got, got, want)
// A raw call of preview 1, which answers its errno.
#define EXPECT_RAW(call, want) check_int(__FILE__, __LINE__, #call, (call), want)

enum { kRoot = 3 };   // the descriptor of the root, which every program is given

static inline int opened(const char* path, int flags) {
  const int fd = open(path, flags, 0600);
  if (fd >= 0) return fd;
  printf("cannot open %s: %s\n", path, strerror(errno));
  exit(1);
}

static inline void make_file(const char* path, const char* text) {
  const int fd = opened(path, O_WRONLY | O_CREAT | O_TRUNC);
  EXPECT_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  EXPECT_OK(close(fd));
}

// The first bytes of a file as text; "" when there is none.
static inline const char* text_of(const char* path) {
  static char text[256];
  memset(text, 0, sizeof text);
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return "";
  EXPECT(read(fd, text, sizeof text - 1) >= 0);
  EXPECT_OK(close(fd));
  return text;
}

static inline struct stat stat_of(const char* path) {
  struct stat out;
  EXPECT_OK(lstat(path, &out));
  return out;
}

static inline __wasi_fdstat_t fdstat_of(int fd) {
  __wasi_fdstat_t out;
  EXPECT_RAW(__wasi_fd_fdstat_get((__wasi_fd_t)fd, &out), 0);
  return out;
}

static inline uint64_t now_of(__wasi_clockid_t clock) {
  __wasi_timestamp_t now = 0;
  EXPECT_RAW(__wasi_clock_time_get(clock, 0, &now), 0);
  return now;
}

// What poll_oneoff is asked for.
static inline __wasi_subscription_t on_clock(uint64_t userdata, uint32_t id, uint64_t timeout,
                                             uint16_t flags) {
  __wasi_subscription_t made = {.userdata = userdata};
  made.u.tag = __WASI_EVENTTYPE_CLOCK;
  made.u.u.clock = (__wasi_subscription_clock_t){.id = id, .timeout = timeout, .flags = flags};
  return made;
}

static inline __wasi_subscription_t on_fd(uint64_t userdata, int fd, uint8_t tag) {
  __wasi_subscription_t made = {.userdata = userdata};
  made.u.tag = tag;
  made.u.u.fd_read.file_descriptor = (__wasi_fd_t)fd;
  return made;
}

// Opens with these rights.
static inline __wasi_fd_t raw_open(const char* path, __wasi_rights_t base,
                                   __wasi_rights_t inheriting) {
  __wasi_fd_t fd = 0;
  EXPECT_RAW(__wasi_path_open(kRoot, 0, path, 0, base, inheriting, 0, &fd), 0);
  return fd;
}
