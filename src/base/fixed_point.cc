// The logarithm works digit by digit: after normalising the argument to m in [1, 2), squaring m
// doubles log2(m), so each squaring that reaches 2 yields one more binary digit (Knuth, The Art of
// Computer Programming 1.2.2, exercise 25 describes the family of methods). 32 squarings of a
// 63-bit mantissa keep the error well below the last digit that is used.
#include "base/fixed_point.h"

#include "base/check.h"

namespace sf {
namespace {

__extension__ using Wide = unsigned __int128;

// log2(x) in units of 2^-32 for x >= 1.
std::uint64_t log2_q32(std::uint64_t x) {
  const int whole = 63 - __builtin_clzll(x);
  std::uint64_t mantissa = x << (63 - whole);  // 1.63 fixed point, in [1, 2)
  std::uint64_t fraction = 0;
  for (int digit = 0; digit < 32; ++digit) {
    const Wide square = static_cast<Wide>(mantissa) * mantissa;  // 2.126, in [1, 4)
    fraction <<= 1;
    if (square >> 127) {
      fraction |= 1;
      mantissa = static_cast<std::uint64_t>(square >> 64);
    } else {
      mantissa = static_cast<std::uint64_t>(square >> 63);
    }
  }
  return (static_cast<std::uint64_t>(whole) << 32) | fraction;
}

constexpr std::uint64_t kLn2Q32 = 2977044472;  // ln 2 * 2^32

}  // namespace

std::uint64_t negative_log_q32(std::uint64_t word) {
  if (word == ~std::uint64_t{0}) return 0;
  const std::uint64_t log2_u = (std::uint64_t{64} << 32) - log2_q32(word + 1);
  return static_cast<std::uint64_t>((static_cast<Wide>(log2_u) * kLn2Q32) >> 32);
}

std::int64_t exponential(std::uint64_t word, std::int64_t mean) {
  SF_CHECK(mean >= 0);
  const Wide scaled = (static_cast<Wide>(negative_log_q32(word)) * static_cast<Wide>(mean)) >> 32;
  constexpr auto kMax = static_cast<Wide>(INT64_MAX);
  return static_cast<std::int64_t>(scaled > kMax ? kMax : scaled);
}

// e^y = 2^(y / ln 2): the whole part shifts, the fraction f goes through sqrt-free digit factors:
// 2^f is the product of 2^(2^-k) over the binary digits k of f.
std::int64_t scale_by_exp(std::int64_t value, std::int64_t exponent_q16) {
  SF_CHECK(value >= 0);
  // 2^(2^-k) * 2^32 for k = 1..16, rounded to nearest.
  static constexpr std::uint64_t kDigitFactor[16] = {
      6074001000, 5107605667, 4683695048, 4485121744, 4389014833, 4341736423,
      4318288544, 4306612134, 4300785774, 4297875550, 4296421177, 4295694175,
      4295330720, 4295149004, 4295058149, 4295012722};
  constexpr std::int64_t kInverseLn2Q16 = 94548;   // 2^16 / ln 2
  const std::int64_t log2_q16 = (exponent_q16 * kInverseLn2Q16) >> 16;
  const std::int64_t whole = log2_q16 >> 16;
  if (value == 0 || whole < -62) return 0;
  if (whole > 62) return INT64_MAX;
  Wide scaled = static_cast<Wide>(value) << 32;
  for (int k = 0; k < 16; ++k) {
    if ((log2_q16 >> (15 - k)) & 1) scaled = (scaled >> 32) * kDigitFactor[k] +
                                             (((scaled & 0xffffffffU) * kDigitFactor[k]) >> 32);
  }
  if (whole < 0) return static_cast<std::int64_t>(scaled >> (32 - whole));
  constexpr auto kMax = static_cast<Wide>(INT64_MAX);
  if ((scaled >> 32) > (kMax >> whole)) return INT64_MAX;
  return static_cast<std::int64_t>(whole <= 32 ? scaled >> (32 - whole) : (scaled >> 32) << whole);
}

std::uint64_t below(std::uint64_t word, std::uint64_t n) {
  SF_CHECK(n > 0);
  return static_cast<std::uint64_t>((static_cast<Wide>(word) * n) >> 64);
}

std::int64_t uniform(std::uint64_t word, std::int64_t low, std::int64_t high) {
  SF_CHECK(low <= high);
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (range == ~std::uint64_t{0}) return static_cast<std::int64_t>(word);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + below(word, range + 1));
}

}  // namespace sf
