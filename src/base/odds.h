// Odds: a probability as a 64-bit threshold, so that no floating point decides anything in a run.
#pragma once

#include <cstdint>

namespace sf {

// A draw hits when a uniform 64-bit word is below the threshold. kAlways hits every time.
class Odds {
 public:
  constexpr Odds() = default;
  static constexpr Odds never() { return Odds{}; }
  static constexpr Odds always() { return Odds(0, true); }
  // numerator / denominator, 0 <= numerator <= denominator, denominator > 0.
  static constexpr Odds ratio(std::uint64_t numerator, std::uint64_t denominator) {
    if (numerator >= denominator) return always();
    __extension__ using Wide = unsigned __int128;
    const auto scaled = (static_cast<Wide>(numerator) << 64) / denominator;
    return Odds(static_cast<std::uint64_t>(scaled), false);
  }
  constexpr bool hit(std::uint64_t word) const { return always_ || word < threshold_; }
  // More likely than the other.
  constexpr bool above(Odds other) const {
    return !other.always_ && (always_ || threshold_ > other.threshold_);
  }
  // Odds of 1/n of these, n > 0.
  constexpr Odds divided_by(std::uint64_t n) const {
    return always_ ? ratio(1, n) : Odds(threshold_ / n, false);
  }
  constexpr bool is_never() const { return !always_ && threshold_ == 0; }
  constexpr bool operator==(const Odds&) const = default;

 private:
  constexpr Odds(std::uint64_t threshold, bool always) : threshold_(threshold), always_(always) {}
  std::uint64_t threshold_ = 0;
  bool always_ = false;
};

}  // namespace sf
