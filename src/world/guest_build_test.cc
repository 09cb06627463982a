#include "world/guest_build.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <thread>

#include "base/host/file.h"
#include "base/strings.h"
#include "world/guest_build_layout.h"

namespace sf::world {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kMain = R"(package main

import (
	"github.com/seedfall/seedfall/sdk/go/sim"
	"os"
)

func main() { os.Exit(sim.Answer()) }
)";

// A small SDK whose module asks for a newer Go than some of the programs below; Answer needs it.
constexpr std::string_view kSdkSource = R"(// Package sim is a stand-in.
package sim

func Answer() int {
	sum := 0
	for i := range 3 {
		sum += i
	}
	return max(sum, 1)
}
)";

std::map<std::string, std::string> tree_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& name : host::list_directory(folder)) {
    const std::string path = folder + "/" + name;
    files[path] = host::is_directory(path) ? "folder" : host::read_file(path).value_or("?");
    if (host::is_directory(path)) files.merge(tree_of(path));
  }
  return files;
}

// A project folder, a stand-in SDK and a cache folder; nothing may reach for the network.
class GuestBuild : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(run_go({"version"}, "/")) << "these tests need a Go toolchain";
    root_ = host::absolute_path(host::make_temporary_directory("sf-build-test-").value()).value();
    ::setenv("GOPROXY", "off", 1);
    ::setenv("SEEDFALL_CACHE", (root_ + "/cache").c_str(), 1);
    write("sdk/go.mod", fmt::format("module {}\n\ngo 1.23\n", kSdkModule));
    write("sdk/sim/sim.go", kSdkSource);
    write("sdk/sim/host.go",
          "//go:build seedfall && wasip1\n\npackage sim\n\nfunc init() { println(min(1, 2)) }\n");
    write("sdk/sim/sim_test.go", "package sim_test\n");
  }
  void TearDown() override {
    if (root_.empty()) return;
    EXPECT_TRUE(host::remove_tree(root_));
    ::unsetenv("SEEDFALL_CACHE");
  }

  void write(const std::string& name, std::string_view content) const {
    const std::string path = root_ + "/" + name;
    ASSERT_TRUE(host::make_directories(path.substr(0, path.rfind('/'))));
    ASSERT_TRUE(host::write_file(path, content));
  }

  // Builds and checks that the project and the SDK are as they were.
  Result<BuiltGuest> build(const std::string& package = "./server",
                           const std::string& directory = "p") const {
    const auto project = tree_of(root_ + "/p");
    const auto sdk = tree_of(root_ + "/sdk");
    const auto built = build_go_guest({.directory = root_ + "/" + directory,
                                       .package = package,
                                       .place = "w.json:1:2: $.nodes[0].pkg",
                                       .sdk_directory = root_ + "/sdk"});
    EXPECT_EQ(tree_of(root_ + "/p"), project);
    EXPECT_EQ(tree_of(root_ + "/sdk"), sdk);
    return built;
  }
  void expect_builds(const std::string& package = "./server",
                     const std::string& directory = "p") const {
    const auto built = build(package, directory);
    ASSERT_TRUE(built) << built.error().text();
    EXPECT_TRUE(host::read_file(built->path)->starts_with(std::string_view("\0asm", 4)));
    EXPECT_THAT(built->path, HasSubstr(built->content.hex()));
  }
  std::string error_of(const std::string& package = "./server") const {
    const auto built = build(package);
    if (built) return "no error";
    EXPECT_EQ(built.error().code, ErrorCode::kCannotRun);
    return built.error().text();
  }
  std::string root_;
};

TEST_F(GuestBuild, ModuleThatDoesNotMentionTheSdk) {
  write("p/go.mod", "module example.com/p\n\ngo 1.23\n");
  write("p/server/main.go", kMain);
  expect_builds();
  expect_builds("example.com/p/server");
}

TEST_F(GuestBuild, ModuleThatRequiresAndReplacesTheSdk) {
  write("p/go.mod",
        fmt::format(
            "module example.com/p\n\ngo 1.24\n\nrequire {0} v0.3.0\n\nreplace {0} => ../nowhere\n\n"
            "replace {0} v0.3.0 => ../nowhere\n",
            kSdkModule));
  write("p/server/main.go", kMain);
  expect_builds();
}

// Goal: the user's `go` line decides what the user's code means, the SDK's what the SDK's means.
TEST_F(GuestBuild, ModulesOlderThanTheSdk) {
  for (const char* line : {"", "go 1.16\n", "go 1.20\n", "go 1.21.3\n"}) {
    write("p/go.mod", fmt::format("module example.com/p\n\n{}", line));
    write("p/server/main.go", kMain);
    expect_builds();
  }
  write("p/server/main.go", "package main\n\nfunc main() { println(max(1, 2)) }\n");
  write("p/go.mod", "module example.com/p\n\ngo 1.20\n");
  EXPECT_THAT(error_of(), HasSubstr("requires go1.21 or later"));
}

TEST_F(GuestBuild, ReplacementsOfTheUserStayRelativeToTheModule) {
  write("p/go.mod",
        "module example.com/p\n\ngo 1.22\n\nrequire example.com/dep v1.0.0\n\nreplace "
        "example.com/dep => ./dep\n");
  write("p/dep/go.mod", "module example.com/dep\n\ngo 1.20\n");
  write("p/dep/dep.go", "package dep\n\nconst One = 1\n");
  write("p/server/main.go",
        "package main\n\nimport "
        "(\n\t\"example.com/dep\"\n\t\"github.com/seedfall/seedfall/sdk/go/sim\"\n)\n\n"
        "func main() { println(dep.One, sim.Answer()) }\n");
  expect_builds();
}

TEST_F(GuestBuild, WorkspaceWithRelativeFolders) {
  write("p/go.work",
        "go 1.22\n\nuse (\n\t./a\n\t./b\n\t../sdk\n)\n\nreplace example.com/c => ./c\n");
  write("p/a/go.mod", "module example.com/a\n\ngo 1.20\n\nrequire example.com/c v1.0.0\n");
  write("p/b/go.mod", "module example.com/b\n\ngo 1.22\n");
  write("p/c/go.mod", "module example.com/c\n\ngo 1.20\n");
  write("p/c/c.go", "package c\n\nconst One = 1\n");
  write("p/b/b.go", "package b\n\nconst Two = 2\n");
  write("p/a/server/main.go", "package main\n\nimport (\n\t\"example.com/b\"\n\t\"example.com/c\"\n"
                              "\t\"github.com/seedfall/seedfall/sdk/go/sim\"\n)\n\n"
                              "func main() { println(b.Two, c.One, sim.Answer()) }\n");
  expect_builds("./a/server");
  expect_builds("./server", "p/a");
}

void write_vendored(const std::function<void(const std::string&, std::string_view)>& write,
                    bool import_sdk) {
  write("p/vendor/modules.txt",
        "# example.com/dep v1.0.0\n## explicit; go 1.20\nexample.com/dep\n"
        "# example.com/rep v1.0.0 => ./rep\n## explicit; go 1.20\nexample.com/rep\n"
        "# example.com/rep => ./rep\n");
  write("p/vendor/example.com/dep/dep.go", "package dep\n\nconst One = 1\n");
  write("p/vendor/example.com/rep/rep.go", "package rep\n\nconst Two = 2\n");
  write("p/rep/go.mod", "module example.com/rep\n\ngo 1.20\n");
  write("p/server/main.go",
        fmt::format(
            "package main\n\nimport (\n\t\"example.com/dep\"\n\t\"example.com/rep\"\n{}\n)\n\n"
            "func main() {{ println(dep.One, rep.Two{}) }}\n",
            import_sdk ? "\t\"github.com/seedfall/seedfall/sdk/go/sim\"" : "",
            import_sdk ? ", sim.Answer()" : ""));
}

constexpr std::string_view kVendoredModule =
    "module example.com/p\n\ngo 1.22\n\nrequire example.com/dep v1.0.0\n\nrequire example.com/rep "
    "v1.0.0\n\n"
    "replace example.com/rep => ./rep\n";

TEST_F(GuestBuild, VendorWithoutTheSdk) {
  write("p/go.mod", kVendoredModule);
  write_vendored([this](auto name, auto content) { write(name, content); }, false);
  expect_builds();
}

TEST_F(GuestBuild, VendorIntoWhichTheSdkIsInjected) {
  write("p/go.mod", kVendoredModule);
  write_vendored([this](auto name, auto content) { write(name, content); }, true);
  expect_builds();
  write("p/go.mod", fmt::format("{0}\nrequire {1} v0.0.0\n\nreplace {1} => ../elsewhere\n",
                                kVendoredModule, kSdkModule));
  expect_builds();
}

TEST_F(GuestBuild, VendorThatHoldsTheSdk) {
  write("p/go.mod",
        fmt::format("module example.com/p\n\ngo 1.22\n\nrequire {} v0.1.0\n", kSdkModule));
  write("p/vendor/modules.txt",
        fmt::format("# {0} v0.1.0\n## explicit; go 1.20\n{0}/sim\n", kSdkModule));
  write(fmt::format("p/vendor/{}/sim/sim.go", kSdkModule),
        "package sim\n\nfunc Answer() int { return 0 }\n");
  write("p/server/main.go", kMain);
  expect_builds();
}

TEST_F(GuestBuild, CodeThatDoesNotCompileIsAnsweredOnceWithTheUsersPaths) {
  write("p/go.mod", "module example.com/p\n\ngo 1.23\n");
  write("p/server/main.go", "package main\n\nfunc main() { undefinedThing() }\n");
  // The tests run elsewhere: what to type next names the folder as it is seen from there.
  EXPECT_THAT(error_of(),
              AllOf(StartsWith("w.json:1:2: $.nodes[0].pkg: ./server does not build for wasip1:\n"
                               "# example.com/p/server\n"
                               "server/main.go:3:15: undefined: undefinedThing\n"
                               "run `seedfall doctor "),
                    EndsWith("/p/server`: it looks for the cause")));
  // A dot that is no way up is part of the name; without "./" go would take it for an import path.
  write("p/.hidden/main.go", "package main\n\nfunc main() { undefinedThing() }\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(root_ + "/p");
  EXPECT_THAT(error_of("./.hidden"), EndsWith("run `seedfall doctor ./.hidden`: it looks for the "
                                              "cause"));
  std::filesystem::current_path(before);
}

TEST(RelativePackage, IsAPathThatGoTakesForNoImportPath) {
  EXPECT_EQ(relative_package("/a/b/server", "/a/b"), "./server");
  EXPECT_EQ(relative_package("/a/b/./cmd/../server/", "/a/b"), "./server");
  EXPECT_EQ(relative_package("/a/b/..x", "/a/b"), "./..x");
  EXPECT_EQ(relative_package("/a/b/.x", "/a/b"), "./.x");
  EXPECT_EQ(relative_package("/a/c", "/a/b"), "../c");
  EXPECT_EQ(relative_package("/a", "/a/b"), "..");
  EXPECT_EQ(relative_package("/a/b/.", "/a/b"), ".");
}

TEST_F(GuestBuild, AModuleBelowTheConfigIsBuiltFromInside) {
  write("p/server/go.mod", "module example.com/p/server\n\ngo 1.23\n");
  write("p/server/main.go", kMain);
  expect_builds();
  write("p/server/main.go", "package main\n\nfunc main() { undefinedThing() }\n");
  EXPECT_THAT(error_of(), HasSubstr("\nserver/main.go:3:15: undefined: undefinedThing"));
}

TEST_F(GuestBuild, OtherFailuresSayWhatToDo) {
  write("p/lib/lib.go", "package lib\n");
  EXPECT_EQ(
      error_of("./lib"),
      "w.json:1:2: $.nodes[0].pkg: ./lib is in no Go module: there is no go.mod at or above it; "
      "run `go mod init NAME` in the folder of the project");
  write("p/go.mod", "module example.com/p\n\ngo 1.23\n");
  EXPECT_EQ(error_of("./lib"),
            "w.json:1:2: $.nodes[0].pkg: ./lib is no program: its package is not main; "
            "name the folder that holds func main");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  EXPECT_EQ(error_of("./lib"),
            "w.json:1:2: $.nodes[0].pkg: cannot start: No such file or directory; "
            "install Go 1.23 or later (https://go.dev/dl) and make sure that `go` is in PATH");
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(GuestBuild, TagsOfTheUserAreKept) {
  write("p/go.mod", "module example.com/p\n\ngo 1.23\n");
  write("p/server/main.go",
        "//go:build extra && seedfall && timetzdata\n\npackage main\n\nfunc main() {}\n");
  ::setenv("GOFLAGS", "-buildvcs=false -tags=extra", 1);
  expect_builds();
  ::unsetenv("GOFLAGS");
  EXPECT_THAT(error_of(), HasSubstr("build constraints exclude all Go files"));
}

// Goal: bytes of a program, and so the hashes of its runs, name no folder of the host.
// Method: the same project and the same SDK in two folders, for each layout, old and new `go`
// lines.
TEST_F(GuestBuild, OutputDependsOnTheSourcesOnly) {
  write("other/sdk/go.mod", fmt::format("module {}\n\ngo 1.23\n", kSdkModule));
  write("other/sdk/sim/sim.go", kSdkSource);
  write("other/sdk/sim/host.go", *host::read_file(root_ + "/sdk/sim/host.go"));
  for (const char* version : {"1.20", "1.23"}) {
    for (const std::string layout : {"module", "work", "vendor"}) {
      std::vector<std::string> paths;
      for (const std::string& base : {layout + version, "other/" + layout + version}) {
        write(base + "/go.mod", fmt::format("module example.com/p\n\ngo {}\n", version));
        write(base + "/server/main.go", kMain);
        if (layout == "work") write(base + "/go.work", fmt::format("go {}\n\nuse .\n", version));
        if (layout == "vendor") write(base + "/vendor/modules.txt", "");
        const std::string sdk = root_ + (paths.empty() ? "/sdk" : "/other/sdk");
        const auto built = build_go_guest({.directory = root_ + "/" + base, .package = "./server",
                                           .place = "", .sdk_directory = sdk});
        ASSERT_TRUE(built) << layout << ": " << built.error().text();
        paths.push_back(built->path);
      }
      EXPECT_EQ(paths[0], paths[1]) << layout << " " << version;
    }
  }
}

TEST_F(GuestBuild, SeveralAtOnce) {
  write("p/go.mod", "module example.com/p\n\ngo 1.20\n");
  write("p/server/main.go", kMain);
  std::vector<std::string> paths(3);
  std::vector<std::thread> threads;
  for (std::string& path : paths) {
    threads.emplace_back([&path, this] {
      const auto built = build_go_guest({.directory = root_ + "/p",
                                         .package = "./server",
                                         .place = "",
                                         .sdk_directory = root_ + "/sdk"});
      path = built ? built->path : built.error().text();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(host::exists(paths[0])) << paths[0];
  EXPECT_EQ(paths[1], paths[0]);
  EXPECT_EQ(paths[2], paths[0]);
  EXPECT_EQ(host::list_directory(root_ + "/cache/guests").size(), 1U);
}

}  // namespace
}  // namespace sf::world
