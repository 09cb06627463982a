#include "kernel/settings.h"

#include <algorithm>

#include "base/check.h"
#include "base/fixed_point.h"
#include "kernel/choices.h"

namespace sf::kernel {
namespace {

// Median times e^(sigma * z), z from the sum of twelve uniforms (Irwin-Hall), which is close enough
// to a normal variate for delays and needs no transcendental function of its own.
std::int64_t log_normal(std::uint64_t word, std::int64_t median, std::uint32_t sigma_percent) {
  Dice dice(word);
  std::int64_t z_q16 = -6 * 65536;
  for (int i = 0; i < 12; ++i) z_q16 += static_cast<std::int64_t>(dice.next() >> 48);
  const std::int64_t exponent_q16 = z_q16 * static_cast<std::int64_t>(sigma_percent) / 100;
  return scale_by_exp(median, exponent_q16);
}

}  // namespace

Duration draw(const Spread& spread, std::uint64_t word) {
  std::int64_t value = 0;
  switch (spread.kind) {
    case Spread::Kind::kUniform:
      return Duration(uniform(word, spread.low.ns(), spread.high.ns()));
    case Spread::Kind::kExponential:
      value = exponential(word, spread.scale.ns());
      break;
    case Spread::Kind::kLogNormal:
      value = log_normal(word, spread.scale.ns(), spread.sigma_percent);
      break;
  }
  SF_CHECK(spread.low <= spread.high);
  return std::min(spread.low + Duration(std::min(value, spread.high.ns() - spread.low.ns())),
                  spread.high);
}

}  // namespace sf::kernel
