/* Connects a C or C++ program to the seedfall simulator.
 *
 * A program uses it for properties that must hold in every run or be seen in some run
 * (seedfall_assert, seedfall_always, seedfall_sometimes, seedfall_reachable, seedfall_unreachable),
 * and for a few words with the simulator (seedfall_setup_complete, seedfall_quiet_for,
 * seedfall_node, seedfall_random). Connections between nodes are ordinary sockets: <sys/socket.h>
 * and <netdb.h>.
 *
 * seedfall finds this header and compiles what stands behind it when it builds a program (the key
 * "c" of its configuration). The same program also runs outside the simulator: build it with any C
 * compiler together with seedfall.c; each function says what it then does.
 */
#ifndef SEEDFALL_H
#define SEEDFALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- properties
 *
 * A property is told apart from others by its kind and its message if that is a string literal,
 * else by the place of the call. So write literals where one statement is one property, and
 * formatted messages (with the values that explain the failure) where the place identifies it. A
 * message has at most 4096 bytes.
 */

/* States that `condition` is true whenever this line is executed. In the simulator a false one ends
 * the run as a finding with the message. Elsewhere it is printed and the program aborts. */
#define seedfall_assert(condition, message) \
  seedfall_property(SEEDFALL_ASSERT, (condition), (message), __FILE__, __LINE__, __func__)

/* States an invariant of the system: `condition` is true at every execution. In the simulator it is
 * judged like seedfall_assert. Elsewhere a violation is printed on standard error, once per line,
 * and the program continues. */
#define seedfall_always(condition, message) \
  seedfall_property(SEEDFALL_ALWAYS, (condition), (message), __FILE__, __LINE__, __func__)

/* States that `condition` is true at least once in a sweep of many seeds: it proves that the tests
 * reach an interesting state. Elsewhere than in the simulator it does nothing. */
#define seedfall_sometimes(condition, message) \
  seedfall_property(SEEDFALL_SOMETIMES, (condition), (message), __FILE__, __LINE__, __func__)

/* States that this line is executed at least once in a sweep of many seeds. Elsewhere than in the
 * simulator it does nothing. */
#define seedfall_reachable(message) \
  seedfall_property(SEEDFALL_REACHABLE, true, (message), __FILE__, __LINE__, __func__)

/* States that this line is never executed. In the simulator, executing it ends the run as a finding
 * with the message. Elsewhere it prints a violation like seedfall_always. */
#define seedfall_unreachable(message) \
  seedfall_property(SEEDFALL_UNREACHABLE, false, (message), __FILE__, __LINE__, __func__)

/* seedfall_assert with a message made as by printf. The arguments are evaluated always, the message
 * is made only when the condition is false. */
#define seedfall_assertf(condition, ...)                                                      \
  seedfall_propertyf(SEEDFALL_ASSERT, (condition), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* seedfall_always with a message made as by printf. */
#define seedfall_alwaysf(condition, ...)                                                      \
  seedfall_propertyf(SEEDFALL_ALWAYS, (condition), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* ---- a few words with the simulator */

/* Whether the program runs in the simulator. */
bool seedfall_simulated(void);

/* Says that the system is ready to be tested. If any program of a world contains this call, the
 * simulator injects no fault before the first execution. Repeated calls have no effect. Elsewhere
 * than in the simulator it does nothing. */
void seedfall_setup_complete(void);

/* Stops all faults and heals all partitions for so many nanoseconds of simulated time, so that the
 * program can check that the system recovers. It returns at once; crashed nodes still have to boot.
 * A negative time counts as 0. Elsewhere than in the simulator it does nothing. */
void seedfall_quiet_for(int64_t nanoseconds);

/* The name of the node the program runs on, as in the configuration. Elsewhere it is the
 * environment variable SEEDFALL_NODE, or else the host name, or else "". The string stays as it is
 * for the life of the program. */
const char *seedfall_node(void);

/* 64 random bits. In the simulator they are drawn from the run's seed by the host, so that a run
 * can be repeated exactly and its future re-drawn. Elsewhere they come from the operating system. */
uint64_t seedfall_random(void);

/* ---- what the macros call */

enum seedfall_kind {
  SEEDFALL_ASSERT = 1,
  SEEDFALL_ALWAYS = 2,
  SEEDFALL_SOMETIMES = 3,
  SEEDFALL_REACHABLE = 4,
  SEEDFALL_UNREACHABLE = 5
};

/* Reports one evaluation of a property at a line of a function. */
void seedfall_property(enum seedfall_kind kind, bool condition, const char *message,
                       const char *file, int line, const char *function);

/* The same with a message made as by printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
void seedfall_propertyf(enum seedfall_kind kind, bool condition, const char *file, int line,
                        const char *function, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
