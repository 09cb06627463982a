// Preview 1 reserves exit codes from 126 on, and they must pass.
// exit: 200
#include "check.h"

int main(void) {
  puts("ok");
  exit(200);
}
