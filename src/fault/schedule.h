// The schedule: what broke in a run, as data. Made by recording, read by replay, shrink and people.
//
// A fault has an identity (kind/target/incarnation#k), a trigger (an operation's ordinal, else a
// time), parameters (what it was told to do) and effects (what it really did). Identity, trigger
// and parameters replay it; effects are for the reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "kernel/disk/survivors.h"
#include "kernel/fault_oracle.h"

namespace sf::fault {

using kernel::FaultKind;
using kernel::NodeId;

// How a fault of this kind acts.
enum class Manner : std::uint8_t {
  kCrash,       // takes the node's program down
  kPartition,
  kIoError,     // is the outcome of one disk operation
  kWindow,      // holds on one node for a while
  kMoment,      // changes one node's disk at once
};
Manner manner_of(FaultKind kind);

// "power", "fsync-eio", "disk-full": in identities and capsules.
std::string_view kind_word(FaultKind kind);
// "crash (power)", "fsync error", "full disk": for people.
std::string_view kind_title(FaultKind kind);

struct OpTrigger {
  std::uint64_t ordinal = 0;             // disk operation of the incarnation, from 1
  kernel::Phase phase = kernel::Phase::kInside;
  kernel::DiskOp op = kernel::DiskOp::kRead;
};

// How a listed fault finds its moment.
enum class Aim : std::uint8_t {
  kExact,     // by its trigger, in its incarnation
  // While shrinking: other faults were dropped, so ordinals and incarnations have moved. It strikes
  // at the first operation of the same sort at or after its time that meets about as many pending
  // disk operations as the recorded one did, or else 50 ms after its time.
  kNearest,
};

struct Fault {
  std::string id;                        // "power/server/2#1"
  FaultKind kind = FaultKind::kPower;
  std::string target;                    // node name; for partitions "a|b,c"
  std::uint32_t incarnation = 0;         // 0 for partitions
  // Trigger: `operation` when set, else `time`.
  SimTime time;                          // when it struck
  std::optional<OpTrigger> operation;
  // Not stored: what fired has an exact trigger.
  Aim aim = Aim::kExact;
  std::uint32_t skip = 0;                // kNearest: operations of that sort to let pass
  // Parameters.
  Duration restart_after;                // crashes
  std::optional<Duration> inside_sync;   // a strike inside an fsync: how long after its start
  std::optional<kernel::disk::Survivors> survivors;   // power
  std::optional<std::uint32_t> pages_kept;            // kill inside a write
  Duration length;                       // partitions and windows
  std::uint32_t slowdown = 0;            // disk stall: syncs take so many times as long; 0: stall
  std::vector<std::uint64_t> bad_pages;  // fsync error: whose writeback fails
  kernel::disk::BadPage bad_page = kernel::disk::BadPage::kOnce;   // fsync error
  std::uint64_t bytes = 0;               // short write: what is taken
  std::uint64_t draw = 0;                // bit rot: which bits
  std::vector<std::pair<std::string, std::string>> links;   // partition: from, to

  // Effects.
  std::string subject;                   // "fsync /data/log"; empty when not at an operation
  std::string effect;                    // "kept 14 of 64 bytes of page 1 …"
  std::optional<SimTime> restarted_at;
};

// "crash (power) server inside disk op #56: fsync /data/log kept 14 …, restart at 791.388ms".
std::string describe(const Fault& fault);

Json to_json(const Fault& fault);
Result<Fault> fault_from_json(const Json& json, const std::string& where);

}  // namespace sf::fault
