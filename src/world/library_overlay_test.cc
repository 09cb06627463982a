// Programs that seedfall builds meet a changed library (guest_build_overlay.h): an fsync and a wait
// for signals park only their goroutine.
//
// Method: tests/guests/fsync and tests/guests/signals, whose lines say what they saw, with syncs of
// exactly 5 ms. Without the overlay the first one naps less often, the second one never ends.
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

std::vector<std::string> lines_of_guest(std::string_view name) {
  return lines_of(fmt::format(
      R"({{"nodes": [{{"name": "idle", "pkg": "{0}/ill", "args": ["idle"]}}],
          "workload": {{"name": "w", "pkg": "{0}/{1}"}},
          "disk": {{"fsync": "5ms"}}, "cpu": {{"preempt": "off"}}}})",
      SEEDFALL_SOURCE_DIR "/tests/guests", name));
}

TEST(LibraryOverlay, OtherGoroutinesGoOnDuringAnFsync) {
  const auto lines = lines_of_guest("fsync");
  EXPECT_THAT(lines, testing::ElementsAre("| naps during one fsync: 4", "| descriptor: 7",
                                          "| four at once took: 5ms",
                                          "| of a closed file: sync /b: file already closed"));
}

TEST(LibraryOverlay, AProgramThatAsksForSignalsStillReadsAndSyncs) {
  const auto lines = lines_of_guest("signals");
  EXPECT_THAT(lines, testing::ElementsAre("| synced", "| answered: hello",
                                          "| no signal within a second",
                                          "| stopped: context canceled"));
}

}  // namespace
}  // namespace sf::world
