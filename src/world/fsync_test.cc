// An fsync parks only its goroutine in programs that seedfall builds (guest_build_overlay.h).
//
// Method: tests/guests/fsync, whose lines say what it saw, with syncs of exactly 5 ms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/host/file.h"
#include "trace/sinks.h"
#include "world/run.h"
#include "world/world.h"

namespace sf::world {
namespace {

std::vector<std::string> lines_of(const std::string& config_text) {
  const std::string folder = *host::make_temporary_directory("sf-fsync-test-");
  const std::string path = folder + "/world.json";
  EXPECT_TRUE(host::write_file(path, config_text));
  std::vector<std::string> lines;
  auto config = load_config(path);
  if (!config) ADD_FAILURE() << config.error().text();
  auto world = World::prepare(*config, {});
  EXPECT_TRUE(host::remove_tree(folder));
  if (!world) {
    ADD_FAILURE() << world.error().text();
    return lines;
  }
  trace::CallbackSink sink([&lines](std::uint64_t, const kernel::Record& record) {
    if (record.kind == kernel::RecordKind::kConsole) lines.push_back(record.what);
  });
  const auto result = run(**world, RunSpec{.seed = 1}, sink);
  EXPECT_TRUE(result);
  EXPECT_TRUE(result->findings.empty());
  return lines;
}

TEST(Fsync, OtherGoroutinesGoOnMeanwhile) {
  const std::string guests = SEEDFALL_SOURCE_DIR "/tests/guests";
  const auto lines = lines_of(fmt::format(
      R"({{"nodes": [{{"name": "idle", "pkg": "{0}/ill", "args": ["idle"]}}],
          "workload": {{"name": "w", "pkg": "{0}/fsync"}},
          "disk": {{"fsync": "5ms"}}, "cpu": {{"preempt": "off"}}}})", guests));
  EXPECT_THAT(lines, testing::ElementsAre("| naps during one fsync: 4", "| descriptor: 7",
                                          "| four at once took: 5ms",
                                          "| of a closed file: sync /b: file already closed"));
}

}  // namespace
}  // namespace sf::world
