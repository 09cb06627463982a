// What a power loss keeps, as data: drawn once, written into the schedule, replayed and shrunk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace sf::kernel::disk {

enum class Tearing : std::uint8_t { kWhole, kTorn };

// One data operation that a free profile lost as a whole and of which some sectors came through.
struct TornPage {
  std::uint64_t operation = 0;     // its position among the pending operations
  std::uint32_t sectors = 0;       // bit i: sector i of the page holds the new bytes
  bool operator==(const TornPage&) const = default;
};

// Positions count the pending operations from 0, in the order of the calls.
//
// Under total-order profiles (in-order, scc) the survivors are a prefix, plus a part of the next
// data operation. Under profiles without one order (strict-posix, in-order with prefix_scope =
// file) they are a set, named by what is missing from it: `kept` is then pending - lost.size().
// A set that keeps everything looks the same in both forms.
struct Survivors {
  std::uint64_t kept = 0;          // pending operations that survive; prefix: the oldest
  std::uint64_t pending = 0;       // how many there were when it was drawn: to tell "all" apart
  std::uint32_t torn_bytes = 0;    // prefix: of the operation after them, cut at the tear unit
  // Only for a power loss inside a sync: the operations are counted in the order in which that sync
  // writes, the synced inode's own first (its writeback had begun), not in the order of the calls.
  bool sync_first = false;
  std::vector<std::uint64_t> lost = {};   // set: ascending
  std::vector<TornPage> torn = {};        // set: ascending, each of them also in `lost`

  bool operator==(const Survivors&) const = default;
  std::uint64_t lost_count() const { return pending - kept; }
  bool tears() const { return torn_bytes != 0 || !torn.empty(); }
};

Json to_json(const Survivors& survivors);
Result<Survivors> survivors_from_json(const Json& json, const std::string& where);

// The set of a loss of everything, and its opposite, at a moment like that of the given one.
Survivors keeping_nothing(const Survivors& survivors);
Survivors keeping_all(const Survivors& survivors);

// What is simpler to explain than this set, the simplest first: everything survives; ever smaller
// blocks of the lost operations survive too; nothing is torn. For a shrinker that goes on from the
// first one that still fails; it ends, since each loses or tears less.
std::vector<Survivors> simpler(const Survivors& survivors);

// What really happened, for the trace and the reader.
struct CrashEffect {
  std::uint64_t operations_lost = 0;
  std::uint64_t operations_kept = 0;
  bool torn = false;
  Survivors applied;             // the set as it fitted: replays this crash in this history
  // "kept 3 of 5 pending operations; 14 of 64 bytes of page 1 of /data/log", "nothing was pending".
  std::string description;
  // "would have survived with: fsync of directory /data after rename"; empty: nothing was lost that
  // a program could have made durable before the power failed.
  std::string missing_barrier = {};
};

}  // namespace sf::kernel::disk
