#include "world/guest_build_c.h"

#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/host/file.h"
#include "world/c_toolchain.h"

namespace sf::world {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPlace = "w.json:1:2: $.nodes[0].c";

// A project folder p, a stand-in for the SDK and a cache folder.
class CBuild : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(find_c_toolchain("")) << find_c_toolchain("").error().text();
    root_ = host::absolute_path(host::make_temporary_directory("sf-c-build-test-").value()).value();
    ::setenv("SEEDFALL_CACHE", (root_ + "/cache").c_str(), 1);
    write("sdk/include/seedfall.h", "int answer(void);\n");
    write("sdk/seedfall.c", "#include \"seedfall.h\"\nint answer(void) { return 42; }\n");
  }
  void TearDown() override {
    ::unsetenv("SEEDFALL_CACHE");
    ::unsetenv("SEEDFALL_CLANG");
    EXPECT_TRUE(host::remove_tree(root_));
  }
  void write(const std::string& name, std::string_view content) const {
    const std::string path = root_ + "/" + name;
    ASSERT_TRUE(host::make_directories(path.substr(0, path.rfind('/'))));
    ASSERT_TRUE(host::write_file(path, content));
  }
  Result<BuiltGuest> build(const std::vector<std::string>& sources,
                           const std::vector<std::string>& flags = {},
                           const std::string& directory = "p") const {
    return build_c_guest({.directory = root_ + "/" + directory,
                          .sources = sources,
                          .flags = flags,
                          .place = std::string(kPlace),
                          .sdk_directory = root_ + "/sdk"});
  }
  std::string error_of(const std::vector<std::string>& sources,
                       const std::vector<std::string>& flags = {}) const {
    const auto built = build(sources, flags);
    if (built) return "no error";
    EXPECT_EQ(built.error().code, ErrorCode::kCannotRun);
    return built.error().text();
  }
  std::string root_;
};

TEST_F(CBuild, OneFileWithTheSdk) {
  write("p/main.c", "#include <seedfall.h>\n#include <stdio.h>\n"
                    "int main(void) { return printf(\"%d\\n\", answer()); }\n");
  const auto built = build({"main.c"});
  ASSERT_TRUE(built) << built.error().text();
  EXPECT_TRUE(host::read_file(built->path)->starts_with(std::string_view("\0asm", 4)));
  EXPECT_THAT(built->path, HasSubstr("/cache/guests/" + built->content.hex() + ".wasm"));
}

TEST_F(CBuild, CAndCxxMixAndEachHasItsStandard) {
  write("p/src/main.c", "#ifdef __cplusplus\n#error not C\n#endif\n"
                        "int count(void); int main(void) { return count(); }\n");
  write("p/src/count.cpp", "#include <concepts>\n#include <map>\n#include <string>\n"
                           "static_assert(__cplusplus > 201703L && std::integral<int>);\n"
                           "extern \"C\" int count(void) {\n"
                           "  std::map<std::string, int> m;\n"
                           "  m[\"a\"] = VALUE;\n"
                           "  return m[\"a\"];\n}\n");
  const auto built = build({"src/*.c", "src/*.cpp"}, {"-std=c++20", "-std=gnu11", "-DVALUE=3"});
  ASSERT_TRUE(built) << built.error().text();
}

TEST_F(CBuild, ChangedHeadersAndFlagsMakeAnotherProgram) {
  write("p/inc/value.h", "#define VALUE 1\n");
  write("p/main.c", "#include \"value.h\"\nint main(void) { return VALUE + MORE; }\n");
  const auto build_it = [&](const char* more) {
    const auto built = build({"main.c"}, {"-Iinc", fmt::format("-DMORE={}", more)});
    return built ? built->content.hex() : built.error().text();
  };
  const std::string first = build_it("1");
  EXPECT_EQ(build_it("1"), first);
  EXPECT_NE(build_it("2"), first);
  write("p/inc/value.h", "#define VALUE 2\n");
  EXPECT_NE(build_it("1"), first);
  write("p/inc/value.h", "#define VALUE 1\n");
  EXPECT_EQ(build_it("1"), first);
}

// Goal: bytes of a program, and so the hashes of its runs, name no folder of the host and no time.
TEST_F(CBuild, OutputDependsOnTheSourcesOnly) {
  const std::string_view source =
      "#include \"inc/h.h\"\n"
      "const char *where(void) { return __FILE__ HEADER __DATE__ __TIME__; }\n"
      "int main(void) { return where()[3]; }\n";
  for (const char* folder : {"p", "other/q"}) {
    write(fmt::format("{}/main.c", folder), source);
    write(fmt::format("{}/inc/h.h", folder), "#define HEADER __FILE__\n");
  }
  const auto one = build({"main.c"}, {"-g"});
  const auto two = build({"./main.c"}, {"-g"}, "other/q");
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_EQ(one->content.hex(), two->content.hex());
  EXPECT_EQ(host::read_file(one->path)->find(root_), std::string::npos);
}

TEST_F(CBuild, ErrorsOfEveryFileAreShownOnceWithTheUsersPaths) {
  write("p/a.c", "int main(void) { return undefined_thing; }\n");
  write("p/sub/b.cc", "int b() { return also_undefined; }\n");
  const std::string error = error_of({"a.c", "sub/*.cc"});
  EXPECT_THAT(error, HasSubstr(fmt::format("{}: a.c sub/*.cc does not build for wasm32-wasi with ",
                                           kPlace)));
  EXPECT_THAT(error, HasSubstr("\na.c:1:25: error: use of undeclared identifier"));
  EXPECT_THAT(error, HasSubstr("\nsub/b.cc:1:18: error: use of undeclared identifier"));
  EXPECT_THAT(error, Not(HasSubstr(root_)));
}

TEST_F(CBuild, LinkErrorsNameSourcesAndSayWhatToDo) {
  write("p/a.c", "int missing(void);\nint main(void) { return missing(); }\n");
  std::string error = error_of({"a.c"});
  EXPECT_THAT(error, HasSubstr("error: a.c: undefined symbol: missing"));
  EXPECT_THAT(error, Not(HasSubstr(root_)));
  write("p/a.c", "int f(void) { return 1; }\n");
  EXPECT_THAT(error_of({"a.c"}), HasSubstr("; no source defines main"));
  write("p/a.cc", "int main() { throw 1; }\n");
  EXPECT_THAT(error_of({"a.cc"}), HasSubstr("C++ exceptions do not exist on wasm32-wasi"));
  write("p/a.cc", "extern \"C\" void *__cxa_allocate_exception(unsigned long);\n"
                  "int main() { return __cxa_allocate_exception(4) != nullptr; }\n");
  EXPECT_THAT(error_of({"a.cc"}), HasSubstr("C++ exceptions do not exist on wasm32-wasi"));
}

// Goal: a machine without the compiler, or with a part of it, is told what to install.
// Method: stand-ins that answer as clang does then.
TEST_F(CBuild, MissingAndOldCompilersNameThePackages) {
  write("p/a.c", "int main(void) { return 0; }\n");
  const auto with_clang = [&](std::string_view script) {
    const std::string path = root_ + "/fake-clang";
    EXPECT_TRUE(host::write_file(path, script));
    EXPECT_EQ(std::system(("chmod +x " + path).c_str()), 0);
    ::setenv("SEEDFALL_CLANG", path.c_str(), 1);
    return error_of({"a.c"});
  };
  EXPECT_THAT(with_clang("#!/bin/sh\necho Debian clang version 11.0.1-2\n"),
              HasSubstr("is version 11; C guests need 14 or later; install Debian's packages: "
                        "apt-get install clang-19 lld-19 wasi-libc"));
  EXPECT_THAT(with_clang("#!/bin/sh\necho gcc 12\n"), HasSubstr("does not answer like clang"));
  const auto failing_with = [&](std::string_view words) {
    return with_clang(fmt::format("#!/bin/sh\n[ \"$1\" = --version ] && echo clang version 16.0.6 "
                                  "&& exit\necho \"{}\"\nexit 1\n", words));
  };
  EXPECT_THAT(failing_with("a.c:1:10: fatal error: 'stdio.h' file not found"),
              HasSubstr("; install Debian's packages: apt-get install wasi-libc"));
  EXPECT_THAT(failing_with("wasm-ld: error: cannot open x/libclang_rt.builtins-wasm32.a"),
              HasSubstr("apt-get install libclang-rt-16-dev-wasm32"));
  EXPECT_THAT(failing_with("a.cc:1:10: fatal error: 'vector' file not found"),
              HasSubstr("apt-get install libc++-16-dev-wasm32 libc++abi-16-dev-wasm32"));
  EXPECT_THAT(failing_with("error: unable to execute command: Executable \\\"wasm-ld\\\" doesn't "
                           "exist!"), HasSubstr("apt-get install lld-16"));
  ::setenv("SEEDFALL_CLANG", "/nonexistent/clang", 1);
  EXPECT_THAT(error_of({"a.c"}),
              HasSubstr("there is no compiler for C: /nonexistent/clang (SEEDFALL_CLANG) cannot "
                        "run; install Debian's packages: apt-get install clang-19"));
}

TEST(CFlags, ThoseThatBreakABuildAreRefusedWithAReason) {
  EXPECT_EQ(why_not_flag("-Iinclude"), "");
  EXPECT_EQ(why_not_flag("-O0"), "");
  EXPECT_EQ(why_not_flag("-Wl,--stack-first"), "");
  EXPECT_EQ(why_not_flag("-include"), "");
  EXPECT_EQ(why_not_flag("config.h"), "");
  EXPECT_EQ(why_not_flag(""), "is empty");
  EXPECT_EQ(why_not_flag("-o"), "names an output, which seedfall chooses");
  EXPECT_EQ(why_not_flag("-ox.wasm"), "names an output, which seedfall chooses");
  EXPECT_EQ(why_not_flag("--target=x86_64-linux"), "chooses another target than wasm32-wasi");
  EXPECT_EQ(why_not_flag("-fexceptions"),
            "asks for C++ exceptions, which wasm32-wasi lacks");
  EXPECT_EQ(why_not_flag("util.c"), "is a source: list it in sources");
  EXPECT_EQ(why_not_flag("--serialize-diagnostics"), "names an output, which seedfall chooses");
  EXPECT_TRUE(wants_next("-include"));
  EXPECT_FALSE(wants_next("-Iinclude"));
}

}  // namespace
}  // namespace sf::world
