// Fixed-point logarithm and exponential draws: the kernel's substitute for <cmath>.
//
// Results are equal on every machine and compiler, which floating point does not promise.
#pragma once

#include <cstdint>

namespace sf {

// -ln(u) for u = (word + 1) / 2^64, in units of 2^-32 (so an exponential variate with mean 1 is the
// result divided by 2^32). word = 2^64 - 1 gives 0; word = 0 gives 64 ln 2. Error below 2^-28.
std::uint64_t negative_log_q32(std::uint64_t word);

// An exponential variate with the given mean (>= 0), rounded down; at most 45 times the mean.
std::int64_t exponential(std::uint64_t word, std::int64_t mean);

// A value of [low, high] (inclusive, low <= high), uniform up to a bias below 2^-64 * range.
std::int64_t uniform(std::uint64_t word, std::int64_t low, std::int64_t high);

// word scaled to [0, n), n > 0.
std::uint64_t below(std::uint64_t word, std::uint64_t n);

// value * e^(exponent / 2^16), rounded down and saturated; value >= 0.
std::int64_t scale_by_exp(std::int64_t value, std::int64_t exponent_q16);

}  // namespace sf
