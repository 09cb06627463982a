#include "world/config_sources.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/host/file.h"

namespace sf::world {
namespace {

// A folder with a config and what its nodes name.
class Sources : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = host::absolute_path(host::make_temporary_directory("sf-sources-").value()).value();
    for (const char* sub : {"server", "client", ".git", "data"}) {
      ASSERT_TRUE(host::make_directories(folder_ + "/" + sub));
    }
    ASSERT_TRUE(host::write_file(folder_ + "/proxy.wasm", ""));
  }
  void TearDown() override { EXPECT_TRUE(host::remove_tree(folder_)); }

  Result<WorldConfig> load(const std::string& node) {
    const std::string text = fmt::format(R"({{"nodes": [{{"name": "n", {}}}]}})", node);
    EXPECT_TRUE(host::write_file(folder_ + "/w.json", text));
    return load_config(folder_ + "/w.json");
  }
  // The error after the path of the config.
  std::string error_of(const std::string& node) {
    const auto config = load(node);
    return config ? "no error" : config.error().text().substr((folder_ + "/").size());
  }
  std::string folder_;
};

TEST_F(Sources, WhatExistsIsAccepted) {
  const auto config = load(R"("pkg": "./server", "files": "data")");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->directory, folder_);
  EXPECT_EQ(config->name, "w");
  EXPECT_EQ(resolve(*config, config->nodes[0].source), folder_ + "/server");
  EXPECT_EQ(error_of(R"("wasm": "proxy.wasm")"), "no error");
  EXPECT_EQ(error_of(R"("pkg": "example.com/kvlog/server")"), "no error");
  EXPECT_EQ(error_of(R"("pkg": ".")"), "no error");
}

TEST_F(Sources, MissingFoldersNameTheOnesThere) {
  EXPECT_EQ(error_of(R"("pkg": "./sever")"),
            "w.json:1:33: $.nodes[0].pkg: ./sever: no such folder beside the config; "
            "did you mean ./server? folders here: client, data, server");
  EXPECT_EQ(error_of(R"("pkg": "./server/x")"),
            "w.json:1:33: $.nodes[0].pkg: ./server/x: no such folder beside the config; "
            "there are no folders in ./server");
  EXPECT_EQ(error_of(R"("wasm": "proxi.wasm")"),
            "w.json:1:34: $.nodes[0].wasm: proxi.wasm: no such file beside the config; "
            "did you mean proxy.wasm? files here: proxy.wasm, w.json");
  EXPECT_EQ(error_of(R"("pkg": "./server", "files": "dta")"),
            "w.json:1:54: $.nodes[0].files: dta: no such folder beside the config; "
            "did you mean data? folders here: client, data, server");
}

TEST_F(Sources, PackagesThatGoWouldTakeForOthersAreRefused) {
  EXPECT_EQ(error_of(R"("pkg": "server")"),
            "w.json:1:33: $.nodes[0].pkg: server is an import path; write ./server for the folder "
            "beside the config");
  EXPECT_EQ(error_of(R"("pkg": "./...")"),
            "w.json:1:33: $.nodes[0].pkg: ./... names many packages; a node runs one");
}

TEST_F(Sources, CFilesAndPatternsMustMatchSomething) {
  ASSERT_TRUE(host::write_file(folder_ + "/server/main.c", ""));
  EXPECT_EQ(error_of(R"("c": {"sources": ["server/main.c", "server/*.c"]})"), "no error");
  EXPECT_EQ(error_of(R"("c": {"sources": ["server/mian.c"]})"),
            "w.json:1:44: $.nodes[0].c.sources[0]: server/mian.c: no such C or C++ source beside "
            "the config; did you mean server/main.c? C or C++ sources in server: main.c");
  EXPECT_EQ(error_of(R"("c": {"sources": ["server/main.c", "client/*.c"]})"),
            "w.json:1:61: $.nodes[0].c.sources[1]: client/*.c: no such file beside the config; "
            "* and ? match within one name, **/ any number of folders");
}

TEST_F(Sources, AMissingConfigCannotRun) {
  const auto config = load_config(folder_ + "/none.json");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kCannotRun);
  EXPECT_EQ(config.error().text(), folder_ + "/none.json: cannot open: No such file or directory");
}

}  // namespace
}  // namespace sf::world
