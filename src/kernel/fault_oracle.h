// The kernel's view of faults: it asks before an effect and tells afterwards what really happened.
//
// The kernel never decides that something breaks. fault/ implements this interface, either as a
// planner that draws from rates or from an explicit list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "kernel/disk/volume.h"
#include "kernel/ids.h"

namespace sf::kernel {

class Room;

// Values are part of what a seed means: never renumber, only append.
enum class FaultKind : std::uint8_t {
  kPower,          // the node loses power: process, sockets and page cache are gone
  kKill,           // the process dies: page cache stays, the kernel closes its sockets
  kPartition,      // links hold their traffic until the heal
  // Errors of one disk operation.
  kSyncError,      // writeback fails: pages turn clean without being written (volume.h)
  kWriteError,     // write(2) answers EIO, nothing is written
  kReadError,      // read(2) answers EIO
  kShortWrite,     // write(2) takes only the first part
  // Windows of one node.
  kDiskFull,       // nothing can be allocated: ENOSPC
  kNoDescriptors,  // nothing can be opened or accepted: EMFILE
  kDiskStall,      // syncs take longer, or until the end of the window
  // Moments of one node.
  kEvict,          // clean pages leave the cache, and what was lost shows
  kBitRot,         // bits of a durable sector flip
};

// Storage operations, counted per incarnation from 1; the ordinal is what triggers refer to.
// Queries that never reach the disk (stat, readdir, seek) are not counted.
enum class DiskOp : std::uint8_t {
  kOpen, kRead, kWrite, kSync, kTruncate, kRename, kLink, kUnlink, kMakeDirectory, kRemoveDirectory,
  kSymlink, kSetTimes, kAllocate,
};
std::string_view disk_op_name(DiskOp op);

// Where in an operation a crash strikes.
enum class Phase : std::uint8_t {
  kBefore,   // nothing of it has happened
  kInside,   // it is in flight; the caller is never told
  kAfter,    // it is complete, but the caller is never told
};
std::string_view phase_name(Phase phase);   // "before", "inside", "after"

struct DiskOpContext {
  NodeId node{};
  Incarnation incarnation = 0;
  std::uint64_t ordinal = 0;
  DiskOp op = DiskOp::kRead;
  SimTime time;
  // How the node stands, for aimed faults.
  bool unsynced_write = false;     // something was written since the last sync
  bool unsynced_name = false;      // a name was made or moved since the last sync
  bool recovering = false;         // this incarnation has not yet accepted or opened a connection
};

// Names one fault of this run; given out by the oracle, opaque to the kernel.
using FaultHandle = std::uint64_t;

struct Strike {
  FaultHandle fault = 0;
  FaultKind kind = FaultKind::kPower;
  Phase phase = Phase::kInside;
};

// An error that one disk operation meets.
struct IoFault {
  FaultHandle fault = 0;
  FaultKind kind = FaultKind::kWriteError;   // kSyncError to kShortWrite
  disk::WritebackFault writeback;            // kSyncError
  std::uint64_t bytes = 0;                   // kShortWrite: taken, at least 1
};

struct IoRequest {
  DiskOpContext operation;       // read, write or fsync
  std::uint64_t bytes = 0;       // of a read or write
  disk::Ino ino = 0;
};

// What an I/O error did.
struct IoReport {
  SimTime time;
  DiskOpContext operation;
  std::string subject;           // "fsync /data/log"
  std::string effect;            // "EIO; page 3 of /data/log turned clean, …"
};

// What a crash did, for the schedule and the reader.
struct CrashReport {
  SimTime time;
  Incarnation incarnation = 0;
  // Set when it struck at an operation.
  std::optional<DiskOpContext> operation;
  Phase phase = Phase::kBefore;
  std::string subject;                      // "fsync /data/log"; empty when not at an operation
  std::optional<disk::Survivors> survivors; // power
  std::optional<std::uint32_t> pages_kept;  // kill in the middle of a write
  disk::CrashEffect effect;
  SimTime restart_at;                       // never() when the node stays down
};

class FaultOracle {
 public:
  virtual ~FaultOracle() = default;

  // Called once, before the first boot.
  virtual void attach(Room& room) = 0;
  // A new incarnation starts now.
  virtual void booted(NodeId node, Incarnation incarnation, SimTime now) = 0;
  // The process of this incarnation is gone, whatever the reason.
  virtual void gone(NodeId node, Incarnation incarnation, SimTime now) = 0;
  // The program called SetupComplete for the first time in this run.
  virtual void setup_complete(SimTime now) = 0;
  // Nothing may break in [from, until).
  virtual void quiet(SimTime from, SimTime until) = 0;
  // Later draws use another root: what was planned but has not fired is drawn anew.
  virtual void reseeded(SimTime now) = 0;

  // Asked before each counted disk operation.
  virtual std::optional<Strike> at_disk_op(const DiskOpContext& context) = 0;

  // Asked for each read, write and fsync that at_disk_op did not stop before its effect: is there
  // an error for it? One for an fsync takes effect at its end; one of kind kSyncError for a write
  // is a background writeback that fails right after it.
  virtual std::optional<IoFault> io_fault(const IoRequest& request) = 0;
  virtual void io_failed(FaultHandle fault, const IoReport& report) = 0;

  // Asked when a crash takes effect.
  virtual disk::Survivors survivors(FaultHandle fault, const disk::Volume& volume,
                                    disk::InFlight in_flight) = 0;
  // Pages of a write of `pages` (> 1) pages that a kill inside it leaves; nothing: all.
  virtual std::optional<std::uint32_t> pages_kept(FaultHandle fault, std::uint32_t pages) = 0;
  // For a strike inside an fsync of this length: when, counted from its start.
  virtual Duration inside_sync(FaultHandle fault, Duration length) = 0;
  virtual Duration restart_delay(FaultHandle fault) = 0;
  // Told what happened.
  virtual void crashed(FaultHandle fault, const CrashReport& report) = 0;
};

}  // namespace sf::kernel
