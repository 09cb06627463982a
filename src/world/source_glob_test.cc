#include "world/source_glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <string_view>
#include <vector>

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

// The recursive definition as a table: every pair of a rest of the name and a rest of the pattern
// is answered once. Plain recursion asks some pairs again for each way there, which is exponential
// in the stars; a random pattern of fourteen took minutes.
bool matches_by_table(std::string_view name, std::string_view pattern) {
  // rest[n][p]: the name from n on matches the pattern from p on.
  std::vector<std::vector<bool>> rest(name.size() + 1, std::vector<bool>(pattern.size() + 1));
  for (std::size_t n = name.size() + 1; n-- > 0;) {
    for (std::size_t p = pattern.size() + 1; p-- > 0;) {
      const bool more = n < name.size();
      if (p == pattern.size()) {
        rest[n][p] = !more;
      } else if (pattern[p] == '*') {
        rest[n][p] = rest[n][p + 1] || (more && rest[n + 1][p]);
      } else {
        rest[n][p] = more && (pattern[p] == '?' || pattern[p] == name[n]) && rest[n + 1][p + 1];
      }
    }
  }
  return rest[0][0];
}

// Goal: going back to the last star only is enough. Method: a twin that tries each of them.
TEST(SourceGlob, NamesMatchAsTheRecursiveDefinitionSays) {
  const bool held = rc::check("equal answers", [] {
    const auto name = *rc::gen::container<std::string>(rc::gen::element('a', 'b'));
    const auto pattern = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '*', '?'));
    RC_ASSERT(name_matches(name, pattern) == matches_by_table(name, pattern));
  });
  EXPECT_TRUE(held);
}

// A pattern that made the recursive twin run for minutes; ours must not go that way either.
TEST(SourceGlob, ManyStarsThatDoNotMatchAreAnsweredAtOnce) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  pattern += "*b";
  EXPECT_FALSE(name_matches(std::string(5'000, 'a'), pattern));
  EXPECT_TRUE(name_matches(std::string(5'000, 'a') + "b", pattern));
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
