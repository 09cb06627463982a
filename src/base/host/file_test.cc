#include "base/host/file.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sf::host {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override { folder_ = make_temporary_directory("sf-file-test-").value(); }
  void TearDown() override { EXPECT_TRUE(remove_tree(folder_)); }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::string folder_;
};

TEST_F(Files, WrittenContentReadsBackAndLeavesNoTemporaryFile) {
  const std::string content("a\0b\n", 4);
  ASSERT_TRUE(write_file(at("x"), "old"));
  ASSERT_TRUE(write_file(at("x"), content));
  EXPECT_EQ(read_file(at("x")).value(), content);
  EXPECT_EQ(list_directory(folder_), std::vector<std::string>{"x"});
}

TEST_F(Files, ErrorsNameThePathAndTheReason) {
  EXPECT_EQ(read_file(at("none")).error().text(),
            at("none") + ": cannot open: No such file or directory");
  EXPECT_EQ(read_file(folder_).error().text(), folder_ + ": cannot read: Is a directory");
  EXPECT_EQ(write_file(at("no/x"), "").error().text(),
            at("no/x") + ": cannot write: No such file or directory");
  ASSERT_TRUE(write_file(at("big"), "12345"));
  EXPECT_EQ(read_file(at("big"), 4).error().text(), at("big") + ": more than the 4B that are read");
}

TEST_F(Files, Folders) {
  ASSERT_TRUE(make_directories(at("a/b/c")));
  ASSERT_TRUE(make_directories(at("a/b/c")));
  EXPECT_TRUE(is_directory(at("a/b")));
  EXPECT_EQ(absolute_path(at("a/./b/../b")).value(), absolute_path(at("a/b")).value());
  EXPECT_FALSE(absolute_path(at("none")));
  ASSERT_TRUE(write_file(at("f"), ""));
  EXPECT_FALSE(make_directories(at("f")));
  EXPECT_FALSE(make_directories(at("f/g")));
  EXPECT_TRUE(exists(at("f")));
  ASSERT_TRUE(make_symlink(at("f"), at("link")));
  EXPECT_EQ(absolute_path(at("link")).value(), absolute_path(at("f")).value());
  EXPECT_FALSE(make_symlink(at("f"), at("link")));
  remove_file(at("f"));
  remove_file(at("f"));
  EXPECT_FALSE(exists(at("f")));
  EXPECT_TRUE(list_directory(at("none")).empty());
}

TEST_F(Files, CacheFollowsTheEnvironment) {
  ::setenv("SEEDFALL_CACHE", at("cache").c_str(), 1);
  EXPECT_EQ(cache_directory().value(), at("cache"));
  EXPECT_TRUE(is_directory(at("cache")));
  ::unsetenv("SEEDFALL_CACHE");
  ::setenv("XDG_CACHE_HOME", at("xdg").c_str(), 1);
  EXPECT_EQ(cache_directory().value(), at("xdg/seedfall"));
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(Program, PathIsAbsoluteAndExists) {
  EXPECT_THAT(program_path(), testing::StartsWith("/"));
  EXPECT_TRUE(exists(program_path()));
}

}  // namespace
}  // namespace sf::host
