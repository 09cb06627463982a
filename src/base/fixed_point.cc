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
