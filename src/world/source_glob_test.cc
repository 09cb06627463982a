#include "world/source_glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/host/file.h"

namespace sf::world {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SourceGlob, NamesMatchStarsAndQuestionMarks) {
  EXPECT_TRUE(name_matches("server.c", "*.c"));
  EXPECT_TRUE(name_matches("a.b.c", "*.c"));
  EXPECT_TRUE(name_matches("abcabc", "*abc"));
  EXPECT_TRUE(name_matches("ab", "a?"));
  EXPECT_TRUE(name_matches("a", "a**"));
  EXPECT_FALSE(name_matches("a", "a?"));
  EXPECT_FALSE(name_matches("server.cc", "*.c"));
  EXPECT_FALSE(name_matches(".hidden.c", "*.c"));
  EXPECT_TRUE(name_matches(".hidden.c", ".*.c"));
}

bool matches_slowly(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    for (std::size_t skip = 0; skip <= name.size(); ++skip) {
      if (matches_slowly(name.substr(skip), pattern.substr(1))) return true;
    }
    return false;
  }
  if (name.empty() || (pattern[0] != '?' && pattern[0] != name[0])) return false;
  return matches_slowly(name.substr(1), pattern.substr(1));
}

// Goal: going back to the last star only is enough. Method: a twin that goes back to all of them.
TEST(SourceGlob, NamesMatchAsTheRecursiveDefinitionSays) {
  const bool held = rc::check("equal answers", [] {
    const auto name = *rc::gen::container<std::string>(rc::gen::element('a', 'b'));
    const auto pattern = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '*', '?'));
    RC_ASSERT(name_matches(name, pattern) == matches_slowly(name, pattern));
  });
  EXPECT_TRUE(held);
}

TEST(SourceGlob, PatternsExpandSortedAndKeepTheirForm) {
  const std::string root =
      host::absolute_path(host::make_temporary_directory("sf-glob-test-").value()).value();
  for (const char* folder : {"src/sub/deep", "src/.git", "lib"}) {
    ASSERT_TRUE(host::make_directories(root + "/" + folder));
  }
  for (const char* file : {"src/b.c", "src/a.c", "src/x.cc", "src/sub/c.c", "src/sub/deep/d.c",
                           "src/.git/e.c", "lib/f.c", "top.c"}) {
    ASSERT_TRUE(host::write_file(root + "/" + file, ""));
  }
  EXPECT_THAT(expand_glob(root, "src/*.c"), ElementsAre("src/a.c", "src/b.c"));
  EXPECT_THAT(expand_glob(root, "./src/?.c"), ElementsAre("./src/a.c", "./src/b.c"));
  EXPECT_THAT(expand_glob(root, "*/f.c"), ElementsAre("lib/f.c"));
  EXPECT_THAT(expand_glob(root, "src/**/*.c"),
              ElementsAre("src/a.c", "src/b.c", "src/sub/c.c", "src/sub/deep/d.c"));
  EXPECT_THAT(expand_glob(root, root + "/*.c"), ElementsAre(root + "/top.c"));
  EXPECT_THAT(expand_glob(root, "*.h"), IsEmpty());
  EXPECT_THAT(expand_glob(root, "src/*"), ElementsAre("src/a.c", "src/b.c", "src/x.cc"));
  // A folder that leads back to itself ends nothing: below ** symlinks are left alone.
  ASSERT_TRUE(host::make_symlink(root + "/src", root + "/src/sub/loop"));
  EXPECT_THAT(expand_glob(root, "src/**/d.c"), ElementsAre("src/sub/deep/d.c"));
  EXPECT_TRUE(host::remove_tree(root));
}

}  // namespace
}  // namespace sf::world
