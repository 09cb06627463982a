// check_seed, sweep and their outcome texts, with a guest that is not deterministic:
// tests/guests/noise calls a function that only these tests offer and that answers from the host.
#include "search/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/host/file.h"
#include "engine/compile.h"
#include "search/sweep.h"

namespace sf::search {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Another value at each call, as a host's clock would give.
std::uint64_t host_state = 40;
engine::CallOutcome host_value(engine::HostEnvironment&, const engine::Slot*,
                               engine::Slot* result) {
  *result = ++host_state;
  return engine::CallOutcome::kReturn;
}
constexpr engine::HostFunction kFunctions[] = {{"test", "host_value", "", "I", false, host_value}};

constexpr const char* kConfig = R"({{
  "name": "noise",
  "nodes": [{{"name": "other", "pkg": "{0}", "args": ["ignore"]}}],
  "workload": {{"name": "noisy", "pkg": "{0}", "args": ["{1}"]}}
}})";

Result<std::unique_ptr<world::World>> make_world(const std::string& mode,
                                                 const world::PrepareOptions& options) {
  SF_TRY(const std::string folder, host::make_temporary_directory("sf-check-test-"));
  const std::string path = folder + "/noise.json";
  const std::string guest = SEEDFALL_SOURCE_DIR "/tests/guests/noise";
  SF_TRY_VOID(host::write_file(path, fmt::format(kConfig, guest, mode)));
  SF_TRY(world::WorldConfig config, world::load_config(path));
  auto world = world::World::prepare(std::move(config), options);
  SF_TRY_VOID(host::remove_tree(folder));
  return world;
}

std::unique_ptr<world::World> noisy_world(const std::string& mode) {
  auto world = make_world(mode, world::PrepareOptions{.extra_functions = kFunctions});
  if (!world) ADD_FAILURE() << world.error().text();
  return world ? *std::move(world) : nullptr;
}

// Lines of `text` that start with `start`, without it.
std::vector<std::string> lines_after(const std::string& text, std::string_view start) {
  std::vector<std::string> found;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.starts_with(start)) found.emplace_back(line.substr(start.size()));
    at = end + 1;
  }
  return found;
}

TEST(CheckSeed, TheFunctionOfTheTestsIsNotOfferedToOthers) {
  const auto world = make_world("say", {});
  ASSERT_FALSE(world);
  EXPECT_THAT(world.error().text(), HasSubstr("test.host_value"));
}

// Goal: the report names the first event that differs, with both sides and what came before.
TEST(CheckSeed, NamesTheFirstEventThatShowsTheHostsValue) {
  const auto world = noisy_world("say");
  ASSERT_TRUE(world);
  host_state = 40;   // the second program of the first run asks, too
  const SeedOutcome outcome = check_seed(*world, 1, {}, CheckDepth::kAllBranches);
  EXPECT_EQ(outcome.kind, OutcomeKind::kNondeterminism);
  EXPECT_THAT(outcome.trouble, StartsWith("the two runs differ at step "));
  const auto both = lines_after(outcome.trouble, "  both   ");
  const auto first = lines_after(outcome.trouble, "  run 1  ");
  const auto second = lines_after(outcome.trouble, "  run 2  ");
  EXPECT_EQ(both.size(), 3U);
  ASSERT_FALSE(first.empty());
  ASSERT_FALSE(second.empty());
  EXPECT_THAT(first[0], HasSubstr("noisy"));
  EXPECT_THAT(first[0], Not(HasSubstr("other")));
  // The write of the value differs in nothing but its data; the line it ends shows the value.
  EXPECT_THAT(first[0], HasSubstr("write stderr"));
  EXPECT_THAT(first[0], HasSubstr("(data "));
  EXPECT_NE(first[0], second[0]);
  EXPECT_THAT(outcome.trouble, HasSubstr("| the host says 43"));
  for (const std::string& line : both) EXPECT_THAT(line, Not(HasSubstr("the host says 4")));
}

TEST(CheckSeed, NamesTheFirstEventAfterADifferenceThatOnlyCostsTime) {
  const auto world = noisy_world("compute");
  ASSERT_TRUE(world);
  const SeedOutcome outcome = check_seed(*world, 1, {}, CheckDepth::kAllBranches);
  EXPECT_EQ(outcome.kind, OutcomeKind::kNondeterminism);
  const auto first = lines_after(outcome.trouble, "  run 1  ");
  const auto second = lines_after(outcome.trouble, "  run 2  ");
  ASSERT_FALSE(first.empty());
  ASSERT_FALSE(second.empty());
  EXPECT_THAT(first[0], HasSubstr("noisy"));
  const auto without_time = [](const std::string& line) { return line.substr(15); };
  EXPECT_EQ(without_time(first[0]), without_time(second[0])) << "the same event, at another time";
  EXPECT_NE(first[0], second[0]);
}

// The control: the same guest, the same function, but what it answers has no effect.
TEST(CheckSeed, AgreesWhenTheHostsValueIsNotUsed) {
  const auto world = noisy_world("ignore");
  ASSERT_TRUE(world);
  const std::uint64_t before = host_state;
  const SeedOutcome outcome = check_seed(*world, 1, {}, CheckDepth::kAllBranches);
  EXPECT_EQ(outcome.kind, OutcomeKind::kClean) << outcome.trouble;
  EXPECT_EQ(host_state, before + 4) << "two programs in two runs asked";
  EXPECT_EQ(outcome.hash, run_seed(*world, 1, {}).hash);
}

TEST(Sweep, CountsNondeterministicSeedsWhenItChecks) {
  const auto world = noisy_world("say");
  ASSERT_TRUE(world);
  const auto checked =
      sweep(*world, SweepOptions{.seeds = {1, 6}, .workers = 2, .check = true}, {});
  ASSERT_TRUE(checked) << checked.error().text();
  EXPECT_EQ(checked->completed, 6U);
  EXPECT_EQ(checked->nondeterministic, 6U);
  ASSERT_EQ(checked->troubles.size(), 6U);
  EXPECT_EQ(checked->troubles[0].seed, 1U);
  const auto unchecked = sweep(*world, SweepOptions{.seeds = {1, 6}, .workers = 2}, {});
  ASSERT_TRUE(unchecked) << unchecked.error().text();
  EXPECT_EQ(unchecked->nondeterministic, 0U) << "nothing is compared, so nothing can be known";
}

TEST(Sweep, ChecksSomeSeedsWithoutBeingAsked) {
  const auto world = noisy_world("say");
  ASSERT_TRUE(world);
  const SeedRange seeds{kSelfCheckEvery - 1, kSelfCheckEvery + 1};
  const auto result = sweep(*world, SweepOptions{.seeds = seeds, .workers = 1}, {});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->nondeterministic, 1U);
  ASSERT_EQ(result->troubles.size(), 1U);
  EXPECT_EQ(result->troubles[0].seed, kSelfCheckEvery);
}

}  // namespace
}  // namespace sf::search

// Replaces that of gtest_main for all tests of this room: compile_program starts the program again
// as its compiler.
int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "internal-compile") {
    return sf::engine::internal_compile(std::vector<std::string>(argv + 2, argv + argc));
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
