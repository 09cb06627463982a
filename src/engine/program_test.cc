#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/host/file.h"
#include "engine/test_support.h"

namespace sf::engine {
namespace {

using namespace testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string load_error(const ModuleBuilder& builder) {
  const auto program = Program::load(engine(), compile_bytes(builder.build()), test_functions());
  return program ? "" : program.error().text();
}

ModuleBuilder importing(std::string_view module, std::string_view name, std::string_view parameters,
                        std::string_view result) {
  ModuleBuilder m;
  m.import(module, name, parameters, result);
  m.export_function("_start", m.function("", "", "", {}));
  return m;
}

TEST(Program, MissingImportsAreNamedWithTheNearest) {
  EXPECT_THAT(load_error(importing("env", "foo", "i", "")),
              EndsWith("imports env.foo, which seedfall does not offer; "
                       "nothing is offered in module env"));
  EXPECT_THAT(load_error(importing("wasi_snapshot_preview1", "fd_wirte", "i", "")),
              EndsWith("which seedfall does not offer; the nearest name is fd_write"));
}

TEST(Program, WrongTypesAreShownOnBothSides) {
  EXPECT_THAT(load_error(importing("test", "add", "if", "")),
              EndsWith("imports test.add as (i32, f32) -> nothing, but it is (i32, i64) -> i64"));
}

TEST(Program, TheDraftBeforePreview1IsNamed) {
  EXPECT_THAT(load_error(importing("wasi_unstable", "fd_close", "i", "i")),
              EndsWith("imports wasi_unstable.fd_close, which seedfall does not offer; that is the "
                       "draft before WASI preview 1: build for wasi_snapshot_preview1"));
}

// Goal: one name may stand for functions of different types, and a module gets the one it asks for.
TEST(Program, FormsOfOneNameAreToldApartByType) {
  std::vector<HostFunction> functions(test_functions().begin(), test_functions().end());
  const auto log = std::find_if(functions.begin(), functions.end(),
                                [](const HostFunction& f) { return f.name == "log"; });
  ASSERT_NE(log, functions.end());
  HostFunction second = *log;
  second.parameters = "ii";
  functions.push_back(second);
  const auto error_of = [&](const ModuleBuilder& m) {
    const auto program = Program::load(engine(), compile_bytes(m.build()), functions);
    return program ? "" : program.error().text();
  };
  EXPECT_EQ(error_of(importing("test", "log", "i", "")), "");
  EXPECT_EQ(error_of(importing("test", "log", "ii", "")), "");
  EXPECT_THAT(error_of(importing("test", "log", "iii", "")),
              EndsWith("as (i32, i32, i32) -> nothing, but it is (i32) -> nothing"));
  ModuleBuilder both;
  both.import("test", "log", "i", "");
  both.import("test", "log", "ii", "");
  both.export_function("_start", both.function("", "", "", {}));
  EXPECT_THAT(error_of(both), EndsWith("imports test.log in two forms"));
}

TEST(Program, OnlyFunctionsCanBeImported) {
  ModuleBuilder m;
  m.raw_section(wasm::kImport,
                WasmWriter().u(1).name("env").name("memory").byte(2).byte(0).u(1).take());
  m.export_function("_start", m.function("", "", "", {}));
  EXPECT_THAT(load_error(m), HasSubstr("imports env.memory, a memory; seedfall offers functions"));
}

TEST(Program, OneDefinitionServesDoubleImports) {
  ModuleBuilder m;
  const auto first = m.import("test", "log", "i", "");
  const auto second = m.import("test", "log", "i", "");
  WasmWriter body;
  call(i32(body, 1), first);
  call(i32(body, 2), second);
  m.export_function("_start", m.function("", "", "", body));
  const auto run = start(compile_bytes(m.build()));
  EXPECT_EQ(run->instance->resume(), Stop::kReturned);
  EXPECT_THAT(run->world.log, ::testing::ElementsAre("1", "2"));
  EXPECT_TRUE(run->program->imports("test", "log"));
  EXPECT_FALSE(run->program->imports("test", "add"));
  EXPECT_FALSE(run->program->imports("seedfall", "tick"));
}

TEST(Program, KnowsItsConstants) {
  ModuleBuilder m = importing("test", "log", "i", "");
  m.memory(1);
  m.data(100, "0123456789");
  m.data(40, "abcd");
  const auto run = start(compile_bytes(m.build()));
  const Program& p = *run->program;
  EXPECT_TRUE(p.in_data_segment(100, 10));
  EXPECT_TRUE(p.in_data_segment(109, 1));
  EXPECT_TRUE(p.in_data_segment(40, 4));
  EXPECT_FALSE(p.in_data_segment(100, 11));
  EXPECT_FALSE(p.in_data_segment(39, 2));
  EXPECT_FALSE(p.in_data_segment(44, 1));
  EXPECT_FALSE(p.in_data_segment(109, ~0ULL));
}

TEST(Program, DamagedCodeIsRefused) {
  const std::string path = compile_bytes(importing("test", "log", "i", "").build());
  const std::string good = *host::read_file(path);
  const std::size_t end = good.size();
  for (const std::size_t at : {std::size_t{0}, end / 2, end - 60, end - 1}) {
    std::string bad = good;
    bad[at] ^= 1;
    ASSERT_TRUE(host::write_file(path, bad));
    const auto program = Program::load(engine(), path, test_functions());
    ASSERT_FALSE(program) << at;
    EXPECT_THAT(program.error().text(), HasSubstr("damaged compiled code"));
  }
  EXPECT_FALSE(Program::load(engine(), path + ".none", test_functions()));
}

}  // namespace
}  // namespace sf::engine
