// What a power loss keeps, as data: drawn once, written into the schedule, replayed and shrunk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace sf::kernel::disk {

enum class Tearing : std::uint8_t { kWhole, kTorn };

// Under total-order profiles (in-order, scc) the survivors are a prefix of the pending operations,
// plus a part of the next data operation.
struct Survivors {
  std::uint64_t kept = 0;          // pending operations that survive, oldest first
  std::uint64_t pending = 0;       // how many there were when it was drawn: to tell "all" apart
  std::uint32_t torn_bytes = 0;    // of the operation after them, cut at the tear unit; 0: none
  // Only for a power loss inside a sync: the operations are counted in the order in which that sync
  // writes, the synced inode's own first (its writeback had begun), not in the order of the calls.
  bool sync_first = false;

  bool operator==(const Survivors&) const = default;
};

Json to_json(const Survivors& survivors);
Result<Survivors> survivors_from_json(const Json& json, const std::string& where);

// What really happened, for the trace and the reader.
struct CrashEffect {
  std::uint64_t operations_lost = 0;
  std::uint64_t operations_kept = 0;
  bool torn = false;
  Survivors applied;             // the set as it fitted: replays this crash in this history
  // "kept 3 of 5 pending operations; 14 of 64 bytes of page 1 of /data/log", "nothing was pending".
  std::string description;
};

}  // namespace sf::kernel::disk
