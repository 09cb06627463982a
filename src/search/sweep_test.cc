// How outcomes become the result of a sweep, without running anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "search/sweep.h"

namespace sf::search {
namespace {

SeedOutcome clean(std::uint64_t seed) {
  SeedOutcome outcome;
  outcome.seed = seed;
  outcome.evidence = {{"crash", 2}, {"disk_op", 10}};
  outcome.end_ns = 1'500'000'000;
  outcome.hash = 1000 + seed;
  return outcome;
}

SeedOutcome failing(std::uint64_t seed, const std::string& message) {
  SeedOutcome outcome = clean(seed);
  outcome.kind = OutcomeKind::kFinding;
  outcome.finding = FindingSummary{"assertion", "client", message, "", {}, "assertion/" + message};
  return outcome;
}

SeedOutcome image(SeedOutcome outcome, std::uint32_t power_loss, std::uint32_t number) {
  outcome.image = fault::ImageId{power_loss, number};
  outcome.start_ns = 1'000'000'000;
  return outcome;
}

SeedOutcome of_kind(std::uint64_t seed, OutcomeKind kind, const std::string& trouble) {
  SeedOutcome outcome = clean(seed);
  outcome.kind = kind;
  outcome.trouble = trouble;
  return outcome;
}

SweepResult together(const std::vector<SeedOutcome>& outcomes, std::uint64_t to,
                     std::uint32_t images = 1) {
  std::map<std::uint64_t, SeedOutcome> by_seed;
  for (const SeedOutcome& outcome : outcomes) by_seed.emplace(outcome.seed, outcome);
  return put_together(SweepOptions{.seeds = {1, to}, .images = images}, by_seed);
}

TEST(PutTogether, CountsEachKindOfSeed) {
  const SweepResult result = together({clean(1), failing(2, "lost"), clean(3),
                                       of_kind(4, OutcomeKind::kBroken, "died"),
                                       of_kind(5, OutcomeKind::kNondeterminism, "differs")}, 5);
  EXPECT_EQ(result.completed, 5u);
  EXPECT_EQ(result.clean, 2u);
  EXPECT_EQ(result.failing, 1u);
  EXPECT_EQ(result.broken, 1u);
  EXPECT_EQ(result.nondeterministic, 1u);
  EXPECT_FALSE(result.interrupted);
  ASSERT_EQ(result.troubles.size(), 2u);
  EXPECT_EQ(result.troubles[0].seed, 4u);
  EXPECT_EQ(result.tally.evidence.at("crash"), 10u);
  EXPECT_EQ(result.tally.simulated_ns, 7'500'000'000);
  EXPECT_EQ(result.images, 0u);
  EXPECT_FALSE(result.tally.evidence.contains("image"));
}

TEST(PutTogether, GroupsByFingerprintInOrderOfTheLowestSeed) {
  const SweepResult result = together({failing(4, "b"), failing(2, "a"), failing(9, "a"),
                                       failing(7, "b"), failing(8, "a")}, 9);
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.groups[0].sample.message, "a");
  EXPECT_EQ(result.groups[0].seeds, 3u);
  EXPECT_EQ(result.groups[0].lowest, 2u);
  EXPECT_EQ(result.groups[1].sample.message, "b");
  EXPECT_EQ(result.groups[1].seeds, 2u);
  EXPECT_EQ(result.groups[1].lowest, 4u);
  ASSERT_EQ(result.lowest_failing.size(), 1u);
  EXPECT_EQ(result.lowest_failing[0].seed, 2u);
}

// Without seed 3, that is where to go on; the completed seed above it does not hide it.
TEST(PutTogether, AnInterruptedSweepSaysWhereToGoOn) {
  const SweepResult result = together({clean(1), clean(2), failing(4, "x")}, 6);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.resume_from, 3u);
  EXPECT_EQ(result.completed, 3u);
  EXPECT_EQ(together({}, 6).resume_from, 1u);
}

TEST(PutTogether, PropertiesAreSummedAndSeedsInWhichTheyHeldCounted) {
  SeedOutcome one = clean(1);
  one.properties["sometimes: x"] = {kernel::PropertyKind::kSometimes, "x", "a.go:1", 3, 1};
  SeedOutcome two = clean(2);
  two.properties["sometimes: x"] = {kernel::PropertyKind::kSometimes, "x", "a.go:1", 0, 5};
  SeedOutcome three = clean(3);
  three.properties["sometimes: x"] = {kernel::PropertyKind::kSometimes, "x", "a.go:1", 1, 0};
  const SweepResult result = together({one, two, three}, 3);
  const auto& total = result.tally.properties.at("sometimes: x");
  EXPECT_EQ(total.count.held, 4u);
  EXPECT_EQ(total.count.not_held, 6u);
  EXPECT_EQ(total.seeds_held, 2u);
}

TEST(PutTogether, AFailingImageIsAFindingOfItsSeed) {
  SeedOutcome seed = clean(1);
  seed.branches = {image(clean(1), 1, 2), image(failing(1, "lost"), 2, 2),
                   image(failing(1, "lost"), 2, 3)};
  const SweepResult result = together({seed, failing(2, "lost")}, 2, 4);
  EXPECT_EQ(result.clean, 0u);
  EXPECT_EQ(result.failing, 2u);
  EXPECT_EQ(result.images, 3u + 2u + 2u);    // branches, and the own power losses of both seeds
  EXPECT_EQ(result.tally.evidence.at("image"), 7u);
  EXPECT_EQ(result.failing_images, 2u);
  ASSERT_EQ(result.groups.size(), 1u);
  EXPECT_EQ(result.groups[0].seeds, 2u);
  EXPECT_EQ(result.groups[0].branches, 2u);
  EXPECT_EQ(result.groups[0].lowest_image, (fault::ImageId{2, 2}));
  EXPECT_EQ(result.lowest_failing[0].image, (fault::ImageId{2, 2}));
  // A branch counts from where it began.
  EXPECT_EQ(result.tally.simulated_ns, 2 * 1'500'000'000LL + 3 * 500'000'000LL);
}

TEST(PutTogether, ASeedsOwnRunComesBeforeItsImages) {
  SeedOutcome seed = failing(1, "own");
  seed.branches = {image(failing(1, "other"), 1, 2)};
  const SweepResult result = together({seed}, 1, 2);
  EXPECT_EQ(result.failing, 1u);
  EXPECT_FALSE(result.lowest_failing[0].image);
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.groups[0].sample.message, "own");
}

TEST(PutTogether, ABranchThatBreaksBreaksItsSeed) {
  SeedOutcome seed = clean(1);
  seed.branches = {image(of_kind(1, OutcomeKind::kBroken, "died"), 1, 2)};
  const SweepResult result = together({seed}, 1, 2);
  EXPECT_EQ(result.broken, 1u);
  EXPECT_EQ(result.clean, 0u);
  ASSERT_EQ(result.troubles.size(), 1u);
  EXPECT_EQ(name_of(result.troubles[0]), "seed 1 image 1.2");
}

// Every seed and every branch goes into the hash, with its place.
TEST(PutTogether, TheHashTellsSeedsAndBranchesApart) {
  SeedOutcome seed = clean(1);
  const std::uint64_t alone = together({seed}, 1).hash;
  seed.branches = {image(clean(1), 1, 2)};
  const std::uint64_t branched = together({seed}, 1, 2).hash;
  EXPECT_NE(alone, branched);
  seed.branches[0].hash += 1;
  EXPECT_NE(together({seed}, 1, 2).hash, branched);
  seed.hash += 1;
  EXPECT_NE(together({seed}, 1).hash, alone);
}

TEST(SeedOutcome, SurvivesJsonWithItsBranches) {
  SeedOutcome seed = clean(3);
  seed.site_operations = 12;
  SeedOutcome site = failing(3, "lost");
  site.site = fault::SiteId{12, kernel::FaultKind::kKill, kernel::Phase::kAfter};
  site.crash_key = ~std::uint64_t{0};
  site.branches = {image(failing(3, "lost"), 1, 2)};
  seed.branches = {site};
  const auto read = outcome_from_json(to_json(seed));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_json(*read).dump(), to_json(seed).dump());
  EXPECT_EQ(name_of(read->branches[0]), "seed 3 site 12 (kill, after)");
  EXPECT_EQ(read->branches[0].branches[0].image, (fault::ImageId{1, 2}));
}

}  // namespace
}  // namespace sf::search
