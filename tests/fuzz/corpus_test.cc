// Runs each fuzz target over the kept corpus: what once crashed, and what leads deep into the code.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/host/file.h"
#include "engine/compile.h"
#include "tests/fuzz/targets.h"

namespace sf::fuzz {
namespace {

void run_corpus(const std::string& name, void (*target)(Bytes)) {
  const std::string folder = SEEDFALL_SOURCE_DIR "/tests/fuzz/corpus/" + name;
  const std::vector<std::string> files = host::list_directory(folder);
  ASSERT_FALSE(files.empty()) << folder;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto bytes = host::read_file(folder + "/" + file);
    ASSERT_TRUE(bytes);
    target({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()});
    // Every cut of it is bad input of the kind that files really have.
    for (std::size_t cut = 1; cut < 8; ++cut) {
      target({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size() * cut / 8});
    }
  }
}

TEST(Corpus, Rewrite) { run_corpus("rewrite", rewrite); }
TEST(Corpus, Imports) { run_corpus("imports", imports); }
TEST(Corpus, Config) { run_corpus("config", config); }
TEST(Corpus, Capsule) { run_corpus("capsule", capsule); }
TEST(Corpus, Schedule) { run_corpus("schedule", schedule); }
TEST(Corpus, Trace) { run_corpus("trace", trace); }
TEST(Corpus, ModuleInfo) { run_corpus("module_info", module_info); }
TEST(Corpus, GoTables) { run_corpus("go_tables", go_tables); }

}  // namespace
}  // namespace sf::fuzz

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == "internal-compile") {
    return sf::engine::internal_compile(std::span(arguments).subspan(1));
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
