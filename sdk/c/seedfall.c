/* The host call table is described in sdk/go/sim/abi.go: a number, an input and an output area with
 * fixed layouts of little-endian integers and 32-bit addresses; the answer is a WASI errno. */
#include "seedfall.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES_MAX = 4096, SITE_BYTES_MAX = 512 };

/* "path/file.c:123 (function)", cut where it is too long. printf would do it, but properties that
 * are stated in a loop should cost little. */
static void append(char *text, size_t *used, const char *more) {
  while (*more != '\0' && *used + 1 < SITE_BYTES_MAX) text[(*used)++] = *more++;
  text[*used] = '\0';
}

static void write_site(char text[SITE_BYTES_MAX], const char *file, int line,
                       const char *function) {
  char digits[12];
  size_t first = sizeof digits - 1, used = 0;
  digits[first] = '\0';
  do {
    digits[--first] = (char)('0' + line % 10);
    line /= 10;
  } while (line > 0);
  append(text, &used, file);
  append(text, &used, ":");
  append(text, &used, digits + first);
  append(text, &used, " (");
  append(text, &used, function);
  append(text, &used, ")");
}

static bool is_violation(enum seedfall_kind kind, bool condition) {
  if (kind == SEEDFALL_UNREACHABLE) return true;
  return !condition && (kind == SEEDFALL_ASSERT || kind == SEEDFALL_ALWAYS);
}

/* A message of a property that holds is not made: its place alone tells which property it is. */
void seedfall_propertyf(enum seedfall_kind kind, bool condition, const char *file, int line,
                        const char *function, const char *format, ...) {
  char message[MESSAGE_BYTES_MAX] = "";
  if (is_violation(kind, condition)) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
  }
  seedfall_property(kind, condition, message, file, line, function);
}

#ifdef SEEDFALL /* ---- inside the simulator */

#define IMPORT(name) __attribute__((import_module("seedfall"), import_name(#name)))

IMPORT(abi_version) int32_t seedfall_host_abi_version(void);
IMPORT(call)
int32_t seedfall_host_call(int32_t number, const void *in, int32_t in_size, void *out,
                           int32_t out_size);
/* An import of its own: it is linked in only when seedfall_setup_complete is called somewhere,
 * which tells the host before the program runs whether faults must wait for it. */
IMPORT(setup_complete) int32_t seedfall_host_setup_complete(void);

enum { ABI_VERSION = 1, CALL_PROPERTY = 1, CALL_QUIET_FOR = 3, CALL_NODE_NAME = 4, CALL_RANDOM = 5 };

static void give_up(const char *what) {
  fprintf(stderr, "seedfall host: %s\n", what);
  abort();
}

/* For calls that cannot fail on a host that knows them. */
static void must_call(int32_t number, const void *in, size_t in_size, void *out, size_t out_size) {
  static bool checked;
  if (!checked) {
    checked = true;
    if (seedfall_host_abi_version() < ABI_VERSION) give_up("too old for this program");
  }
  if (seedfall_host_call(number, in, (int32_t)in_size, out, (int32_t)out_size) != 0) {
    give_up("a call failed");
  }
}

/* The address is that of the message itself, never of a copy: a message inside the module's data is
 * a literal, which makes it the property's identity. */
void seedfall_property(enum seedfall_kind kind, bool condition, const char *message,
                       const char *file, int line, const char *function) {
  char site[SITE_BYTES_MAX];
  struct {
    uint32_t kind, condition, message, message_size, site, site_size;
  } in;
  size_t size = strlen(message);
  write_site(site, file, line, function);
  in.kind = (uint32_t)kind;
  in.condition = condition ? 1 : 0;
  in.message = (uint32_t)(uintptr_t)message;
  in.message_size = (uint32_t)(size > MESSAGE_BYTES_MAX ? MESSAGE_BYTES_MAX : size);
  in.site = (uint32_t)(uintptr_t)site;
  in.site_size = (uint32_t)strlen(site);
  must_call(CALL_PROPERTY, &in, sizeof in, NULL, 0);
}

bool seedfall_simulated(void) { return true; }

void seedfall_setup_complete(void) {
  if (seedfall_host_setup_complete() != 0) give_up("setup_complete failed");
}

void seedfall_quiet_for(int64_t nanoseconds) {
  if (nanoseconds < 0) nanoseconds = 0;
  must_call(CALL_QUIET_FOR, &nanoseconds, sizeof nanoseconds, NULL, 0);
}

const char *seedfall_node(void) {
  static struct {
    uint32_t size;
    char name[252];
  } out;
  if (out.size == 0) must_call(CALL_NODE_NAME, NULL, 0, &out, sizeof out);
  return out.name;
}

uint64_t seedfall_random(void) {
  uint64_t bits = 0;
  must_call(CALL_RANDOM, NULL, 0, &bits, sizeof bits);
  return bits;
}

#else /* ---- elsewhere */

#include <unistd.h>

enum { LINES_MAX = 256 };

/* Whether a violation of this line was printed before; a hot loop would flood the terminal. */
static bool is_known(const char *file, int line) {
  static struct {
    const char *file;
    int line;
  } lines[LINES_MAX];
  static size_t count;
  for (size_t i = 0; i < count; ++i) {
    if (lines[i].line == line && strcmp(lines[i].file, file) == 0) return true;
  }
  if (count == LINES_MAX) return true;
  lines[count].file = file;
  lines[count++].line = line;
  return false;
}

void seedfall_property(enum seedfall_kind kind, bool condition, const char *message,
                       const char *file, int line, const char *function) {
  static const char *const names[] = {"", "assert", "always", "sometimes", "reachable",
                                      "unreachable"};
  char site[SITE_BYTES_MAX];
  if (!is_violation(kind, condition)) return;
  if (kind != SEEDFALL_ASSERT && is_known(file, line)) return;
  write_site(site, file, line, function);
  fprintf(stderr, "seedfall_%s violated: %s\n  at %s%s\n", names[kind], message, site,
          kind == SEEDFALL_ASSERT ? "" : " (shown once)");
  if (kind == SEEDFALL_ASSERT) abort();
}

bool seedfall_simulated(void) { return false; }

void seedfall_setup_complete(void) {}

void seedfall_quiet_for(int64_t nanoseconds) { (void)nanoseconds; }

const char *seedfall_node(void) {
  static char name[256];
  const char *named = getenv("SEEDFALL_NODE");
  if (named != NULL) return named;
#ifndef __wasi__
  if (name[0] == '\0') gethostname(name, sizeof name - 1);
#endif
  return name;
}

uint64_t seedfall_random(void) {
  uint64_t bits = 0;
  if (getentropy(&bits, sizeof bits) != 0) abort();
  return bits;
}

#endif
