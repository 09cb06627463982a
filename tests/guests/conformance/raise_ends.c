// A signal whose default is to end the program ends it as a shell would report it.
// exit: 143
#include "check.h"

__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_raise"))) uint32_t
raise_signal(uint32_t signal);

int main(void) {
  puts("ok");
  fflush(stdout);
  (void)raise_signal(15);
  puts("still here");
  return 1;
}
