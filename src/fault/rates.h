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
  Rate power_all;              // power_all_per_sec: every node that runs, at one moment
  Odds crash_in_recovery;      // that a restart is hit by a power loss while it recovers
  Odds sync_error;             // fsync_eio, per fsync that has something to write
  Odds write_error;            // write_eio, per write
  Odds read_error;             // read_eio, per read
  Odds short_write;            // short_writes, per write of more than one byte
  Rate disk_full;              // enospc_per_sec, per node, like the rest
  Rate no_descriptors;         // emfile_per_sec
  Rate disk_stall;             // disk_stall_per_sec
  Rate evict;                  // evict_per_sec
  Rate bit_rot;                // bit_rot_per_sec
  Duration restart_after = milliseconds(500);   // mean of an exponential, capped at 20 times
  SimTime from;                // no fault before
  SimTime until = SimTime::never();
  bool wait_for_setup = false; // a program calls SetupComplete: no fault before it did
};

}  // namespace sf::fault
