// The simulated machine room: one time axis, the nodes, the network, and the loop that runs them.
//
// The room owns all kernel state of one run. It pops the next event, releases journal records up to
// it, and lets the event act: a segment arrives, a timer is due, a fault strikes, a process goes
// on. A process runs alone until it waits or its slice ends (see event_queue.h for how far it may
// run).
//
// One thread; no host calls; fork() of the process clones the run. Knows no wasm and no config.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/choices.h"
#include "kernel/event_queue.h"
#include "kernel/fault_oracle.h"
#include "kernel/finding.h"
#include "kernel/journal.h"
#include "kernel/net/network.h"
#include "kernel/node.h"
#include "kernel/preemptor.h"
#include "kernel/settings.h"
#include "kernel/terminal.h"

namespace sf::kernel {

// What a run exercised, so that a clean verdict means something.
struct Evidence {
  std::uint64_t power_losses = 0;
  std::uint64_t kills = 0;
  std::uint64_t crashes_inside_io = 0;   // power or kill, struck inside a disk operation
  std::uint64_t torn_tails = 0;          // power losses that cut a data operation
  std::uint64_t operations_lost = 0;     // pending disk operations that power losses dropped
  std::uint64_t restarts = 0;            // boots after the first
  std::uint64_t partitions = 0;
  std::uint64_t sync_errors = 0;         // writebacks that failed
  std::uint64_t write_errors = 0;
  std::uint64_t read_errors = 0;
  std::uint64_t short_writes = 0;
  std::uint64_t full_disks = 0;          // windows, like the next two
  std::uint64_t no_descriptors = 0;
  std::uint64_t disk_stalls = 0;
  std::uint64_t evictions = 0;
  std::uint64_t pages_revealed = 0;      // by evictions: lost pages that showed the disk's bytes
  std::uint64_t rotten_sectors = 0;
  std::uint64_t power_all = 0;           // moments at which the whole cluster lost power
  std::uint64_t crashes_in_recovery = 0; // of a restarted program that had not yet connected
  std::uint64_t error_exits = 0;         // programs that stopped after an injected error
  std::uint64_t disk_ops = 0;
  std::uint64_t host_calls = 0;
  std::uint64_t ticks = 0;
  std::uint64_t preemptions = 0;         // of goroutines
};

struct RoomParts {
  FaultOracle& faults;
  TraceSink& trace;
  PropertySink& properties;
  Preemptor* preemptor = nullptr;        // nobody is ever preempted without
  Terminal* terminal = nullptr;          // without, stdin is empty and output only recorded
};

class Room {
 public:
  struct NodePlan {
    NodeSpec spec;
    GuestFactory* factory = nullptr;
  };
  Room(const Settings& settings, std::uint64_t root, std::vector<NodePlan> nodes, RoomParts parts);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // Boots every node at time zero. Fails when a program cannot be instantiated.
  Result<void> boot_all();
  // Runs to `until`: all that happens up to it has happened, and nobody has acted past it. False
  // once the run has ended.
  bool advance(SimTime until);
  // Later decisions draw from the new root.
  void reseed(std::uint64_t root) {
    choices_.reseed(root);
    faults_.reseeded(now_);
  }

  // Tells every running program that the process will be forked from here on.
  void prepare_for_forks();

  bool ended() const { return ended_; }
  EndKind end_kind() const { return end_kind_; }
  const std::vector<Finding>& findings() const { return findings_; }
  // A program could not be started after boot_all succeeded; ends the run.
  const std::optional<Error>& failure() const { return failure_; }

  SimTime now() const { return now_; }
  SimTime pause() const { return pause_; }   // nobody may act after it
  const Settings& settings() const { return settings_; }
  const Choices& choices() const { return choices_; }
  EventQueue& queue() { return queue_; }
  Journal& journal() { return journal_; }
  Network& network() { return network_; }
  FaultOracle& faults() { return faults_; }
  Preemptor* preemptor() { return preemptor_; }
  Terminal* terminal() { return terminal_; }
  // How the only program ended (NodeRole::kSolo); nothing while it runs.
  const std::optional<GuestExit>& solo_exit() const { return solo_exit_; }
  Evidence& evidence() { return evidence_; }
  std::uint64_t scheduler_steps() const;
  Duration least_latency() const { return settings_.network.latency.low; }

  std::size_t node_count() const { return nodes_.size(); }
  Node& node(NodeId id) { return *nodes_[index_of(id)]; }
  Node& node_at(std::size_t index) { return *nodes_[index]; }
  // The node of that name, ASCII case ignored as in host names.
  std::optional<NodeId> find_node(std::string_view name) const;

  // ---- for the fault oracle
  EventId schedule_fault(SimTime time, Concern concern, NodeId node, Entity entity,
                         std::function<void()> action);
  // A crash at the present room time; no-op when the node's program is not running.
  void strike_now(NodeId node, const Strike& strike);
  // A window of the node opens or closes.
  void set_conditions(NodeId node, FaultKind kind, const Conditions& conditions,
                      std::string description);
  // A fault of the given kind that acts at once on the node's disk; what it did, for the schedule.
  std::string evict(NodeId node);
  std::string rot(NodeId node, Dice dice);
  // The program met an injected error: counted and recorded at its local time, and told to the
  // oracle.
  void io_failed(Process& process, const IoFault& fault, IoReport report);
  void partition(std::span<const std::pair<NodeId, NodeId>> links, std::string description);
  void heal(std::span<const std::pair<NodeId, NodeId>> links, std::string description);

  // ---- for processes and calls
  struct Blow {
    Strike strike;
    disk::InFlight in_flight;
    std::optional<DiskOpContext> operation;
    std::string subject;
  };
  // The crash takes effect on this incarnation at `time`.
  EventId schedule_blow(SimTime time, const Process& process, Blow blow);
  // The same at the present room time, from the event that completed the caller's fsync.
  void strike_after_sync(Process& process, const Blow& blow) { take_down(process.node(), blow); }
  // A finding at a process's local time; unless the run keeps going it ends the run then.
  void report(SimTime time, Finding finding);
  // SDK requests; they take effect one least link latency after the caller's local time.
  void request_quiet(const Process& caller, Duration length);
  void request_setup_complete(const Process& caller);
  void schedule_wake(Process& process);

 private:
  void boot(Node& node);
  void run_process(Node& node, Incarnation incarnation);
  void after_stop(Node& node, GuestStop stop);
  void process_ended(Node& node, Incarnation incarnation, GuestExit exit);
  void workload_ended(Node& node, const GuestExit& exit);
  void service_ended(Node& node, const GuestExit& exit);
  Finding exit_finding(const Node& node, const GuestExit& exit, FindingKind kind) const;
  void take_down(Node& node, const Blow& blow);
  CrashReport lose_power(Node& node, const Blow& blow);
  CrashReport die(Node& node, const Blow& blow);
  void record_crash(const Node& node, const Blow& blow, const CrashReport& report);
  void schedule_boot(Node& node, SimTime time);
  void drop_process(Node& node);
  void schedule_writeback(Node& node);
  void begin_quiet(Duration length);
  void check_spin(Process& process);
  void add_finding(Finding finding);
  void end(EndKind kind);
  void deadlock();
  void check_bounds();
  std::vector<std::string> who_waits() const;
  void node_fault_record(const Node& node, FaultKind kind, std::string what, std::string outcome);
  void room_record(RecordKind kind, std::int64_t result, std::string what);

  Settings settings_;
  Choices choices_;
  FaultOracle& faults_;
  Preemptor* preemptor_;
  Terminal* terminal_;
  EventQueue queue_;
  Journal journal_;
  std::vector<std::unique_ptr<Node>> nodes_;
  Network network_;
  Evidence evidence_;

  SimTime now_;
  SimTime pause_ = SimTime::never();
  std::uint64_t events_this_instant_ = 0;
  std::uint64_t dead_resumptions_ = 0;    // of processes that are gone
  bool setup_complete_ = false;
  bool ended_ = false;
  EndKind end_kind_ = EndKind::kWorkloadDone;
  std::vector<Finding> findings_;
  std::optional<Error> failure_;
  std::optional<GuestExit> solo_exit_;
};

}  // namespace sf::kernel
