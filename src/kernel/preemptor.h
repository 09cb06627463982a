// Who decides at which moments of a program's own computing its goroutine loses the processor.
//
// Only the moment is decided here; abi/ and engine/ carry it out. A moment is a number of ticks
// that an incarnation has used, so that it means the same in every run that went the same way so
// far, whatever the slices were. fault/ implements this, as a planner that draws or as a list.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/time.h"
#include "kernel/ids.h"

namespace sf::kernel {

class Room;

enum class PreemptPolicy : std::uint8_t {
  kOff,
  kRandom,   // single preemptions, evenly over the ticks
  kBurst,    // rare stretches with many of them, most around locks, channels and host calls
};

struct PreemptSettings {
  PreemptPolicy policy = PreemptPolicy::kOff;
  std::uint32_t per_million_ticks = 0;   // wanted, on average
  bool operator==(const PreemptSettings&) const = default;
};

inline constexpr std::uint64_t kNoTick = std::numeric_limits<std::uint64_t>::max();

// Where a program stands between two ticks.
struct PreemptionPoint {
  NodeId node{};
  Incarnation incarnation = 0;
  std::uint64_t tick = 0;   // ticks used so far
  SimTime time;
  std::uint64_t pc = 0;     // the place in the program, equal in all its runs; 0 unknown
  // Schedules matter here: in a function of locks or channels, or right behind a host call.
  bool edge = false;
};

class Preemptor {
 public:
  virtual ~Preemptor() = default;
  virtual void attach(Room& room) = 0;
  // The next number of ticks, above `tick`, at which at() wants to be asked; kNoTick: not again.
  // Asked at boot (tick 0) and after each at().
  virtual std::uint64_t next(NodeId node, Incarnation incarnation, std::uint64_t tick,
                             SimTime time) = 0;
  // Whether to preempt here. If it was possible, preempted() follows.
  virtual bool at(const PreemptionPoint& point) = 0;
  // Whether preempted() is told the place: finding it costs some microseconds.
  virtual bool wants_place() const = 0;
  virtual void preempted(const PreemptionPoint& point, std::string place) = 0;
};

}  // namespace sf::kernel
