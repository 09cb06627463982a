#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_support.h"

namespace sf::engine {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kBudget = std::int64_t{1} << 40;

std::string module_with(const std::function<void(WasmWriter&)>& write, std::uint32_t pages = 1) {
  ModuleBuilder m;
  m.memory(pages);
  m.export_memory();
  WasmWriter body;
  write(body);
  const auto start = m.function("", "", "i", body);
  m.name_function(start, "begin");
  m.export_function("_start", start);
  return m.build();
}

// log(wait(1)), log(wait(2)).
std::string waiting_module() {
  ModuleBuilder m;
  const auto log = m.import("test", "log", "i", "");
  const auto wait = m.import("test", "wait", "i", "i");
  WasmWriter body;
  call(call(i32(body, 1), wait), log);
  call(call(i32(body, 2), wait), log);
  m.export_function("_start", m.function("", "", "", body));
  return m.build();
}

// Counts to a million, then log(1).
std::string computing_module() {
  ModuleBuilder m;
  const auto log = m.import("test", "log", "i", "");
  WasmWriter body;
  counting_loop(body, 0, 1'000'000);
  call(i32(body, 1), log);
  m.export_function("_start", m.function("", "", "i", body));
  return m.build();
}

TEST(Instance, AHostCallThatWaitsSuspendsUntilItIsAnswered) {
  const auto run = start(compile_bytes(waiting_module()));
  EXPECT_EQ(run->instance->resume(), Stop::kWaiting);
  EXPECT_THAT(run->world.log, ElementsAre("wait 1"));
  run->instance->finish_wait(41);
  EXPECT_EQ(run->instance->resume(), Stop::kWaiting);
  run->instance->finish_wait(static_cast<std::uint32_t>(-42));
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_THAT(run->world.log, ElementsAre("wait 1", "41", "wait 2", "-42"));
}

TEST(Instance, AFunctionThatMayWaitCanAnswerAtOnce) {
  const auto run = start(compile_bytes(waiting_module()));
  run->world.on_wait = [](Slot* result) {
    *result = 5;
    return CallOutcome::kReturn;
  };
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_THAT(run->world.log, ElementsAre("wait 1", "5", "wait 2", "5"));
}

TEST(Instance, EndsFromAnyKindOfHostCall) {
  const auto waiting = start(compile_bytes(waiting_module()));
  waiting->world.on_wait = [](Slot*) { return CallOutcome::kEnd; };
  EXPECT_EQ(waiting->instance->resume(), Stop::kEnded);
  EXPECT_THAT(waiting->world.log, ElementsAre("wait 1"));

  const auto ticking = start(compile_bytes(computing_module()));
  ticking->instance->set_budget(1000);
  ticking->world.on_tick = [](Slot*) { return CallOutcome::kEnd; };
  EXPECT_EQ(ticking->instance->resume(), Stop::kEnded);
  EXPECT_TRUE(ticking->world.log.empty());

  ModuleBuilder m;
  m.export_function("_start", m.import("test", "end", "", ""));
  EXPECT_EQ(start(compile_bytes(m.build()))->instance->resume(), Stop::kEnded);
}

TEST(Instance, ATickSuspendsInTheMiddleOfAComputation) {
  const auto run = start(compile_bytes(computing_module()));
  run->instance->set_budget(100);
  run->world.on_tick = [](Slot*) { return CallOutcome::kWait; };
  int waits = 0;
  while (run->instance->resume() == Stop::kWaiting) {
    ++waits;
    run->instance->finish_wait(9'999);
  }
  EXPECT_EQ(waits, 100);
  EXPECT_THAT(run->world.log, ElementsAre("1"));
}

TEST(Instance, TheBudgetCanBeSetWhileSuspended) {
  const auto run = start(compile_bytes(waiting_module()));
  run->instance->resume();
  EXPECT_EQ(run->instance->budget(), kBudget - 1);
  run->instance->set_budget(-1);
  run->instance->finish_wait(1);
  run->instance->resume();
  EXPECT_EQ(run->world.ticks_asked, 1U);
}

TEST(Instance, CanBeKilledWhileItWaits) {
  const std::string waiting = compile_bytes(waiting_module());
  const std::string computing = compile_bytes(computing_module());
  for (int i = 0; i < 20; ++i) {
    const auto in_call = start(waiting);
    EXPECT_EQ(in_call->instance->resume(), Stop::kWaiting);
    const auto answered = start(waiting);
    answered->instance->resume();
    answered->instance->finish_wait(3);
    const auto in_tick = start(computing);
    in_tick->instance->set_budget(500);
    in_tick->world.on_tick = [](Slot*) { return CallOutcome::kWait; };
    EXPECT_EQ(in_tick->instance->resume(), Stop::kWaiting);
    start(waiting);   // never begun
  }
}

TEST(Instance, FloatsAndWideValuesPassUnchanged) {
  ModuleBuilder m;
  const auto add = m.import("test", "add", "iI", "I");
  m.memory(1);
  m.export_memory();
  WasmWriter body;
  i64(i32(i32(body, 0), -1), 1LL << 40);
  call(body, add);
  op(body, {0x37, 3, 0});
  m.export_function("_start", m.function("", "", "", body));
  const auto run = start(compile_bytes(m.build()));
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  std::uint64_t sum = 0;
  std::memcpy(&sum, run->instance->memory().data(), 8);
  EXPECT_EQ(sum, 0xffffffffULL + (1ULL << 40));   // i32 arrives zero-extended
}

TEST(Instance, TheStartFunctionRunsAtTheFirstResume) {
  ModuleBuilder m;
  const auto log = m.import("test", "log", "i", "");
  WasmWriter first;
  call(i32(first, 1), log);
  WasmWriter second;
  call(i32(second, 2), log);
  m.start(m.function("", "", "", first));
  m.export_function("_start", m.function("", "", "", second));
  const auto run = start(compile_bytes(m.build()));
  EXPECT_TRUE(run->world.log.empty());
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_THAT(run->world.log, ElementsAre("1", "2"));
}

// memory[0] = memory.grow(100 pages), memory[4] = memory.size
std::string growing_module() {
  return module_with([](WasmWriter& body) {
    op(i32(body, 0), {0x41, 0xe4, 0, 0x40, 0, 0x36, 2, 0});
    op(i32(body, 4), {0x3f, 0, 0x36, 2, 0});
  });
}

TEST(Instance, MemoryGrowsInPlaceUpToItsBound) {
  const std::string code = compile_bytes(growing_module());
  const auto words = [](const Guest& run) {
    std::int32_t values[2];
    std::memcpy(values, run.instance->memory().data(), 8);
    return std::pair(values[0], values[1]);
  };
  const auto wide = start(code);
  const std::byte* base = wide->instance->memory().data();
  wide->instance->resume();
  EXPECT_EQ(wide->instance->memory().data(), base);
  EXPECT_EQ(wide->instance->memory().size(), 101U * 65'536);
  EXPECT_EQ(words(*wide), std::pair(1, 101));
  const auto narrow = start(code, 50 * 65'536);
  narrow->instance->resume();
  EXPECT_EQ(words(*narrow), std::pair(-1, 1));
}

// Goal: what would fail at each start is said by check(), in the same words.
TEST(Instance, CheckSaysWhatCreateWouldSay) {
  const auto module_of = [](const std::function<void(ModuleBuilder&)>& change) {
    ModuleBuilder m;
    m.memory(2);
    const auto start = m.function("", "", "", WasmWriter());
    m.export_function("_start", start);
    change(m);
    return compile_bytes(m.build());
  };
  struct Case {
    std::string code;
    std::string_view says;   // "": it can be set up
  };
  const Case cases[] = {
      {module_of([](ModuleBuilder& m) { m.data(2 * 65536 - 1, "x"); }), ""},
      {module_of([](ModuleBuilder& m) { m.data(2 * 65536, "x"); }),
       "a data segment lies outside the memory"},
      {module_of([](ModuleBuilder& m) { m.memory(3); }), "above the bound of 128KiB"},
  };
  for (const Case& tried : cases) {
    const auto program = *Program::load(engine(), tried.code, test_functions());
    TestWorld world;
    const auto checked = Instance::check(*program, 2 * 65536);
    const auto created = Instance::create(*program, world, 2 * 65536);
    EXPECT_EQ(checked.has_value(), tried.says.empty());
    EXPECT_EQ(created.has_value(), tried.says.empty());
    if (tried.says.empty() || checked || created) continue;
    EXPECT_THAT(checked.error().text(), HasSubstr(std::string(tried.says)));
    EXPECT_EQ(checked.error().text(), created.error().text());
  }
}

TEST(Instance, AnInitialMemoryAboveTheBoundIsAnError) {
  const auto program = Program::load(engine(), compile_bytes(module_with([](WasmWriter&) {}, 64)),
                                     test_functions());
  TestWorld world;
  const auto refused = Instance::create(**program, world, 1 << 20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the program starts with 4MiB of memory, above the bound of 1MiB");
}

std::string trap_of(const std::string& wasm, std::vector<std::string>* functions = nullptr) {
  const auto run = start(compile_bytes(wasm));
  EXPECT_EQ(run->instance->resume(), Stop::kTrapped);
  for (const StackFrame& frame : run->instance->trap().stack) {
    if (functions != nullptr) functions->push_back(frame.function);
  }
  return run->instance->trap().message;
}

TEST(Instance, TrapsAreNamedWithTheirFunctions) {
  std::vector<std::string> stack;
  EXPECT_EQ(trap_of(module_with([](WasmWriter& b) { op(i32(b, -8), {0x28, 2, 0, 0x1a}); }), &stack),
            "out of bounds memory access");
  EXPECT_THAT(stack, ElementsAre("begin"));
  EXPECT_EQ(trap_of(module_with([](WasmWriter& b) { op(b, {0x00}); })), "unreachable executed");
  EXPECT_EQ(trap_of(module_with([](WasmWriter& b) { op(b, {0x41, 1, 0x41, 0, 0x6d, 0x1a}); })),
            "integer divide by zero");
  EXPECT_EQ(trap_of(module_with([](WasmWriter& b) { op(b, {0x10, 0}); })), "call stack exhausted");
}

TEST(Instance, ASmallStackOverflowsSooner) {
  // Depth d of the recursion is kept in memory[0].
  const std::string code = compile_bytes(module_with([](WasmWriter& b) {
    op(b, {0x41, 0, 0x41, 0, 0x28, 2, 0, 0x41, 1, 0x6a, 0x36, 2, 0, 0x10, 0});
  }));
  const auto depth = [&](std::uint64_t stack) {
    const auto run = start(code, 1 << 20, {.wasm_stack_bytes = stack});
    EXPECT_EQ(run->instance->resume(), Stop::kTrapped);
    std::uint32_t value = 0;
    std::memcpy(&value, run->instance->memory().data(), 4);
    return value;
  };
  const std::uint32_t small = depth(1 << 20);
  const std::uint32_t large = depth(64 << 20);
  EXPECT_GT(large, small * 60);
  EXPECT_GT(large, 1'000'000U);
}

// Death tests and the others that fork() rely on this process having one thread.
TEST(InstanceDeathTest, WaitingWithoutLeaveIsOurBug) {
  ModuleBuilder m;
  const auto liar = m.import("test", "liar", "i", "i");
  WasmWriter body;
  call(i32(body, 1), liar);
  op(body, {0x1a});
  m.export_function("_start", m.function("", "", "", body));
  const auto run = start(compile_bytes(m.build()));
  EXPECT_DEATH(run->instance->resume(), "test.liar waits, but is not declared to");
}

TEST(InstanceDeathTest, ResumingWithoutAnAnswerIsOurBug) {
  const auto run = start(compile_bytes(waiting_module()));
  run->instance->resume();
  EXPECT_DEATH(run->instance->resume(), "check failed");
}

// Drives two suspended guests to their end and returns what they did.
std::string finish(Guest& call_guest, Guest& tick_guest) {
  int round = 0;
  bool calling = true;
  bool ticking = true;
  while (calling || ticking) {
    ++round;
    if (calling) call_guest.instance->finish_wait(round);
    if (ticking) tick_guest.instance->finish_wait(200'000);
    if (calling) calling = call_guest.instance->resume() == Stop::kWaiting;
    if (ticking) ticking = tick_guest.instance->resume() == Stop::kWaiting;
  }
  std::string out;
  for (const auto& line : call_guest.world.log) out += line + "\n";
  for (const auto& line : tick_guest.world.log) out += line + "\n";
  return out + std::to_string(tick_guest.world.ticks_asked) + " ticks, budget " +
         std::to_string(tick_guest.instance->budget());
}

TEST(Instance, ForkContinuesSuspendedProgramsOnBothSides) {
  const auto call_guest = start(compile_bytes(waiting_module()));
  const auto tick_guest = start(compile_bytes(computing_module()));
  tick_guest->instance->set_budget(1000);
  tick_guest->world.on_tick = [](Slot*) { return CallOutcome::kWait; };
  EXPECT_EQ(call_guest->instance->resume(), Stop::kWaiting);
  EXPECT_EQ(tick_guest->instance->resume(), Stop::kWaiting);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = finish(*call_guest, *tick_guest);
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  const std::string mine = finish(*call_guest, *tick_guest);
  char buffer[4096];
  const ssize_t size = read(ends[0], buffer, sizeof buffer);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(size)), mine);
  EXPECT_THAT(mine, HasSubstr("wait 1\n1\nwait 2\n2\n1\n5 ticks, budget 1004"));
}

// fork() in the middle of a host call, with the program's frames on the fiber below.
TEST(Instance, ForkInsideAHostCall) {
  const auto run = start(compile_bytes(waiting_module()));
  pid_t child = -1;
  run->world.on_wait = [&](Slot* result) {
    if (child < 0) child = fork();
    *result = 7;
    return CallOutcome::kReturn;
  };
  const Stop stop = run->instance->resume();
  const bool fine = stop == Stop::kReturned && run->world.log.size() == 4;
  if (child == 0) _exit(fine ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(fine);
  EXPECT_EQ(status, 0);
}

long resident_kilobytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  file >> pages >> pages;
  return pages * 4;
}

TEST(Instance, CreatingAndKillingManyKeepsMemoryFlat) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps freed memory for a while";
#endif
  const std::string code = compile_bytes(waiting_module());
  const auto program = *Program::load(engine(), code, test_functions());
  const auto round = [&] {
    TestWorld world;
    const auto instance = *Instance::create(*program, world, 1 << 20);
    world.instance = instance.get();
    instance->set_budget(1000);
    EXPECT_EQ(instance->resume(), Stop::kWaiting);
  };
  for (int i = 0; i < 50; ++i) round();
  const long before = resident_kilobytes();
  for (int i = 0; i < 200; ++i) round();
  EXPECT_LT(resident_kilobytes() - before, 300);
}

TEST(Instance, HugePagesAreOnlyAdvice) {
  const auto run = start(compile_bytes(growing_module()), 1 << 30, {.huge_pages = true});
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
}

TEST(Instance, TheProcessStaysSingleThreaded) {
  const auto run = start(compile_bytes(waiting_module()));
  run->instance->resume();
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line) && !line.starts_with("Threads:")) {}
  EXPECT_EQ(line, "Threads:\t1");
}

TEST(Engine, RefusesSenselessStacks) {
  EXPECT_FALSE(Engine::create({.wasm_stack_bytes = 1}));
  EXPECT_FALSE(Engine::create({.wasm_stack_bytes = 1ULL << 50}));
}

}  // namespace
}  // namespace sf::engine
