// What each profile promises, as a table of switches. The code asks for switches, never for names
// of profiles, so that a further profile is a row here and the switches it needs.
#pragma once

#include <string_view>

#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

struct ProfileRules {
  // Which operations a power loss may lose.
  enum class Uncertain : std::uint8_t {
    kNothing,          // operations are atomic and durable: nothing is ever pending
    kOneInFlight,      // only the steps of an operation that had not returned
    kUntilSynced,      // everything that no barrier or writeback has folded
  };
  // Which sets of uncertain operations may survive.
  enum class Survival : std::uint8_t {
    kPrefix,           // of the one sequence of all operations of the volume (prefix_scope = node)
  };
  // What fsync(file) does for the names of the file.
  enum class FileSyncNames : std::uint8_t {
    kItsOwn,           // folds the operations on its names and what they need (dirents = implied)
  };
  // Whether fdatasync folds operations that changed nothing but times.
  enum class DataSyncTimes : std::uint8_t { kLeft, kFolded };
  // Whether the data operation after the last survivor may survive in part.
  enum class Tears : std::uint8_t { kNever, kNextData };

  Uncertain uncertain;
  Survival survival;
  FileSyncNames file_sync_names;
  DataSyncTimes data_sync_times;
  Tears tears;
};

const ProfileRules& rules_of(Profile profile);

// "control", "scc", "in-order", as configs and reports spell them.
std::string_view profile_name(Profile profile);

}  // namespace sf::kernel::disk
