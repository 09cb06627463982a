// One line per check that fails; the exit code says whether there was one.
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      printf("line %d: not so: %s (errno %d, %s)\n", __LINE__, #condition, errno, \
             strerror(errno));                                                  \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

#define CHECK_FAILS(call, error)    \
  do {                              \
    errno = 0;                      \
    CHECK((call) == -1);            \
    CHECK(errno == (error));        \
  } while (0)
