// The tick as programs and hosts see it: exact counts, shims, and no change of what programs do.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "engine/engine_impl.h"
#include "engine/test_support.h"

namespace sf::engine {
namespace {

using namespace testing;
using ::testing::ElementsAre;

constexpr std::int64_t kBudget = std::int64_t{1} << 40;

TEST(Tick, EachEntryAndEachPassOfALoopCostsOne) {
  ModuleBuilder m;
  WasmWriter leaf;
  i32(leaf, 1);
  op(leaf, {0x1a});
  const auto callee = m.function("", "", "", leaf);
  WasmWriter body;
  counting_loop(body, 0, 1000, [&](WasmWriter& out) { call(out, callee); });
  m.export_function("_start", m.function("", "", "i", body));
  const auto run = start(compile_bytes(m.build()));
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_EQ(kBudget - run->instance->budget(), 1 + 1000 + 1000);
}

TEST(Tick, ALoopAtTheStartOfAFunctionStandsForItsEntry) {
  ModuleBuilder m;
  WasmWriter body;   // block, loop: the counter is the global-free local 0, counted up to 10
  op(body, {0x02, 0x40, 0x03, 0x40, 0x20, 0, 0x41, 1, 0x6a, 0x22, 0, 0x41, 10, 0x48, 0x0d, 0, 0x0b,
            0x0b});
  m.export_function("_start", m.function("", "", "i", body));
  const auto run = start(compile_bytes(m.build()));
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_EQ(kBudget - run->instance->budget(), 10);
}

TEST(Tick, TheHandlerIsAskedWhenTheBudgetIsSpent) {
  ModuleBuilder m;
  WasmWriter body;
  counting_loop(body, 0, 1000);
  m.export_function("_start", m.function("", "", "i", body));
  const auto run = start(compile_bytes(m.build()));
  run->instance->set_budget(0);
  run->world.on_tick = [](Slot* budget) {
    *budget = 99;
    return CallOutcome::kReturn;
  };
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  // The entry finds nothing left and asks; each answer then serves 99 charges, the hundredth asks.
  EXPECT_EQ(run->world.ticks_asked, 11U);
  EXPECT_EQ(run->world.last_g, 0U);
}

// A host call may set the budget below zero to stop the program; then the next host call must not
// start before the tick was asked, however the program reaches it.
TEST(Tick, NoHostCallStartsOnASpentBudget) {
  ModuleBuilder m;
  const auto log = m.import("test", "log", "i", "");
  WasmWriter body;
  call(i32(body, 1), log);
  call(i32(body, 2), log);
  op(i32(i32(body, 3), 0), {0x11, 0, 0});   // call_indirect through the table
  call(i32(body, 4), log);
  m.table({log});
  m.export_function("_start", m.function("", "", "", body));
  const auto run = start(compile_bytes(m.build()));
  Guest& r = *run;
  std::vector<std::int64_t> budgets;
  run->world.on_log = [&] {
    budgets.push_back(r.instance->budget());
    r.instance->set_budget(-1);
  };
  run->world.on_tick = [&](Slot* budget) {
    r.world.log.push_back("tick");
    *budget = 5;
    return CallOutcome::kReturn;
  };
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_THAT(run->world.log, ElementsAre("1", "tick", "2", "tick", "3", "tick", "4"));
  EXPECT_THAT(budgets, ElementsAre(kBudget - 1, 5, 5, 5));
}

TEST(Tick, AnImportExportedAsEntryIsShimmedToo) {
  ModuleBuilder m;
  m.export_function("_start", m.import("test", "end", "", ""));
  const auto run = start(compile_bytes(m.build()));
  run->instance->set_budget(-7);
  EXPECT_EQ(run->instance->resume(), Stop::kEnded);
  EXPECT_EQ(run->world.ticks_asked, 1U);
}

TEST(Tick, ANegativeAnswerIsAskedAgain) {
  ModuleBuilder m;
  m.export_function("_start", m.function("", "", "", {}));
  const auto run = start(compile_bytes(m.build()));
  run->instance->set_budget(0);
  int asked = 0;
  run->world.on_tick = [&](Slot* budget) {
    *budget = static_cast<Slot>(++asked < 3 ? -1 : 10);
    return CallOutcome::kReturn;
  };
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_EQ(asked, 3);
}

TEST(Tick, SwitchedOffNothingIsCharged) {
  ModuleBuilder m;
  WasmWriter body;
  counting_loop(body, 0, 1000);
  m.export_function("_start", m.function("", "", "i", body));
  const auto run = start(compile_bytes(m.build(), {.tick = false}));
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_EQ(run->instance->budget(), kBudget);
}

// Random programs that count, in their own memory, each function entry and loop header they pass.
class ProgramMaker {
 public:
  explicit ProgramMaker(std::uint64_t seed) : random_(seed) {}

  std::string make() {
    ModuleBuilder m;
    m.memory(1);
    m.export_memory();
    std::uint32_t last = 0;
    for (int i = 0; i < 6; ++i) {
      WasmWriter body;
      count(body);
      for (int k = 0; k < 4; ++k) statement(body, 3, i);
      last = m.function("", "", "iiii", body);
    }
    m.export_function("_start", last);
    return m.build();
  }

 private:
  std::uint64_t below(std::uint64_t n) {
    random_ = mix64(random_ + 0x9e3779b97f4a7c15ULL);
    return random_ % n;
  }
  static void count(WasmWriter& out) {       // ++memory64[0]
    op(i32(out, 0), {0x41, 0, 0x29, 3, 0, 0x42, 1, 0x7c, 0x37, 3, 0});
  }
  void mix(WasmWriter& out) {                // memory32[8] = memory32[8] * 31 + constant
    op(i32(out, 8), {0x41, 8, 0x28, 2, 0, 0x41, 31, 0x6c});
    op(i32(out, static_cast<std::int32_t>(below(1000))), {0x6a, 0x36, 2, 0});
  }
  void statement(WasmWriter& out, int depth, int functions) {
    switch (below(depth > 0 ? 5 : 1)) {
      case 0: return mix(out);
      case 1:
        counting_loop(out, static_cast<std::uint32_t>(depth), 1 + static_cast<int>(below(4)),
                      [&](WasmWriter& body) {
                        count(body);
                        statement(body, depth - 1, functions);
                        mix(body);
                      });
        return;
      case 2:  // if (memory32[8] & 1) … else …
        op(out, {0x41, 8, 0x28, 2, 0, 0x41, 1, 0x71, 0x04, 0x40});
        statement(out, depth - 1, functions);
        op(out, {0x05});
        statement(out, depth - 1, functions);
        op(out, {0x0b});
        return;
      case 3:  // block block br_table(memory32[8]) end … end
        op(out, {0x02, 0x40, 0x02, 0x40, 0x41, 8, 0x28, 2, 0, 0x0e, 1, 0, 1, 0x0b});
        statement(out, depth - 1, functions);
        op(out, {0x0b});
        return;
      default:
        if (functions > 0) call(out, static_cast<std::uint32_t>(below(functions)));
    }
  }
  std::uint64_t random_;
};

// Runs an original module by Wasmtime alone and returns the first 16 bytes of its memory.
std::string run_original(const std::string& wasm) {
  wasm_engine_t* e = engine().impl().handle.get();
  wasmtime_module_t* module = nullptr;
  EXPECT_EQ(take_message(wasmtime_module_new(e, reinterpret_cast<const std::uint8_t*>(wasm.data()),
                                             wasm.size(), &module)), "");
  const ModuleHandle owner(module);
  const StoreHandle store(wasmtime_store_new(e, nullptr, nullptr));
  wasmtime_context_t* context = wasmtime_store_context(store.get());
  wasmtime_instance_t instance;
  wasm_trap_t* trap = nullptr;
  EXPECT_EQ(take_message(wasmtime_instance_new(context, module, nullptr, 0, &instance, &trap)), "");
  wasmtime_extern_t item;
  EXPECT_TRUE(wasmtime_instance_export_get(context, &instance, "_start", 6, &item));
  wasmtime_error_t* error = nullptr;
  FutureHandle future(wasmtime_func_call_async(context, &item.of.func, nullptr, 0, nullptr, 0,
                                               &trap, &error));
  EXPECT_TRUE(wasmtime_call_future_poll(future.get()));
  EXPECT_EQ(trap, nullptr);
  EXPECT_TRUE(wasmtime_instance_export_get(context, &instance, "memory", 6, &item));
  return {reinterpret_cast<const char*>(wasmtime_memory_data(context, &item.of.memory)), 16};
}

// Goal: the pass changes nothing a program computes, and counts exactly what it says it counts.
// Method: random programs against Wasmtime alone, and against their own counter.
TEST(Tick, RandomProgramsComputeTheSameAndCountThemselves) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string wasm = ProgramMaker(seed).make();
    const auto run = start(compile_bytes(wasm));
    ASSERT_TRUE(run);
    ASSERT_EQ(run->instance->resume(), Stop::kReturned) << seed;
    const auto memory = run->instance->memory();
    const std::string seen(reinterpret_cast<const char*>(memory.data()), 16);
    EXPECT_EQ(seen, run_original(wasm)) << seed;
    std::uint64_t counted = 0;
    std::memcpy(&counted, seen.data(), 8);
    EXPECT_EQ(static_cast<std::uint64_t>(kBudget - run->instance->budget()), counted) << seed;
  }
}

}  // namespace
}  // namespace sf::engine
