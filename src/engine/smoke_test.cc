#include <gtest/gtest.h>
#include "base/host/file.h"
#include "engine/test_support.h"
namespace sf::engine {
using namespace testing;
TEST(Smoke, GoTwin) {
  auto path = compile_bytes(*host::read_file(go_guest()));
  auto run = start(path);
  ASSERT_TRUE(run);
  run->world.arguments = {"stacks", "twin"};
  Stop s = run->instance->resume();
  std::printf("stop %d exit %d budget used %ld\n%s\n", (int)s, run->world.exit_code, (1L<<40)-run->instance->budget(), run->world.output.c_str());
  std::printf("trap %s\n", run->instance->trap().message.c_str());
  for (auto& f : run->instance->trap().stack) std::printf("  %s %s:%d\n", f.function.c_str(), f.file.c_str(), f.line);
  for (const char* mode : {"recurse", "grow", "spin"}) {
    auto r = start(path); r->world.arguments = {"stacks", mode};
    if (std::string(mode)=="spin") { r->world.on_write=[&]{ auto st=r->instance->go_stack(0,0); for (auto& f : st) std::printf("  say: %s %s:%d\n", f.function.c_str(), f.file.c_str(), f.line); r->instance->set_budget(1000000);};
      r->world.on_tick=[&](Slot*){ return CallOutcome::kWait; }; }
    Stop t = r->instance->resume();
    std::printf("%s: stop %d exit %d trap %s out %s\n", mode, (int)t, r->world.exit_code, r->instance->trap().message.c_str(), r->world.output.substr(0,300).c_str());
    auto st = r->instance->go_stack(r->world.last_g, r->world.last_sp);
    for (auto& f : st) std::printf("  %s %s:%d\n", f.function.c_str(), f.file.c_str(), f.line);
  }
}
}
