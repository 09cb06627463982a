// One program running on a node: its local time, descriptors, console and what it waits for.
//
// Local time runs ahead of the room by at most the slice the room granted. Everything the program
// does is stamped with it. One process is one incarnation of its node and has one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/choices.h"
#include "kernel/event_queue.h"
#include "kernel/fault_oracle.h"
#include "kernel/fd_table.h"
#include "kernel/guest.h"
#include "kernel/ids.h"
#include "kernel/operations.h"
#include "kernel/record.h"

namespace sf::kernel {

class Node;
class Room;

class Process {
 public:
  Process(Room& room, Node& node, Incarnation incarnation, SimTime now);
  ~Process();

  Room& room() const { return room_; }
  Node& node() const { return node_; }
  NodeId node_id() const;
  Incarnation incarnation() const { return incarnation_; }
  FdTable& fds() { return fds_; }
  Operations& operations() { return operations_; }

  // ---- time
  SimTime now() const { return now_; }                 // local
  std::int64_t wall_ns() const;                        // CLOCK_REALTIME, ns since 1970
  std::int64_t monotonic_ns() const;  // CLOCK_MONOTONIC: ns since this boot, plus 1 s
  SimTime time_of_monotonic(std::int64_t ns) const;    // when that clock shows ns
  SimTime time_of_wall(std::int64_t ns) const;
  SimTime after(std::int64_t ns) const;                // when its clocks show ns more than now
  // CPU time of the call in progress. It passes after the call, so that the call's record carries
  // the moment at which it acted (and never lies behind the program's own death).
  void spend(Duration cpu) {
    owed_ += cpu;
    cpu_ += cpu;
  }
  Duration cpu_time() const { return cpu_; }           // used since the boot
  // An event at this moment concerns the program: its local time is not behind it.
  void arrive(SimTime now);
  void spend_ticks(std::int64_t ticks);
  // Ticks the program may use before it could be noticed running ahead; negative: none at all.
  std::int64_t ticks_left();
  // Called at each host call: the program is not spinning.
  void note_call() { last_call_ = now_; }
  bool spinning() const;

  // ---- waiting: the guest sets what could end its wait and returns kWaiting; any poke makes the
  // room advance it again, and it looks for itself whether its wait is over.
  void wait_until(SimTime deadline);                   // never(): only a poke ends it
  void poke();

  // ---- randomness
  // As many bytes of entropy as it takes (random_get, /dev/urandom).
  void fill_random(std::span<std::byte> into);
  std::uint64_t entropy_word() { return random_word(Purpose::kEntropy, entropy_used_++); }
  std::uint64_t sdk_random() { return random_word(Purpose::kSdkRandom, sdk_random_used_++); }

  // ---- console: splits lines; true while the output bound holds
  bool console(std::uint8_t stream, std::string_view text);
  void flush_console();
  const std::deque<std::string>& console_tail() const { return tail_; }

  // The first line that says why the program dies ("panic: …", "fatal error: …"); else empty.
  const std::string& death_line() const { return headline_; }

  // ---- records, stamped with local time
  void record(RecordKind kind, std::uint32_t call, std::int64_t result, std::uint64_t payload,
              std::string what = {}, std::string outcome = {});
  void property(PropertyHit hit);

  // ---- disk operations
  std::uint64_t disk_ops() const { return disk_ops_; }
  // Counts one operation and asks the oracle.
  std::optional<Strike> begin_disk_op(DiskOp op);
  void note_disk_op(DiskOp op, bool succeeded);
  void note_created() { unsynced_name_ = true; }
  void note_network() { recovering_ = false; }
  const DiskOpContext& last_disk_op() const { return last_op_; }
  // Asks the oracle for an error of the operation begun last.
  std::optional<IoFault> io_fault(disk::Ino ino, std::uint64_t bytes);
  // An injected error reached the program. Stopping is then a right reaction (no finding).
  void note_injected_error() { saw_injected_error_ = true; }
  bool saw_injected_error() const { return saw_injected_error_; }
  // Whether one more descriptor may be opened: EMFILE at the limit or in a fault's window.
  Errno may_open_descriptor();

  // ---- the end: the call in progress answers nothing; the guest must stop at once.
  // A crash that strikes at the present local time.
  void doom(const Strike& strike, disk::InFlight in_flight, std::string subject);
  // The run ends at local time (a false assertion); the program is not resumed.
  void freeze() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  // A crash is planned inside an fsync that starts now (0: none is); a quiet window calls it off.
  // Several may be under way, since an fsync can park its goroutine only.
  void begin_sync(EventId blow) {
    if (blow != 0) blow_events_.push_back(blow);
  }
  void spare();
  // Quiet windows that have begun so far. A crash planned for the end of an fsync that began before
  // the last of them is called off too.
  std::uint32_t quiet_windows() const { return quiet_windows_; }

 private:
  friend class Room;
  friend class Node;
  void end_line(std::uint8_t stream);
  std::int64_t shown(Duration elapsed) const;
  Duration elapsed(std::int64_t shown_ns) const;
  std::uint64_t random_word(Purpose purpose, std::uint64_t index) const;

  Room& room_;
  Node& node_;
  Incarnation incarnation_;
  FdTable fds_;
  Operations operations_;
  std::unique_ptr<Guest> guest_;

  SimTime booted_;
  SimTime now_;
  SimTime last_call_;
  Duration cpu_;                         // spent in calls and by ticks
  Duration owed_;                        // spent by calls, not yet in now_
  std::int64_t tick_remainder_ = 0;      // thousandths of a nanosecond not yet in now_
  SimTime bound_;                        // of the present slice
  std::uint64_t bound_version_ = 0;      // of the queue, when bound_ was computed
  SimTime slice_start_;

  bool running_ = false;                 // inside Guest::advance: its own pokes change nothing
  bool wake_scheduled_ = false;
  EventId wake_event_ = 0;
  EventId deadline_event_ = 0;
  bool stopped_ = false;

  std::uint64_t entropy_used_ = 0;
  std::uint64_t sdk_random_used_ = 0;
  std::uint64_t disk_ops_ = 0;
  bool unsynced_write_ = false;
  bool unsynced_name_ = false;
  bool recovering_ = true;
  bool saw_injected_error_ = false;
  DiskOpContext last_op_;
  std::vector<EventId> blow_events_;     // of crashes that will strike inside fsyncs under way
  std::uint32_t quiet_windows_ = 0;

  std::string line_[2];
  std::uint64_t output_bytes_ = 0;
  std::string headline_;
  std::deque<std::string> tail_;         // last lines of both streams
};

}  // namespace sf::kernel
