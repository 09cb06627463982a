#include "engine/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "engine/engine_impl.h"
#include "engine/test_support.h"

namespace sf::engine {
namespace {

using namespace testing;
using ::testing::HasSubstr;

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string error_of(const std::string& wasm) {
  const auto result = rewrite_module(bytes_of(wasm));
  return result ? "" : result.error().text();
}

bool is_valid(const std::string& wasm) {
  const auto bytes = bytes_of(wasm);
  return take_message(wasmtime_module_validate(engine().impl().handle.get(), bytes.data(),
                                               bytes.size())).empty();
}

// A module with a bit of everything: table, passive data, start, SIMD, several results, tail calls,
// references to imports in all places.
std::string rich_module() {
  ModuleBuilder m;
  const auto log = m.import("test", "log", "i", "");
  const auto add = m.import("test", "add", "iI", "I");
  WasmWriter pair;
  i64(i32(pair, 7), 9);
  const auto two = m.function("", "iI", "", pair);
  WasmWriter body;
  counting_loop(body, 0, 3, [&](WasmWriter& out) {
    i32(out, 5);
    i32(out, 0);
    op(out, {0x11, 0, 0});                                  // call_indirect type 0 (i) -> ()
  });
  call(body, two);
  call(body, add);
  op(body, {0x1a, 0x23, 0, 0x1a});                          // drop, global.get 0, drop
  op(body, {0xfd, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});   // v128.const
  op(body, {0xfd, 21, 3, 0x1a});                            // i8x16.extract_lane_s 3, drop
  i32(i32(i32(body, 0), 0), 2);
  op(body, {0xfc, 8, 1, 0, 0xfc, 9, 1});                    // memory.init 1, data.drop 1
  op(body, {0xd2, 0, 0x1a, 0xd0, 0x70, 0x1a});              // ref.func log, ref.null func
  op(body, {0x02, 0x7f, 0x41, 1, 0x41, 0, 0x0e, 1, 0, 0, 0x0b, 0x1a});   // block with br_table
  op(body, {0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0xfc, 2, 0x1a});  // f64.const, trunc_sat
  const auto start_code = m.function("", "", "i", body);
  WasmWriter tail;
  i32(tail, 1);
  op(tail, {0x12}).u(log);                                  // return_call log
  const auto tail_call = m.function("", "", "", tail);
  m.table({log, add, two, start_code});
  m.memory(1);
  m.export_memory();
  m.raw_section(wasm::kGlobal, WasmWriter().u(1).byte(wasm::kFuncRef).byte(0).byte(0xd2).u(log)
                                   .byte(wasm::kEnd).take());
  m.start(tail_call);
  m.data(16, "constant");
  m.passive_data("xy");
  m.raw_section(wasm::kDataCount, WasmWriter().u(2).take());
  m.export_function("_start", start_code);
  m.export_function("log again", log);
  m.name_function(log, "host_log");
  m.name_function(start_code, "begin");
  return m.build();
}

TEST(Rewrite, RichModuleStaysValidAndIsDescribed) {
  const std::string wasm = rich_module();
  ASSERT_TRUE(is_valid(wasm));
  const auto result = rewrite_module(bytes_of(wasm));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_TRUE(is_valid(result->wasm));
  EXPECT_EQ(result->info.imports.size(), 2U);
  EXPECT_EQ(result->info.imports[1].parameters, "iI");
  EXPECT_EQ(result->info.data, (std::vector<DataRange>{{16, 24}}));
  EXPECT_EQ(result->info.memory_bytes_initial, 65'536U);
  EXPECT_FALSE(result->info.is_go);
  EXPECT_EQ(result->check_sites, 4U);   // three functions, one loop
  EXPECT_EQ(*ModuleInfo::parse(result->info.serialize()), result->info);
}

// Goal: no input makes the pass crash, hang, or turn a valid module into an invalid one.
// Method: every truncation and many byte flips of a rich module; Wasmtime judges. The other way
// round cannot hold: an index one past the end may become one of ours (compile.cc validates both).
TEST(Rewrite, EveryTruncationIsAnErrorOrAValidModule) {
  const std::string wasm = rich_module();
  int errors = 0;
  for (std::size_t size = 0; size < wasm.size(); ++size) {
    const std::string cut = wasm.substr(0, size);
    const auto result = rewrite_module(bytes_of(cut));
    if (result) {
      EXPECT_TRUE(is_valid(result->wasm) || !is_valid(cut)) << size;
    } else {
      ++errors;
      EXPECT_FALSE(result.error().message.empty());
    }
  }
  EXPECT_GT(errors, static_cast<int>(wasm.size()) / 2);
}

TEST(Rewrite, FlippedBytesThatLeaveAModuleValidLeaveTheResultValid) {
  const std::string wasm = rich_module();
  std::uint64_t random = 1;
  int valid = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = wasm;
    for (int flips = 1 + round % 3; flips > 0; --flips) {
      random = mix64(random + 0x9e3779b97f4a7c15ULL);
      damaged[8 + random % (wasm.size() - 8)] ^= static_cast<char>(1U << (random >> 40) % 8);
    }
    const auto result = rewrite_module(bytes_of(damaged));
    if (!result || !is_valid(damaged)) continue;
    ++valid;
    ASSERT_TRUE(is_valid(result->wasm)) << round;
  }
  EXPECT_GT(valid, 1000);
}

TEST(Rewrite, ModuleInfoSurvivesDamage) {
  const std::string info = rewrite_module(bytes_of(rich_module()))->info.serialize();
  for (std::size_t size = 0; size < info.size(); ++size) {
    EXPECT_FALSE(ModuleInfo::parse(std::string_view(info).substr(0, size))) << size;
  }
}

TEST(Rewrite, ErrorsNameWhatIsWrong) {
  EXPECT_THAT(error_of(""), HasSubstr("not a WebAssembly module"));
  EXPECT_THAT(error_of("#!/bin/sh\n"), HasSubstr("not a WebAssembly module"));
  EXPECT_THAT(error_of(std::string("\0asm", 4)), HasSubstr("truncated"));
  EXPECT_THAT(error_of(std::string("\0asm\x0d\0\1\0", 8)), HasSubstr("not version 1"));
  const std::string head("\0asm\1\0\0\0", 8);
  EXPECT_THAT(error_of(head), HasSubstr("exports no function _start"));
  EXPECT_EQ(error_of(head + "\x0a\x40"),
            "truncated: section 10 (code) needs 64 bytes at offset 10, 0 are left");
  EXPECT_THAT(error_of(head + std::string("\x0e\0", 2)),
              HasSubstr("unknown section 14 at offset 8"));
  EXPECT_THAT(error_of(head + std::string("\3\1\0\1\1\0", 6)),
              HasSubstr("section 1 (type) is out of order or doubled at offset 11"));
}

std::string module_with_code(std::initializer_list<int> bytes) {
  ModuleBuilder m;
  WasmWriter body;
  op(body, bytes);
  m.memory(1);
  m.export_function("_start", m.function("", "", "i", body));
  return m.build();
}

TEST(Rewrite, UnsupportedFeaturesAreNamed) {
  EXPECT_THAT(error_of(module_with_code({0x27})), HasSubstr("unknown opcode 0x27 at offset"));
  EXPECT_THAT(error_of(module_with_code({0xfe, 0, 2, 0})), HasSubstr("threads"));
  EXPECT_THAT(error_of(module_with_code({0x06, 0x40})), HasSubstr("exceptions"));
  EXPECT_THAT(error_of(module_with_code({0xfb, 0, 0})), HasSubstr("garbage collection"));
  EXPECT_THAT(error_of(module_with_code({0xfd, 0x80, 2})), HasSubstr("relaxed SIMD"));
  EXPECT_THAT(error_of(module_with_code({0x28, 0x42, 1, 0})), HasSubstr("several memories"));
  EXPECT_THAT(error_of(module_with_code({0x10, 9})), HasSubstr("unknown function 9"));
  ModuleBuilder shared;
  shared.raw_section(wasm::kMemory, std::string("\1\3\1\1", 4));
  shared.export_function("_start", shared.function("", "", "", {}));
  EXPECT_THAT(error_of(shared.build()), HasSubstr("threads (a shared memory)"));
}

TEST(Rewrite, RefusesWhatWasRewrittenAlready) {
  const auto once = rewrite_module(bytes_of(rich_module()));
  EXPECT_THAT(error_of(once->wasm), HasSubstr("imports seedfall.tick itself"));
  ModuleBuilder m;
  const auto f = m.function("", "", "", {});
  m.export_function("_start", f);
  m.export_function("seedfall.control", f);
  EXPECT_THAT(error_of(m.build()), HasSubstr("exports seedfall.control, a reserved name"));
}

TEST(Rewrite, EntryMustBePlain) {
  ModuleBuilder m;
  m.export_function("_start", m.function("i", "", "", {}));
  EXPECT_THAT(error_of(m.build()), HasSubstr("the export _start takes parameters"));
}

}  // namespace
}  // namespace sf::engine
