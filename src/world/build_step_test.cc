#include "world/build_step.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/host/file.h"

namespace sf::world {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A tool that copies `in` to its output and notes each of its runs.
class Step : public testing::Test {
 protected:
  void SetUp() override {
    root_ = host::absolute_path(host::make_temporary_directory("sf-step-test-").value()).value();
    ::setenv("SEEDFALL_CACHE", (root_ + "/cache").c_str(), 1);
    write("in", "one");
  }
  void TearDown() override {
    ::unsetenv("SEEDFALL_CACHE");
    EXPECT_TRUE(host::remove_tree(root_));
  }
  void write(const std::string& name, std::string_view content) const {
    ASSERT_TRUE(host::write_file(root_ + "/" + name, content));
  }
  StepResult run(const std::string& script = "echo run >> runs; cat in > ",
                 const std::string& identity = "tool 1") {
    BuildStep step;
    step.arguments = {"sh", "-c", script + "\"$1\"", "tool"};
    step.directory = root_;
    step.identity = identity;
    step.scratch = root_;
    step.output_arguments = [](const std::string& file) { return std::vector{file}; };
    step.inputs = [this](const std::string&,
                         const std::string&) -> Result<std::vector<std::string>> {
      return std::vector{root_ + "/in"};
    };
    auto result = run_step(step);
    EXPECT_TRUE(result) << result.error().text();
    return *result;
  }
  std::size_t runs() const {
    const auto text = host::read_file(root_ + "/runs");
    return text ? text->size() / std::string_view("run\n").size() : 0;
  }
  std::string root_;
};

TEST_F(Step, RunsAgainOnlyWhenSomethingChanged) {
  const StepResult first = run();
  ASSERT_TRUE(first.succeeded) << first.output;
  EXPECT_EQ(*host::read_file(first.path), "one");
  EXPECT_EQ(run().path, first.path);
  EXPECT_EQ(runs(), 1U);
  write("in", "two");
  EXPECT_EQ(*host::read_file(run().path), "two");
  EXPECT_EQ(runs(), 2U);
  run("echo run >> runs; cat in > ", "tool 2");
  EXPECT_EQ(runs(), 3U);
  run("echo run >> runs;  cat in > ");
  EXPECT_EQ(runs(), 4U);
}

// Goal: a result is never kept under the hash of a content that it was not made from.
TEST_F(Step, InputsThatChangeMeanwhileAreReadAgain) {
  const std::string script =
      "echo run >> runs; cat in > copy; sleep 0.05; echo two > in; cat copy > ";
  EXPECT_EQ(*host::read_file(run(script).path), "one");
  EXPECT_EQ(*host::read_file(run(script).path), "two\n");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(Step, LostAndHalfWrittenCacheFilesAreMadeAgain) {
  const StepResult first = run();
  host::remove_file(first.path);
  EXPECT_EQ(run().path, first.path);
  EXPECT_EQ(runs(), 2U);
  for (const std::string& name : host::list_directory(root_ + "/cache/steps")) {
    if (name.ends_with(".inputs")) write("cache/steps/" + name, "seedfall build step 1\nx");
  }
  EXPECT_EQ(run().path, first.path);
  EXPECT_EQ(runs(), 3U);
}

TEST_F(Step, FailuresCarryTheOutputAndAreNotKept) {
  for (int i = 1; i <= 2; ++i) {
    const StepResult failed = run("echo run >> runs; echo no such luck; exit 1; ");
    EXPECT_FALSE(failed.succeeded);
    EXPECT_EQ(failed.output, "no such luck\n");
    EXPECT_EQ(runs(), static_cast<std::size_t>(i));
  }
}

TEST(MakeRule, NamesInputsWithBlanksContinuationsAndDollars) {
  EXPECT_THAT(inputs_of_make_rule("result: a.c /usr/x.h \\\n  b\\ c.h ../d$$e.h\n", "/p/q"),
              ElementsAre("/p/q/a.c", "/usr/x.h", "/p/q/b c.h", "/p/d$e.h"));
  EXPECT_TRUE(inputs_of_make_rule("nothing", "/p").empty());
}

}  // namespace
}  // namespace sf::world
