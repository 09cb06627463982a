// What go says of programs that do not build, and whom it blames.
#include "front/doctor/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sf::front::doctor {
namespace {

using testing::HasSubstr;

TEST(GoVersion, IsMajorAndMinor) {
  const auto parsed = [](const char* text) {
    const GoVersion version = parse_go_version(text);
    return std::pair(version.major, version.minor);
  };
  EXPECT_EQ(parsed("go1.26.8"), std::pair(1, 26));
  EXPECT_EQ(parsed("go1.27rc1"), std::pair(1, 27));
  EXPECT_EQ(parsed("go1.23"), std::pair(1, 23));
  for (const char* wrong : {"", "go", "go1", "1.26", "gox.1", "go1.x", "devel +abc"}) {
    EXPECT_EQ(parsed(wrong), std::pair(parse_go_version(wrong).major, 0)) << wrong;
  }
}

TEST(Blame, IsThePackageThatTheCompilerNames) {
  const Blame blame = blame_in(
      "./server does not build for wasip1:\n"
      "# go.etcd.io/bbolt\n"
      "../go/pkg/mod/go.etcd.io/bbolt@v1.4.0/bolt_unix.go:59:20: undefined: syscall.Mmap\n");
  EXPECT_EQ(blame.package, "go.etcd.io/bbolt");
  EXPECT_EQ(blame.reason, "uses memory maps, which wasip1 does not have");
}

TEST(Blame, IsTheFirstOfSeveral) {
  EXPECT_EQ(blame_in("# a.com/x [a.com/x.test]\nx.go:1:1: undefined: f\n# b.com/y\n").package,
            "a.com/x");
}

TEST(Blame, IsAPackageWithoutFiles) {
  const Blame blame = blame_in(
      "package example.com/a\n\timports example.com/b\n"
      "\timports golang.org/x/sys/windows: build constraints exclude all Go files in /m\n");
  EXPECT_EQ(blame.package, "golang.org/x/sys/windows");
  EXPECT_THAT(blame.reason, HasSubstr("has no files for wasip1"));
}

TEST(Blame, OfPlainErrorsIsThatItDoesNotCompile) {
  const Blame blame = blame_in("# example.com/a\n./main.go:3:1: syntax error\n");
  EXPECT_EQ(blame.reason, "does not compile");
  EXPECT_EQ(blame.fix, "mend what the compiler says");
}

TEST(Blame, OfAMissingModuleIsNobody) {
  const Blame blame =
      blame_in("main.go:3:8: no required module provides package x.com/y; to add it:\n\tgo get");
  EXPECT_EQ(blame.package, "");
  EXPECT_EQ(blame.fix, "go mod tidy");
}

TEST(Blame, OfAnythingElseIsEmpty) {
  EXPECT_EQ(blame_in("").package, "");
  EXPECT_EQ(blame_in("no such folder").package, "");
}

}  // namespace
}  // namespace sf::front::doctor
