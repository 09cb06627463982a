// Shrinking preemptions, on a planted race that one of them brings out (tests/guests/race1).
//
// Method: failing seeds are shrunk; what is left must give the finding by itself, exactly as the
// capsule says, and without each single one the finding must be gone (the control).
#include "search/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/host/file.h"
#include "search/capsule.h"

namespace sf::search {
namespace {

std::unique_ptr<world::World> race(const char* guest) {
  const std::string folder = *host::make_temporary_directory("sf-shrink-test-");
  const std::string path = folder + "/race.json";
  EXPECT_TRUE(host::write_file(
      path, fmt::format(R"({{"nodes": [{{"name": "idle", "pkg": "{0}/ill", "args": ["idle"]}}],
                            "workload": {{"name": "w", "pkg": "{0}/{1}"}},
                            "cpu": {{"preempt": "random", "preempt_rate": 500}}}})",
                        SEEDFALL_SOURCE_DIR "/tests/guests", guest)));
  auto config = world::load_config(path);
  if (!config) ADD_FAILURE() << config.error().text();
  auto world = world::World::prepare(*config, {});
  if (!world) ADD_FAILURE() << world.error().text();
  EXPECT_TRUE(host::remove_tree(folder));
  return *std::move(world);
}

world::RunResult replay(const world::World& world, const ShrinkResult& shrunk, std::uint64_t seed) {
  Capsule capsule;
  capsule.seed = seed;
  capsule.faults = shrunk.faults;
  capsule.preemptions = shrunk.preemptions;
  const auto back = capsule_from_json(to_json(capsule), "$");
  EXPECT_TRUE(back) << back.error().text();
  const auto result = world::run(world, spec_of(*back));
  EXPECT_TRUE(result) << result.error().text();
  return *result;
}

void shrink_races(const char* guest, std::size_t most, int wanted) {
  const auto world = race(guest);
  int shrunk_ones = 0;
  for (std::uint64_t seed = 1; seed <= 300 && shrunk_ones < wanted; ++seed) {
    const auto result = world::run(*world, world::RunSpec{.seed = seed});
    ASSERT_TRUE(result);
    if (result->findings.empty()) continue;
    ++shrunk_ones;
    auto shrunk = shrink(*world, world::RunSpec{.seed = seed}, {});
    ASSERT_TRUE(shrunk) << shrunk.error().text();
    EXPECT_EQ(shrunk->preemptions_before, result->preemptions.size());
    EXPECT_GE(shrunk->preemptions.size(), 1U) << guest << ", seed " << seed;
    EXPECT_LE(shrunk->preemptions.size(), most) << guest << ", seed " << seed;
    const auto in_the_program = [](const fault::Preemption& preemption) {
      return preemption.place.find("main.go:") != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(shrunk->preemptions.begin(), shrunk->preemptions.end(),
                            in_the_program));
    const world::RunResult again = replay(*world, *shrunk, seed);
    EXPECT_EQ(again.hash, shrunk->result.hash);
    ASSERT_FALSE(again.findings.empty());
    EXPECT_EQ(again.findings.front().fingerprint, shrunk->finding.fingerprint);
    for (std::size_t i = 0; i < shrunk->preemptions.size(); ++i) {
      ShrinkResult less = *shrunk;
      less.preemptions.erase(less.preemptions.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(replay(*world, less, seed).findings.empty());
    }
  }
  EXPECT_EQ(shrunk_ones, wanted) << guest;
}

TEST(ShrinkPreemptions, LeavesTheOneThatARaceOfDepthOneNeeds) { shrink_races("race1", 1, 3); }
// A minimum from which no single one can go, not the least there is: what is dropped moves the
// ticks of what follows, so some preemptions stay only to keep the others in place.
TEST(ShrinkPreemptions, LeavesAFewForARaceOfDepthTwo) { shrink_races("race2", 12, 1); }

}  // namespace
}  // namespace sf::search
