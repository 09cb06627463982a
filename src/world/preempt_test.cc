// Preemption of goroutines in stock Go programs: planted races of depth 1, 2 and 3 (tests/guests/
// race1 to race3) and a correct program (torture).
//
// Controls: without preemptions no seed finds anything; the correct program stays correct.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/host/file.h"
#include "world/preempt_probe.h"
#include "world/run.h"
#include "world/world.h"

namespace sf::world {
namespace {

// One world per guest and cpu section, kept: preparing is what takes time.
const World& world(const std::string& guest, const std::string& cpu) {
  static std::map<std::string, std::unique_ptr<World>> kept;   // tidy: allow(mutable-static) cache
  std::unique_ptr<World>& slot = kept[guest + "|" + cpu];
  if (slot) return *slot;
  const std::string folder = *host::make_temporary_directory("sf-preempt-test-");
  const std::string path = folder + "/world.json";
  // The node does nothing: a world needs one.
  const std::string text = fmt::format(
      R"({{"nodes": [{{"name": "idle", "pkg": "{0}/ill", "args": ["idle"]}}],
          "workload": {{"name": "w", "pkg": "{0}/{1}"}}, "cpu": {{{2}}}}})",
      SEEDFALL_SOURCE_DIR "/tests/guests", guest, cpu);
  EXPECT_TRUE(host::write_file(path, text));
  auto config = load_config(path);
  if (!config) ADD_FAILURE() << config.error().text();
  auto prepared = World::prepare(*config, {});
  if (!prepared) ADD_FAILURE() << prepared.error().text();
  EXPECT_TRUE(host::remove_tree(folder));
  EXPECT_THAT((*prepared)->warnings(), testing::IsEmpty());
  slot = *std::move(prepared);
  return *slot;
}

RunResult run_seed(const World& world, std::uint64_t seed) {
  RunSpec spec;
  spec.seed = seed;
  auto result = run(world, spec);
  if (!result) ADD_FAILURE() << result.error().text();
  return result ? *std::move(result) : RunResult{};
}

std::uint64_t failing(const World& world, std::uint64_t seeds) {
  std::uint64_t count = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    count += run_seed(world, seed).verdict == Verdict::kFinding ? 1 : 0;
  }
  return count;
}

constexpr const char* kOff = R"("preempt": "off")";
constexpr const char* kRandom = R"("preempt": "random")";
constexpr const char* kOften = R"("preempt": "random", "preempt_rate": 500)";
constexpr const char* kBurst = R"("preempt": "burst")";

TEST(Preempt, RacesAreFoundWithItAndOnlyWithIt) {
  for (const char* guest : {"race1", "race2", "race3"}) {
    EXPECT_EQ(failing(world(guest, kOff), 20), 0U) << guest;
    EXPECT_GT(failing(world(guest, kRandom), 400), 0U) << guest;
  }
  EXPECT_GT(failing(world("race1", kBurst), 300), 0U);
  EXPECT_GT(failing(world("race2", kBurst), 300), 0U);
}

TEST(Preempt, ACorrectProgramStaysCorrect) {
  std::uint64_t preemptions = 0;
  for (const char* cpu : {kOff, kRandom, R"("preempt": "random", "preempt_rate": 20000)",
                          R"("preempt": "burst", "preempt_rate": 5000)"}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const RunResult result = run_seed(world("torture", cpu), seed);
      EXPECT_EQ(result.verdict, Verdict::kClean)
          << cpu << ", seed " << seed << ": " << result.findings.front().message;
      preemptions += result.evidence.preemptions;
      EXPECT_TRUE(cpu != kOff || result.evidence.preemptions == 0);
    }
  }
  EXPECT_GT(preemptions, 10'000U);
}

// Goal: a run is a function of its seed, and the list of what happened gives it again.
// Control: one preemption less is another run.
TEST(Preempt, TheListOfPreemptionsReplaysTheDrawnRun) {
  int controls = 0;
  for (const char* cpu : {kOften, kBurst}) {
    for (const char* guest : {"race2", "torture"}) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const RunResult drawn = run_seed(world(guest, cpu), seed);
        EXPECT_EQ(run_seed(world(guest, cpu), seed).hash, drawn.hash);
        EXPECT_EQ(drawn.evidence.preemptions, drawn.preemptions.size());
        RunSpec listed;
        listed.seed = seed;
        listed.preemptions = drawn.preemptions;
        const auto again = run(world(guest, cpu), listed);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->hash, drawn.hash) << guest << ", " << cpu << ", seed " << seed;
        if (drawn.preemptions.empty()) continue;
        EXPECT_THAT(again->preemptions.back().place, testing::HasSubstr(".go:"));
        listed.preemptions->pop_back();
        const auto less = run(world(guest, cpu), listed);
        ASSERT_TRUE(less);
        EXPECT_NE(less->hash, drawn.hash);
        ++controls;
      }
    }
  }
  EXPECT_GT(controls, 10);
}

// Goal: asking at a tick, without preempting, changes nothing: neither time nor ticks nor hashes.
// Method: a list with a preemption at a place that never comes asks at each tick for 50 ms.
TEST(Preempt, AskingAloneChangesNothing) {
  for (const char* guest : {"race1", "torture"}) {
    const World& quiet = world(guest, kOff);
    const World& asked = world(guest, kRandom);
    const RunResult plain = run_seed(quiet, 3);
    RunSpec spec;
    spec.seed = 3;
    fault::Preemption nowhere;
    nowhere.node = "w";
    nowhere.incarnation = 1;
    nowhere.pc = 1;
    nowhere.aim = fault::Aim::kNearest;
    spec.preemptions = {nowhere};
    const auto result = run(asked, spec);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->evidence.preemptions, 0U);
    EXPECT_EQ(result->hash, plain.hash) << guest;
    EXPECT_EQ(result->evidence.ticks, plain.evidence.ticks) << guest;
  }
}

TEST(Preempt, AVersionOfGoThatCannotBeTriedIsRefusedWithTheReason) {
  EXPECT_THAT(why_not_preemptible("", {}), testing::HasSubstr("does not say which version"));
  EXPECT_THAT(why_not_preemptible("go1.2.3", {}),
              testing::HasSubstr("could not be run with go1.2.3"));
}

}  // namespace
}  // namespace sf::world
