// Programs that want more of everything than there is. The first argument names what, the second
// how often. Each ends in an errno it expects and says "survived", or the host ends it by a verdict.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wasi/api.h>
#include <wasi/libc.h>

__attribute__((import_module("seedfall"), import_name("call"))) uint32_t seedfall_call(
    uint32_t number, const void* in, uint32_t in_size, void* out, uint32_t out_size);
__attribute__((import_module("seedfall"), import_name("sync_start"))) uint32_t sync_start(
    uint32_t fd, uint32_t* operation);
__attribute__((import_module("seedfall"), import_name("setup_complete"))) uint32_t
setup_complete(void);

enum { kProperty = 1, kQuietFor = 3, kNetListen = 6, kNetDial = 7 };
enum { kMebibyte = 1 << 20 };

static long long times = 1;   // the second argument
static char block[kMebibyte];

static void must(int condition, const char* what) {
  if (condition) return;
  printf("unexpected: %s (errno %d: %s)\n", what, errno, strerror(errno));
  exit(1);
}

static int opened(const char* path, int flags) {
  const int fd = open(path, flags, 0600);
  must(fd >= 0, path);
  return fd;
}

// ---- space

// Mebibytes over the same stretch of a file, so that the disk is never full.
static void overwrite(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  for (long long i = 0; i < times; ++i) {
    block[0] = (char)i;
    must(pwrite(fd, block, sizeof block, (i % 32) * kMebibyte) == kMebibyte, "pwrite");
  }
}

// Mebibytes at the end of a file; most of them find the disk full.
static void fill(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  for (long long i = 0; i < times; ++i) {
    const ssize_t n = write(fd, block, sizeof block);
    must(n > 0 || errno == ENOSPC, "write");
  }
}

static void allocate_blocks(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  for (long long i = 0; i < times; ++i) {
    must(posix_fallocate(fd, 0, 1LL << 60) == ENOSPC, "fallocate");
  }
}

// One byte at places far from each other: a block each.
static void scatter(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  for (long long i = 0; i < times; ++i) {
    must(pwrite(fd, "x", 1, i << 40 & (1LL << 61) - 1) == 1 || errno == ENOSPC, "pwrite");
    if (i % 100 == 0) must(ftruncate(fd, i % 1000 == 0 ? 0 : 1LL << 62) == 0, "ftruncate");
  }
}

// ---- names

static void open_files(void) {
  int last = 0;
  for (long long i = 0; i < times && last >= 0; ++i) last = open("f", O_RDWR | O_CREAT, 0600);
  must(last >= 0 || errno == EMFILE, "open");
}

static void fill_directory(const char* what, int (*make)(const char* path)) {
  char name[300];
  long long made = 0;
  must(mkdir("d", 0700) == 0, "mkdir");
  for (long long i = 0; i < times; ++i) {
    snprintf(name, sizeof name, "d/%lld", i);
    if (make(name) == 0) {
      ++made;
      continue;
    }
    must(errno == ENOSPC || errno == EMLINK, what);
    break;
  }
  DIR* dir = opendir("d");
  must(dir != NULL, "opendir");
  long long seen = 0;
  while (readdir(dir) != NULL) ++seen;
  must(seen == made + 2, "as many names as were made");
  closedir(dir);
}

static int make_file(const char* path) {
  const int fd = open(path, O_WRONLY | O_CREAT, 0600);
  return fd < 0 ? -1 : close(fd);
}
static int make_directory(const char* path) { return mkdir(path, 0700); }
static int make_link(const char* path) { return link("one", path); }
static char target[4000];
static int make_symlink(const char* path) { return symlink(target, path); }

static void many_files(void) { fill_directory("open", make_file); }
static void many_directories(void) { fill_directory("mkdir", make_directory); }
static void many_links(void) {
  make_file("one");
  fill_directory("link", make_link);
}
static void many_symlinks(void) {
  memset(target, 'x', sizeof target - 1);
  fill_directory("symlink", make_symlink);
}

// Folders within each other, and a rename at the bottom, which has to look all the way up.
static void deep(void) {
  int at = opened("/", O_RDONLY | O_DIRECTORY);
  for (long long i = 0; i < times; ++i) {
    if (mkdirat(at, "d", 0700) != 0) {
      must(errno == ENOSPC, "mkdirat");
      break;
    }
    const int below = openat(at, "d", O_RDONLY | O_DIRECTORY);
    must(below >= 0, "openat");
    close(at);
    at = below;
  }
  must(mkdirat(at, "a", 0700) == 0 || errno == ENOSPC, "mkdirat");
  for (int i = 0; i < 1000; ++i) {
    renameat(at, i % 2 == 0 ? "a" : "b", at, i % 2 == 0 ? "b" : "a");
  }
}

// Links whose text is a path of 2,000 components that leads to the next of them.
static void long_links(void) {
  static char text[4096];
  for (int i = 0; i < 40; ++i) {
    for (int at = 0; at < 4060; at += 2) memcpy(text + at, "./", 2);
    snprintf(text + 4060, 36, "l%d", i + 1);
    char name[8];
    snprintf(name, sizeof name, "l%d", i);
    must(symlink(text, name) == 0, "symlink");
  }
  make_file("l40");
  struct stat st;
  for (long long i = 0; i < times; ++i) must(stat("l0", &st) == 0, "stat");
}

// ---- waiting and talking

static void subscribe(void) {
  enum { kCount = 65534 };
  __wasi_subscription_t* in = calloc(kCount, sizeof *in);
  __wasi_event_t* out = calloc(kCount, sizeof *out);
  must(in != NULL && out != NULL, "memory");
  for (int i = 0; i < kCount; ++i) {
    in[i].userdata = (uint64_t)i;
    in[i].u.tag = i % 2 == 0 ? __WASI_EVENTTYPE_CLOCK : __WASI_EVENTTYPE_FD_READ;
    if (i % 2 == 0) {
      in[i].u.u.clock.id = __WASI_CLOCKID_MONOTONIC;
      in[i].u.u.clock.timeout = 1000000000;
    } else {
      in[i].u.u.fd_read.file_descriptor = (__wasi_fd_t)i;
    }
  }
  for (long long i = 0; i < times; ++i) {
    __wasi_size_t count = 0;
    must(__wasi_poll_oneoff(in, out, kCount, &count) == 0 && count == kCount / 2, "poll");
  }
}

static uint32_t network(uint32_t number, const char* address, uint32_t* fd) {
  const struct {
    const char* text;
    uint32_t size;
  } in = {address, (uint32_t)strlen(address)};
  return seedfall_call(number, &in, sizeof in, fd, sizeof *fd);
}

static void dial(void) {
  uint32_t fd = 0;
  for (long long i = 0; i < times; ++i) {
    must(network(kNetDial, i % 2 == 0 ? "peer:1" : "localhost:1", &fd) == 0, "dial");
    must(close((int)fd) == 0, "close");
  }
}

static void dial_and_keep(void) {
  uint32_t fd = 0, listener = 0;
  must(network(kNetListen, ":1", &listener) == 0, "listen");
  for (long long i = 0; i < times; ++i) {
    const uint32_t errno_of = network(kNetDial, "localhost:1", &fd);
    must(errno_of == 0 || errno_of == __WASI_ERRNO_MFILE, "dial");
    if (i % 100 == 0) usleep(1000);
  }
}

// As much as memory holds, to a peer that reads nothing.
static void flood(void) {
  uint32_t fd = 0, listener = 0;
  must(network(kNetListen, ":1", &listener) == 0, "listen");
  must(network(kNetDial, "localhost:1", &fd) == 0, "dial");
  usleep(100 * 1000);
  enum { kBytes = 32 * kMebibyte };
  char* data = calloc(1, kBytes);
  must(data != NULL, "memory");
  for (long long i = 0; i < times; ++i) {
    must(write((int)fd, data, kBytes) > 0 || errno == EAGAIN, "write");
  }
}

// ---- the simulator's own calls

static void property(uint32_t kind, uint32_t condition, const char* site) {
  const struct {
    uint32_t kind, condition;
    const char* message;
    uint32_t message_size;
    const char* site;
    uint32_t site_size;
  } in = {kind, condition, "", 0, site, (uint32_t)strlen(site)};
  must(seedfall_call(kProperty, &in, sizeof in, NULL, 0) == 0, "property");
}

// Properties that no two calls have in common.
static void properties(void) {
  char site[64];
  for (long long i = 0; i < times; ++i) {
    snprintf(site, sizeof site, "file.c:%lld", i);
    property(2, 1, site);
  }
}

// Assertions that do not hold, all different.
static void assertions(void) {
  char site[64];
  for (long long i = 0; i < times; ++i) {
    snprintf(site, sizeof site, "file.c:%lld", i);
    property(1, 0, site);
  }
}

static void quiet(void) {
  const int64_t lengths[] = {1, 1000000000, INT64_MAX};
  for (long long i = 0; i < times; ++i) {
    must(seedfall_call(kQuietFor, &lengths[i % 3], 8, NULL, 0) == 0, "quiet_for");
  }
}

static void setups(void) {
  for (long long i = 0; i < times; ++i) must(setup_complete() == 0, "setup_complete");
}

static void syncs(void) {
  const int fd = opened("f", O_RDWR | O_CREAT);
  for (long long i = 0; i < times; ++i) {
    uint32_t operation = 0;
    const uint32_t answer = sync_start((uint32_t)fd, &operation);
    must(answer == 0 || answer == __WASI_ERRNO_NOMEM, "sync_start");
  }
}

// ---- the program itself

static int descend(int depth) {
  volatile int here = depth;
  if (here < 0) return 0;
  return descend(here + 1) + here;
}
static void recurse(void) { printf("%d\n", descend(1)); }

static void spin(void) {
  volatile uint32_t sum = 1;
  while (sum != 0) sum = sum * 3 | 1;
}

static void allocate(void) {
  long long pages = 0;
  while (__builtin_wasm_memory_grow(0, 1) != (size_t)-1) ++pages;
  must(__builtin_wasm_memory_grow(0, 65535) == (size_t)-1, "memory.grow beyond all bounds");
  static void* volatile kept;   // the compiler may leave out what nobody sees
  do {
    kept = malloc(1000);
  } while (kept != NULL);
  kept = malloc(kMebibyte);
  must(pages > 0 && kept == NULL, "memory comes to an end");
}

static void print(void) {
  memset(block, 'x', sizeof block);
  for (;;) (void)!write(1, block, sizeof block);
}

static void yield(void) {
  for (long long i = 0; i < times; ++i) (void)!__wasi_sched_yield();
}

// Without the console and the root the program goes on, and its exit code says so.
static void close_everything(void) {
  for (__wasi_fd_t fd = 0; fd < 2000; ++fd) (void)!__wasi_fd_close(fd);
  __wasi_fd_t fd = 0;
  if (__wasi_path_open(3, 0, "f", 1, 0, 0, 0, &fd) != __WASI_ERRNO_BADF) exit(1);
  if (__wasi_fd_close(UINT32_MAX) != __WASI_ERRNO_BADF) exit(1);
  exit(42);
}

// The root and the console change places, again and again.
static void renumber_everything(void) {
  for (__wasi_fd_t from = 0; from < 4; ++from) {
    for (__wasi_fd_t to = 0; to < 4; ++to) (void)!__wasi_fd_renumber(from, to);
  }
  for (__wasi_fd_t fd = 0; fd < 4; ++fd) {
    (void)!__wasi_fd_fdstat_set_rights(fd, 0, 0);
    (void)!__wasi_fd_sync(fd);
  }
  exit(42);
}

// Numbers of any size for what would spoil a descriptor, on descriptors made for it.
static void wild_numbers(void) {
  static const uint64_t numbers[] = {0,          1,         4095,      4096,      INT32_MAX,
                                     1ULL << 31, UINT32_MAX, 1ULL << 40, INT64_MAX, 1ULL << 63,
                                     UINT64_MAX};
  enum { kNumbers = sizeof numbers / sizeof *numbers };
  for (int i = 0; i < kNumbers; ++i) {
    for (int j = 0; j < kNumbers; ++j) {
      const __wasi_fd_t fd = (__wasi_fd_t)opened("f", O_RDWR | O_CREAT);
      __wasi_filesize_t at = 0;
      (void)!__wasi_fd_allocate(fd, numbers[i], numbers[j]);
      (void)!__wasi_fd_advise(fd, numbers[i], numbers[j], 0);
      (void)!__wasi_fd_filestat_set_times(fd, numbers[i], numbers[j], 5);
      (void)!__wasi_fd_seek(fd, (__wasi_filedelta_t)numbers[i], (uint8_t)j, &at);
      (void)!__wasi_fd_write(fd, &(__wasi_ciovec_t){(const uint8_t*)"x", 1}, 1,
                             &(__wasi_size_t){0});
      (void)!__wasi_fd_filestat_set_size(fd, numbers[i]);
      (void)!__wasi_fd_filestat_set_size(fd, 0);
      (void)!__wasi_fd_fdstat_set_flags(fd, (__wasi_fdflags_t)numbers[i]);
      (void)!__wasi_fd_fdstat_set_rights(fd, numbers[i], numbers[j]);
      (void)!__wasi_fd_renumber(fd, (__wasi_fd_t)numbers[i] | 1024);
      (void)!__wasi_sock_shutdown(fd, (__wasi_sdflags_t)numbers[i]);
      must(__wasi_fd_close(fd) == 0, "close");
    }
  }
}

static void trap(void) { __builtin_trap(); }
static volatile int seven = 7;
static void divide(void) {
  volatile int zero = 0;
  printf("%d\n", seven / zero);
}
static void touch_nothing(void) { printf("%d\n", *(volatile int*)0xfffffff0); }

static const struct {
  const char* name;
  void (*run)(void);
} modes[] = {
    {"overwrite", overwrite},
    {"fill", fill},
    {"allocate-blocks", allocate_blocks},
    {"scatter", scatter},
    {"open-files", open_files},
    {"many-files", many_files},
    {"many-directories", many_directories},
    {"many-links", many_links},
    {"many-symlinks", many_symlinks},
    {"deep", deep},
    {"long-links", long_links},
    {"subscribe", subscribe},
    {"dial", dial},
    {"dial-and-keep", dial_and_keep},
    {"flood", flood},
    {"properties", properties},
    {"assertions", assertions},
    {"quiet", quiet},
    {"setups", setups},
    {"syncs", syncs},
    {"recurse", recurse},
    {"spin", spin},
    {"allocate", allocate},
    {"print", print},
    {"yield", yield},
    {"close-everything", close_everything},
    {"renumber-everything", renumber_everything},
    {"wild-numbers", wild_numbers},
    {"trap", trap},
    {"divide", divide},
    {"touch-nothing", touch_nothing},
};

// What a neighbour does whose life must not change: it writes, syncs, sleeps and reads its clock.
static void live_peacefully(void) {
  for (int day = 0; day < 20; ++day) {
    const int fd = opened("diary", O_WRONLY | O_CREAT | O_APPEND);
    must(write(fd, "a quiet day\n", 12) == 12 && fsync(fd) == 0 && close(fd) == 0, "write");
    usleep((useconds_t)day * 1000);
  }
  __wasi_timestamp_t now = 0;
  must(__wasi_clock_time_get(1, 0, &now) == 0, "clock");
  printf("all is well at %llu\n", (unsigned long long)now);
}

int main(int count, char** arguments) {
  if (count > 2) times = atoll(arguments[2]);
  if (strcmp(arguments[1], "peer") == 0) {
    live_peacefully();
    return 0;
  }
  if (strcmp(arguments[1], "idle") == 0) return 0;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
    if (strcmp(arguments[1], modes[i].name) != 0) continue;
    modes[i].run();
    puts("survived");
    return 0;
  }
  puts("no such mode");
  return 2;
}
