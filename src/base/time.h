// Simulated time: a point (SimTime) and a span (Duration), both signed 64-bit nanoseconds.
//
// The two are different types so that a span is never passed where a point is meant. Point zero is
// the start of the run; the wall clock a guest sees is that plus an epoch (see kernel/clock.h).
// Arithmetic that leaves 64 bits is our bug and is checked where values come from outside.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace sf {

class Duration {
 public:
  constexpr Duration() = default;
  constexpr explicit Duration(std::int64_t nanoseconds) : ns_(nanoseconds) {}
  constexpr std::int64_t ns() const { return ns_; }
  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration other) const { return Duration(ns_ + other.ns_); }
  constexpr Duration operator-(Duration other) const { return Duration(ns_ - other.ns_); }
  constexpr Duration operator*(std::int64_t times) const { return Duration(ns_ * times); }
  constexpr Duration operator/(std::int64_t parts) const { return Duration(ns_ / parts); }
  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }
  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

 private:
  std::int64_t ns_ = 0;
};

constexpr Duration nanoseconds(std::int64_t n) { return Duration(n); }
constexpr Duration microseconds(std::int64_t n) { return Duration(n * 1'000); }
constexpr Duration milliseconds(std::int64_t n) { return Duration(n * 1'000'000); }
constexpr Duration seconds(std::int64_t n) { return Duration(n * 1'000'000'000); }

class SimTime {
 public:
  constexpr SimTime() = default;
  constexpr explicit SimTime(std::int64_t nanoseconds_since_start) : ns_(nanoseconds_since_start) {}
  constexpr std::int64_t ns() const { return ns_; }
  constexpr auto operator<=>(const SimTime&) const = default;
  // Saturates at never(): adding to "never" stays "never".
  constexpr SimTime operator+(Duration d) const {
    std::int64_t sum = 0;
    return __builtin_add_overflow(ns_, d.ns(), &sum) ? never() : SimTime(sum);
  }
  constexpr SimTime operator-(Duration d) const { return SimTime(ns_ - d.ns()); }
  constexpr Duration operator-(SimTime other) const { return Duration(ns_ - other.ns_); }
  constexpr SimTime& operator+=(Duration d) { return *this = *this + d; }
  static constexpr SimTime zero() { return SimTime(0); }
  // Later than every event of a run.
  static constexpr SimTime never() { return SimTime(std::numeric_limits<std::int64_t>::max()); }

 private:
  std::int64_t ns_ = 0;
};

}  // namespace sf
