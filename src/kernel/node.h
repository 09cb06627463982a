// One machine of the world: a name, a disk, a clock offset, and the program it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernel/disk/volume.h"
#include "kernel/guest.h"
#include "kernel/ids.h"
#include "kernel/process.h"
#include "kernel/settings.h"

namespace sf::kernel {

enum class NodeRole : std::uint8_t {
  kService,
  kWorkload,   // the run ends when all of them have exited; no fault of a process or disk meets it
  kSolo,       // the only program: faults meet it, and the run ends when it exits
};
enum class Supervision : std::uint8_t { kNone, kRestart };

struct NodeSpec {
  std::string name;
  NodeRole role = NodeRole::kService;
  Supervision supervision = Supervision::kNone;
  Duration restart_delay = milliseconds(500);   // after an exit under supervision
  Duration clock_offset;                        // of the wall clock; may be negative
  std::int64_t drift_ppm = 0;                   // how much faster its clocks run, parts per million
  disk::VolumeOptions disk;
  Spread sync_time;    // fsync, fdatasync
  Duration writeback;  // age at which pending operations are written back; zero: only by syncs
  Spread op_time;      // any other operation that reaches the disk; zero: page cache speed
};

// How a node's machine stands while a fault's window is open.
struct Conditions {
  bool disk_full = false;
  bool no_descriptors = false;
  // Syncs that begin before this end no earlier (slowdown 0), or take `slowdown` times as long.
  SimTime slow_until;
  std::uint32_t slowdown = 0;
};

enum class NodeState : std::uint8_t {
  kOff,       // no power: segments that reach it vanish
  kIdle,      // powered, but its program is not running: the kernel answers with resets
  kRunning,
};

class Node {
 public:
  Node(NodeId id, NodeSpec spec, GuestFactory& factory)
      : id_(id), spec_(std::move(spec)), factory_(factory), volume_(spec_.disk) {}

  NodeId id() const { return id_; }
  const NodeSpec& spec() const { return spec_; }
  const std::string& name() const { return spec_.name; }
  bool is_workload() const { return spec_.role == NodeRole::kWorkload; }
  disk::Volume& volume() { return volume_; }
  NodeState state() const { return state_; }
  Incarnation incarnation() const { return incarnation_; }
  Process* process() { return process_.get(); }
  std::uint32_t power_cycles() const { return power_cycles_; }
  const Conditions& conditions() const { return conditions_; }

 private:
  friend class Room;
  NodeId id_;
  NodeSpec spec_;
  GuestFactory& factory_;
  disk::Volume volume_;
  Conditions conditions_;
  NodeState state_ = NodeState::kOff;
  Incarnation incarnation_ = 0;
  std::uint32_t power_cycles_ = 0;
  std::uint32_t quick_exits_ = 0;        // in a row, without any fault between: a crash loop
  bool finished_ = false;                // a workload that has exited
  EventId restart_event_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace sf::kernel
