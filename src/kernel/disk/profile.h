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
    kPrefixPerFile,    // of each file's content, and of the operations on names
    kFree,             // every set closed under S1 to S5 (survivor_sets.h)
  };
  // What a sync does for names.
  enum class SyncNames : std::uint8_t {
    kItsOwn,           // folds the operations on the inode's names and entries (dirents = implied)
    kEntriesOnly,      // of a directory its entries, of a file none (dirents = strict)
  };
  // Whether fdatasync folds operations that changed nothing but times.
  enum class DataSyncTimes : std::uint8_t { kLeft, kFolded };
  // Whether data operations that are next in their order may survive in part.
  enum class Tears : std::uint8_t { kNever, kNextData };
  // Whether the page that a truncate cuts reaches the disk with the truncate or on its own.
  enum class CutPage : std::uint8_t { kWithTruncate, kOnItsOwn };

  Uncertain uncertain;
  Survival survival;
  SyncNames sync_names;
  DataSyncTimes data_sync_times;
  Tears tears;
  CutPage cut_page;

  bool one_order() const { return survival == Survival::kPrefix; }
};

// Of the profile with its switches.
ProfileRules rules_of(const VolumeOptions& options);

// "control", "scc", "in-order", "strict-posix", as configs and reports spell them.
std::string_view profile_name(Profile profile);

}  // namespace sf::kernel::disk
