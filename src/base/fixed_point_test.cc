#include "base/fixed_point.h"

#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/odds.h"

namespace sf {
namespace {

constexpr long double kTwo32 = 4294967296.0L;

long double true_negative_log(std::uint64_t word) {
  return 64 * std::log(2.0L) - std::log(static_cast<long double>(word) + 1);
}

TEST(FixedPoint, EndsOfTheRange) {
  EXPECT_EQ(negative_log_q32(~std::uint64_t{0}), 0U);
  EXPECT_NEAR(static_cast<double>(negative_log_q32(0) / kTwo32), 64 * std::log(2.0), 1e-8);
  EXPECT_EQ(exponential(0, 0), 0);
  EXPECT_EQ(exponential(0, 1'000'000'000) / 1'000'000'000, 44);
  EXPECT_EQ(exponential(0, INT64_MAX), INT64_MAX);
}

// The stated error is 2^-28; long double has 64 bits of mantissa here, so it may judge.
TEST(FixedPointProperty, LogarithmIsAsCloseAsStated) {
  EXPECT_TRUE(rc::check([](std::uint64_t bits) {
    const std::uint64_t word = bits >> *rc::gen::inRange(0, 64);
    const long double got = static_cast<long double>(negative_log_q32(word)) / kTwo32;
    RC_ASSERT(std::fabs(got - true_negative_log(word)) < std::ldexp(1.0L, -28));
  }));
}

TEST(FixedPointProperty, LogarithmNeverRises) {
  EXPECT_TRUE(rc::check([](std::uint64_t a, std::uint64_t b) {
    if (a > b) std::swap(a, b);
    RC_ASSERT(negative_log_q32(a) >= negative_log_q32(b));
  }));
}

// Mean and spread of many draws. Method: an even grid of words is the exact distribution.
TEST(FixedPoint, ExponentialHasItsMean) {
  constexpr int kDraws = 100'000;
  constexpr std::int64_t kMean = 2'000'000;
  long double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto word = static_cast<std::uint64_t>((i + 0.5L) / kDraws * 18446744073709551616.0L);
    sum += static_cast<long double>(exponential(word, kMean));
  }
  EXPECT_NEAR(static_cast<double>(sum / kDraws / kMean), 1.0, 1e-4);
}

TEST(FixedPointProperty, UniformStaysInRangeAndReachesBothEnds) {
  EXPECT_TRUE(rc::check([](std::uint64_t word, std::int64_t low, std::int64_t high) {
    if (low > high) std::swap(low, high);
    const std::int64_t got = uniform(word, low, high);
    RC_ASSERT(got >= low && got <= high);
    RC_ASSERT(uniform(0, low, high) == low);
    RC_ASSERT(uniform(~std::uint64_t{0}, low, high) == high);
  }));
  EXPECT_EQ(uniform(0, INT64_MIN, INT64_MAX) + 1, 1);  // the full range maps bits to bits
}

TEST(FixedPointProperty, ScalingByExpIsCloseAndSaturates) {
  EXPECT_TRUE(rc::check([] {
    const auto value = *rc::gen::inRange<std::int64_t>(1'000'000, 4'000'000'000'000);
    const auto exponent = *rc::gen::inRange<std::int64_t>(-10 * 65536, 10 * 65536);
    const long double exact =
        static_cast<long double>(value) * std::exp(static_cast<long double>(exponent) / 65536);
    const auto got = static_cast<long double>(scale_by_exp(value, exponent));
    RC_ASSERT(std::fabs(got - exact) <= exact * 2e-4L + 1);
  }));
  EXPECT_EQ(scale_by_exp(INT64_MAX, 65536), INT64_MAX);
  EXPECT_EQ(scale_by_exp(1, 44 * 65536), INT64_MAX);
  EXPECT_EQ(scale_by_exp(1'000'000, -100 * 65536), 0);
  EXPECT_EQ(scale_by_exp(0, 65536), 0);
  EXPECT_EQ(scale_by_exp(1'000'000'000, 0), 1'000'000'000);
}

TEST(FixedPointDeath, EmptyRangesAreOurBug) {
  EXPECT_DEATH(uniform(1, 2, 1), "check failed: low <= high");
  EXPECT_DEATH(below(1, 0), "check failed: n > 0");
  EXPECT_DEATH(exponential(1, -1), "check failed: mean >= 0");
}

TEST(Odds, EndsAndMiddle) {
  EXPECT_FALSE(Odds::never().hit(0));
  EXPECT_TRUE(Odds::never().is_never());
  EXPECT_TRUE(Odds::always().hit(~std::uint64_t{0}));
  EXPECT_EQ(Odds::ratio(3, 3), Odds::always());
  EXPECT_EQ(Odds::ratio(0, 3), Odds::never());
  const Odds half = Odds::ratio(1, 2);
  EXPECT_TRUE(half.hit((std::uint64_t{1} << 63) - 1));
  EXPECT_FALSE(half.hit(std::uint64_t{1} << 63));
}

TEST(OddsProperty, HitsMatchTheRatio) {
  EXPECT_TRUE(rc::check([](std::uint64_t word) {
    const auto denominator = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
    const auto numerator = *rc::gen::inRange<std::uint64_t>(0, denominator + 1);
    const long double u = static_cast<long double>(word) / 18446744073709551616.0L;
    const long double ratio = static_cast<long double>(numerator) / denominator;
    if (std::fabs(u - ratio) < 1e-15L) return;
    RC_ASSERT(Odds::ratio(numerator, denominator).hit(word) == (u < ratio));
  }));
}

}  // namespace
}  // namespace sf
