// The C SDK from C++, as its first argument says.
#include <cstring>
#include <map>
#include <seedfall.h>
#include <string>

#include "check.h"

int main(int count, char **arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  CHECK(seedfall_simulated());
  seedfall_setup_complete();
  seedfall_quiet_for(-5);
  seedfall_quiet_for(1'000'000);
  std::map<std::uint64_t, int> drawn;
  for (int i = 0; i < 100; ++i) drawn[seedfall_random()] = i;
  CHECK(drawn.size() == 100);
  CHECK(std::strcmp(seedfall_node(), "c") == 0);
  for (int i = 0; i < 3; ++i) {
    seedfall_sometimes(i == 2, "the third one");
    seedfall_reachable("in the loop");
    seedfall_always(i < 3, "the loop ends");
    seedfall_alwaysf(i < 3, "%d is in the loop", i);
  }
  if (mode == "assert") seedfall_assertf(count == 0, "there are %d arguments", count);
  if (mode == "unreachable") seedfall_unreachable("the end of the tests");
  std::printf("node %s is done\n", seedfall_node());
}
