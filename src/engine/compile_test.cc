#include "engine/compile.h"

#include <cstdlib>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/host/file.h"
#include "engine/test_support.h"

namespace sf::engine {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// Each test has a cache folder of its own; the compiler is this very program (main_test.cc).
class CompileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = *host::make_temporary_directory("seedfall-compile-test");
    if (const char* before = std::getenv("SEEDFALL_CACHE")) cache_before_ = before;
    setenv("SEEDFALL_CACHE", (folder_ + "/cache").c_str(), 1);
  }
  void TearDown() override {
    if (cache_before_) {
      setenv("SEEDFALL_CACHE", cache_before_->c_str(), 1);
    } else {
      unsetenv("SEEDFALL_CACHE");
    }
    EXPECT_TRUE(host::remove_tree(folder_));
  }
  std::string write(const std::string& name, const std::string& bytes) {
    EXPECT_TRUE(host::write_file(folder_ + "/" + name, bytes));
    return folder_ + "/" + name;
  }
  std::string error_of(const std::string& bytes) {
    const auto result = compile_program(write("bad.wasm", bytes));
    EXPECT_FALSE(result);
    return result ? "" : result.error().text();
  }
  std::string folder_;
  std::optional<std::string> cache_before_;
};

std::string small_module() {
  ModuleBuilder m;
  m.memory(1);
  m.export_function("_start", m.function("", "", "", {}));
  return m.build();
}

bool loads(const std::string& path) {
  return Program::load(engine(), path, test_functions()).has_value();
}

TEST_F(CompileTest, TheSecondTimeComesFromTheCache) {
  const std::string wasm = write("a.wasm", small_module());
  const auto first = compile_program(wasm);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_FALSE(first->from_cache);
  EXPECT_TRUE(loads(first->code_path));
  const auto second = compile_program(write("same.wasm", small_module()));
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->code_path, first->code_path);
  EXPECT_EQ(second->wasm_hash.size(), 32U);
}

TEST_F(CompileTest, OptionsMakeDifferentCode) {
  const std::string wasm = write("a.wasm", small_module());
  const auto fast = compile_program(wasm);
  const auto plain = compile_program(wasm, {.optimization = Optimization::kNone});
  const auto silent = compile_program(wasm, {.tick = false});
  EXPECT_NE(fast->code_path, plain->code_path);
  EXPECT_NE(fast->code_path, silent->code_path);
  EXPECT_TRUE(loads(plain->code_path));
}

TEST_F(CompileTest, DamagedFilesAreMadeAgain) {
  const std::string wasm = write("a.wasm", small_module());
  const std::string path = compile_program(wasm)->code_path;
  const std::string good = *host::read_file(path);
  for (const std::string& bad : {good.substr(0, good.size() / 2), std::string(),
                                 good.substr(1), "x" + good.substr(1)}) {
    ASSERT_TRUE(host::write_file(path, bad));
    const auto again = compile_program(wasm);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_FALSE(again->from_cache);
    EXPECT_TRUE(loads(path));
  }
}

TEST_F(CompileTest, ErrorsNameTheFileOnce) {
  const std::string name = folder_ + "/bad.wasm: ";
  EXPECT_EQ(error_of("not wasm"), name + "not a WebAssembly module (no \\0asm magic)");
  const std::string good = small_module();
  EXPECT_THAT(error_of(good.substr(0, good.size() - 2)), HasSubstr("truncated: section 10 (code)"));
  ModuleBuilder wrong;
  WasmWriter body;
  i32(body, 1);
  wrong.export_function("_start", wrong.function("", "", "", body));
  EXPECT_THAT(error_of(wrong.build()), HasSubstr(name + "invalid WebAssembly: "));
  EXPECT_THAT(error_of(wrong.build()), HasSubstr("offset"));
  EXPECT_THAT(compile_program(folder_ + "/none.wasm").error().text(), HasSubstr("none.wasm"));
}

// A program without memory must not reach the memory that the pass adds for the budget.
TEST_F(CompileTest, OurMemoryIsOutOfReach) {
  ModuleBuilder m;
  WasmWriter body;
  op(body, {0x41, 0, 0x28, 2, 0, 0x1a});
  m.export_function("_start", m.function("", "", "", body));
  EXPECT_THAT(error_of(m.build()), HasSubstr("unknown memory 0"));
}

TEST_F(CompileTest, ACacheFolderThatCannotBeMadeIsNamed) {
  setenv("SEEDFALL_CACHE", write("file", "").c_str(), 1);
  const auto result = compile_program(write("a.wasm", small_module()));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text(), HasSubstr(folder_ + "/file"));
}

TEST_F(CompileTest, ACompilerThatDiesIsReported) {
  const std::string wasm = write("a.wasm", small_module());
  set_compiler_program("/bin/false");
  EXPECT_THAT(compile_program(wasm).error().text(),
              HasSubstr("a.wasm: the compiler process ended with code 1"));
  set_compiler_program(folder_ + "/none");
  EXPECT_FALSE(compile_program(wasm));
  set_compiler_program("");
}

}  // namespace
}  // namespace sf::engine
