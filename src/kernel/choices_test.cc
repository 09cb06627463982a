// Choices: keyed, counter-based draws, and the distributions made of them.
//
// Method: purity by asking in another order and by leaving draws out; distributions by coarse
// bounds (at least five standard deviations) over fixed keys, so a failure is never bad luck.
#include "kernel/choices.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <set>
#include <vector>

#include "kernel/settings.h"

namespace sf::kernel {
namespace {

TEST(Choices, ADrawDependsOnItsKeyAndNotOnWhatWasDrawnBefore) {
  EXPECT_TRUE(rc::check("keyed purity", [](std::uint64_t root, std::uint64_t a, std::uint64_t index,
                                           const std::vector<std::uint64_t>& others) {
    const Choices fresh(root);
    const std::uint64_t word = fresh.word(Purpose::kLatency, Entity::of(a), index);
    const Choices used(root);
    for (const std::uint64_t other : others) {
      static_cast<void>(used.word(Purpose::kLatency, Entity::of(other), index));
      static_cast<void>(used.dice(Purpose::kArrival, Entity::of(a), other).next());
    }
    RC_ASSERT(used.word(Purpose::kLatency, Entity::of(a), index) == word);
  }));
}

TEST(Choices, EveryPartOfTheKeyMatters) {
  const Choices choices(1);
  const auto base = choices.word(Purpose::kLatency, Entity::of(1, 2, 3), 4);
  EXPECT_NE(base, Choices(2).word(Purpose::kLatency, Entity::of(1, 2, 3), 4));
  EXPECT_NE(base, choices.word(Purpose::kSyncTime, Entity::of(1, 2, 3), 4));
  EXPECT_NE(base, choices.word(Purpose::kLatency, Entity::of(2, 2, 3), 4));
  EXPECT_NE(base, choices.word(Purpose::kLatency, Entity::of(1, 3, 3), 4));
  EXPECT_NE(base, choices.word(Purpose::kLatency, Entity::of(1, 2, 4), 4));
  EXPECT_NE(base, choices.word(Purpose::kLatency, Entity::of(1, 2, 3), 5));
  EXPECT_NE(Entity::of(1, 2).key, Entity::of(2, 1).key);
  EXPECT_NE(Entity::of(1).key, Entity::of(1, 1).key);
  EXPECT_EQ(base, Choices(1).word(Purpose::kLatency, Entity::of(1, 2, 3), 4));
}


TEST(Choices, NearbySeedsEntitiesAndIndicesGiveUnrelatedWords) {
  std::set<std::uint64_t> all;
  int flipped = 0;
  for (std::uint64_t root = 0; root < 20; ++root) {
    for (std::uint64_t entity = 0; entity < 20; ++entity) {
      for (std::uint64_t index = 0; index < 20; ++index) {
        const Choices choices(root);
        const std::uint64_t word = choices.word(Purpose::kLatency, Entity::of(entity), index);
        all.insert(word);
        flipped += std::popcount(
            word ^ choices.word(Purpose::kLatency, Entity::of(entity), index + 1));
      }
    }
  }
  EXPECT_EQ(all.size(), 8000U);
  // 8000 * 64 fair bits: mean 256,000, standard deviation 358.
  EXPECT_NEAR(flipped, 256'000, 2'000);
}

TEST(Choices, AReseedChangesLaterWordsOnly) {
  Choices choices(1);
  const auto before = choices.word(Purpose::kLatency, Entity::of(1), 0);
  choices.reseed(2);
  EXPECT_EQ(choices.word(Purpose::kLatency, Entity::of(1), 0),
            Choices(2).word(Purpose::kLatency, Entity::of(1), 0));
  EXPECT_NE(choices.word(Purpose::kLatency, Entity::of(1), 0), before);
}

TEST(Dice, EachDecisionHasItsOwnWordsHoweverManyAnotherTakes) {
  const Choices choices(3);
  Dice greedy = choices.dice(Purpose::kFaultParameter, Entity::of(1), 1);
  for (int i = 0; i < 1000; ++i) greedy.next();
  Dice other = choices.dice(Purpose::kFaultParameter, Entity::of(1), 2);
  Dice again = Choices(3).dice(Purpose::kFaultParameter, Entity::of(1), 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(other.next(), again.next());
}

TEST(Dice, BelowAndBetweenStayInsideAndReachBothEnds) {
  Dice dice(5);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(dice.below(7), 7U);
    const std::int64_t value = dice.between(-3, 3);
    EXPECT_GE(value, -3);
    EXPECT_LE(value, 3);
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(dice.below(1), 0U);
  EXPECT_EQ(dice.between(4, 4), 4);
}

TEST(Dice, OddsAreTrue) {
  Dice dice(9);
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) hits += dice.hit(Odds::ratio(1, 4));
  EXPECT_NEAR(hits, 2'500, 220);   // standard deviation 43
  EXPECT_TRUE(dice.hit(Odds::always()));
  EXPECT_FALSE(dice.hit(Odds::never()));
}

// ---- spreads

struct Stats {
  std::int64_t least, greatest, mean;
};
Stats stats_of(const Spread& spread, int count = 20'000) {
  const Choices choices(11);
  Stats stats{INT64_MAX, INT64_MIN, 0};
  __extension__ __int128 sum = 0;
  for (int i = 0; i < count; ++i) {
    const std::int64_t value =
        draw(spread, choices.word(Purpose::kLatency, Entity::of(1), static_cast<std::uint64_t>(i)))
            .ns();
    stats.least = std::min(stats.least, value);
    stats.greatest = std::max(stats.greatest, value);
    sum += value;
  }
  stats.mean = static_cast<std::int64_t>(sum / count);
  return stats;
}

TEST(Spread, UniformCoversItsRange) {
  const Stats stats = stats_of({.low = microseconds(200), .high = milliseconds(1)});
  EXPECT_GE(stats.least, 200'000);
  EXPECT_LE(stats.greatest, 1'000'000);
  EXPECT_LT(stats.least, 201'000);
  EXPECT_GT(stats.greatest, 999'000);
  EXPECT_NEAR(static_cast<double>(stats.mean), 600'000,
              9'000);  // standard deviation of the mean: 1,633
}

TEST(Spread, ExponentialHasItsMeanAndRespectsLowAndCap) {
  const Stats stats = stats_of({.kind = Spread::Kind::kExponential, .low = Duration(0),
                                .high = milliseconds(50), .scale = milliseconds(2)});
  EXPECT_NEAR(static_cast<double>(stats.mean), 2'000'000,
              80'000);  // standard deviation of the mean: 14,142
  EXPECT_LE(stats.greatest, 50'000'000);
  const Stats capped = stats_of({.kind = Spread::Kind::kExponential, .low = milliseconds(1),
                                 .high = milliseconds(3), .scale = milliseconds(2)});
  EXPECT_GE(capped.least, 1'000'000);
  EXPECT_EQ(capped.greatest, 3'000'000);
}

TEST(Spread, LogNormalHasItsMedianAndStaysInBounds) {
  const Spread spread{.kind = Spread::Kind::kLogNormal, .low = Duration(0), .high = seconds(1),
                      .scale = milliseconds(2), .sigma_percent = 50};
  const Choices choices(12);
  int below_median = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Duration value = draw(
        spread, choices.word(Purpose::kSyncTime, Entity::of(2), static_cast<std::uint64_t>(i)));
    EXPECT_GE(value.ns(), 0);
    EXPECT_LE(value, seconds(1));
    below_median += value < milliseconds(2);
  }
  EXPECT_NEAR(below_median, 5'000, 300);   // standard deviation 50
}

TEST(Spread, AFixedValueIsNeverLeft) {
  const Stats stats = stats_of({.low = microseconds(10), .high = microseconds(10)}, 100);
  EXPECT_EQ(stats.least, 10'000);
  EXPECT_EQ(stats.greatest, 10'000);
}

}  // namespace
}  // namespace sf::kernel
