// WASI hands on all 32 bits of an exit code; a shell would cut it to 8.
// exit: 300
#include "check.h"

int main(void) {
  puts("ok");
  exit(300);
}
