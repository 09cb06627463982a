// Go programs: the rewritten program does what the native one does, and its stacks are told right.
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/host/subprocess.h"
#include "engine/go_tables.h"
#include "engine/test_support.h"

namespace sf::engine {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// Compiling the guest takes seconds; the code is kept in the cache between tests and runs.
class GoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (code().empty()) FAIL() << "there is no Go guest to run";
  }
  static std::string code() {
    const std::string wasm = go_guest();
    if (wasm.empty()) return {};
    const auto compiled = compile_program(wasm);
    EXPECT_TRUE(compiled) << compiled.error().text();
    return compiled ? compiled->code_path : "";
  }
  std::unique_ptr<Guest> start_mode(const std::string& mode, std::uint64_t memory = 1 << 30) {
    auto run = start(code(), memory);
    if (run) run->world.arguments = {"stacks", mode};
    return run;
  }
};

std::string text(const StackFrame& frame) {
  return frame.function + " " + frame.file + ":" + std::to_string(frame.line);
}

std::string main_line(std::string_view function, std::string_view mark) {
  return "main." + std::string(function) + " example.com/stacks/main.go:" +
         std::to_string(marked_line(mark));
}

TEST_F(GoTest, OutputEqualsThatOfTheNativeProgram) {
  const auto run = start_mode("twin");
  ASSERT_TRUE(run);
  run->instance->set_budget(50);
  run->world.on_tick = [](Slot* budget) {
    *budget = 50;   // also exercises the slow path everywhere
    return CallOutcome::kReturn;
  };
  EXPECT_EQ(run->instance->resume(), Stop::kEnded);
  EXPECT_EQ(run->world.exit_code, 0);
  host::Command native;
  native.arguments = {"go", "run", ".", "twin"};
  native.directory = guest_folder();
  const auto expected = host::run_command(native);
  ASSERT_TRUE(expected);
  EXPECT_EQ(run->world.output, expected->output);
  EXPECT_GT(run->world.ticks_asked, 5000U);
}

TEST_F(GoTest, TwoRunsUseTheSameBudget) {
  std::int64_t left[2];
  for (std::int64_t& budget : left) {
    const auto run = start_mode("twin");
    run->instance->resume();
    budget = run->instance->budget();
  }
  EXPECT_EQ(left[0], left[1]);
}

TEST_F(GoTest, EndlessRecursionTrapsWithGoFrames) {
  const auto run = start_mode("recurse");
  EXPECT_EQ(run->instance->resume(), Stop::kTrapped);
  const Trap& trap = run->instance->trap();
  EXPECT_EQ(trap.message, "call stack exhausted");
  ASSERT_EQ(trap.stack.size(), 32U);
  EXPECT_EQ(trap.stack[0].function, "main.descend");
  const std::string call = main_line("descend", "descend");
  for (std::size_t i = 1; i < 32; ++i) EXPECT_EQ(text(trap.stack[i]), call);
}

TEST_F(GoTest, AStackIsKnownInsideATick) {
  const auto run = start_mode("spin");
  Guest& guest = *run;
  run->world.on_write = [&] { guest.instance->set_budget(100'000); };
  run->world.on_tick = [](Slot*) { return CallOutcome::kWait; };
  EXPECT_EQ(run->instance->resume(), Stop::kWaiting);
  EXPECT_NE(run->world.last_g, 0U);
  const auto stack = run->instance->go_stack(run->world.last_g, run->world.last_sp);
  ASSERT_EQ(stack.size(), 4U);
  EXPECT_EQ(stack[0].function, "main.spin");
  EXPECT_NEAR(stack[0].line, marked_line("spin"), 1);   // the loop's header is the line before
  EXPECT_EQ(text(stack[1]), main_line("outer", "outer"));
  EXPECT_EQ(text(stack[2]), main_line("main", "main"));
  EXPECT_EQ(stack[3].function, "runtime.main");
}

TEST_F(GoTest, AStackIsKnownInsideAHostCallWithInlinedFunctions) {
  const auto run = start_mode("spin");
  Guest& guest = *run;
  std::vector<std::string> functions;
  std::string say;
  run->world.on_write = [&] {
    for (const StackFrame& frame : guest.instance->go_stack(0, 0)) {
      functions.push_back(frame.function);
      if (frame.function == "main.say") say = text(frame);
    }
    guest.instance->set_budget(1000);
  };
  run->world.on_tick = [](Slot*) { return CallOutcome::kEnd; };
  EXPECT_EQ(run->instance->resume(), Stop::kEnded);
  EXPECT_THAT(functions, ::testing::IsSupersetOf({"syscall.Write", "internal/poll.(*FD).Write",
                                                  "os.(*File).WriteString", "main.main"}));
  EXPECT_EQ(say, main_line("say", "say"));
}

TEST_F(GoTest, MemoryBoundMakesGoRunOutOfMemory) {
  const auto run = start_mode("grow", 64 << 20);
  EXPECT_EQ(run->instance->resume(), Stop::kEnded);
  EXPECT_EQ(run->world.exit_code, 2);
  EXPECT_THAT(run->world.output, HasSubstr("out of memory"));
  EXPECT_LE(run->instance->memory().size(), 64U << 20);
}

// Goal: damaged tables give empty or wrong stacks, never a crash or a hang.
// Method: overwrite the program's memory with noise around everything that is read.
TEST_F(GoTest, HostileTablesAreHarmless) {
  const auto run = start_mode("spin");
  Guest& guest = *run;
  run->world.on_write = [&] { guest.instance->set_budget(100'000); };
  run->world.on_tick = [](Slot*) { return CallOutcome::kWait; };
  run->instance->resume();
  const std::uint32_t sp = run->world.last_sp;
  ASSERT_FALSE(run->instance->go_stack(0, sp).empty());
  const auto memory = run->instance->memory();
  std::uint64_t random = 7;
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 2000; ++i) {
      random = mix64(random + 0x9e3779b97f4a7c15ULL);
      memory[random % (2 << 20)] = static_cast<std::byte>(random >> 40);
    }
    EXPECT_LE(run->instance->go_stack(0, sp).size(), 32U);
    EXPECT_LE(run->instance->go_stack(0, static_cast<std::uint32_t>(random >> 32)).size(), 32U);
  }
}

TEST(GoTables, HeadersAreFoundAtAlignedPlacesOnly) {
  const std::uint8_t bytes[] = {0, 0, 0, 0, 0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8, 0xf1, 0xff, 0xff};
  std::vector<std::uint64_t> found;
  find_go_tables(bytes, 4092, found);
  EXPECT_EQ(found, std::vector<std::uint64_t>{4096});
  found.clear();
  find_go_tables(bytes, 4090, found);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace sf::engine
