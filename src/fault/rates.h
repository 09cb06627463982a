// How often things break: the faults section of a config, in kernel terms.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/odds.h"
#include "base/time.h"

namespace sf::fault {

// A Poisson stream of arrivals; no mean gap: none.
struct Rate {
  std::optional<Duration> mean_gap;
};

struct FaultRates {
  Rate power;                  // crash_per_sec, per node
  Rate kill;                   // kill_per_sec, per node
  Rate partition;              // partition_per_sec, of the whole network
  Odds power_on_io;            // crash_on_io, per disk operation
  Odds torn_writes;            // per power loss
  Duration restart_after = milliseconds(500);   // mean of an exponential, capped at 20 times
  SimTime from;                // no fault before
  SimTime until = SimTime::never();
  bool wait_for_setup = false; // a program calls SetupComplete: no fault before it did
};

}  // namespace sf::fault
