// The loop. One event is popped, the journal releases what came before it, the event acts.
// Everything that "happens at time t" is an event at t, also when it was decided earlier by a
// process that ran ahead: its crash inside an operation, its exit, its failed assertion are
// scheduled at its local time, so that what other nodes did before that moment still happens first.
#include "kernel/room.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/strings.h"

namespace sf::kernel {
namespace {

constexpr std::uint32_t kCrashLoopExits = 5;
constexpr Duration kCrashLoopLife = seconds(1);

Entity node_entity(NodeId node, std::uint64_t what) {
  return Entity::of(index_of(node), what, 0x6e6f6465);
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view disk_op_name(DiskOp op) {
  switch (op) {
    case DiskOp::kOpen: return "open";
    case DiskOp::kRead: return "read";
    case DiskOp::kWrite: return "write";
    case DiskOp::kSync: return "fsync";
    case DiskOp::kTruncate: return "truncate";
    case DiskOp::kRename: return "rename";
    case DiskOp::kLink: return "link";
    case DiskOp::kUnlink: return "unlink";
    case DiskOp::kMakeDirectory: return "mkdir";
    case DiskOp::kRemoveDirectory: return "rmdir";
    case DiskOp::kSymlink: return "symlink";
    case DiskOp::kSetTimes: return "utimes";
    case DiskOp::kAllocate: return "allocate";
  }
  return "unknown";
}

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kBefore: return "before";
    case Phase::kInside: return "inside";
    case Phase::kAfter: return "after";
  }
  return "unknown";
}

Room::Room(const Settings& settings, std::uint64_t root, std::vector<NodePlan> plans,
           RoomParts parts)
    : settings_(settings), choices_(root), faults_(parts.faults), preemptor_(parts.preemptor),
      terminal_(parts.terminal), queue_(choices_),
      journal_(plans.size(), parts.trace, parts.properties),
      nodes_([&plans] {
        std::vector<std::unique_ptr<Node>> nodes;
        for (NodePlan& plan : plans) {
          const NodeId id{static_cast<std::uint32_t>(nodes.size())};
          nodes.push_back(std::make_unique<Node>(id, std::move(plan.spec), *plan.factory));
        }
        return nodes;
      }()),
      network_(*this) {
  SF_CHECK(settings_.network.latency.low >= microseconds(10));
  faults_.attach(*this);
  if (preemptor_ != nullptr) preemptor_->attach(*this);
}

Room::~Room() {
  // Processes cancel their events, so they go before the queue does.
  for (auto& node : nodes_) node->process_.reset();
}

std::optional<NodeId> Room::find_node(std::string_view name) const {
  for (const auto& node : nodes_) {
    if (same_name(node->name(), name)) return node->id();
  }
  return {};
}

Result<void> Room::boot_all() {
  queue_.schedule(EventSpec{.time = settings_.horizon,
                            .rank = Rank::kHorizon,
                            .entity = Entity::of(0x686f72697a6f6e),
                            .concern = Concern::kRoomWide,
                            .action = [this] {
                              Finding finding;
                              finding.kind = FindingKind::kHorizon;
                              finding.message = fmt::format(
                                  "the horizon ({}) came before the workload was done",
                                  format_duration(settings_.horizon - SimTime::zero()));
                              finding.detail = who_waits();
                              add_finding(std::move(finding));
                              end(EndKind::kHorizon);
                            }});
  for (auto& node : nodes_) {
    if (node->spec().writeback > Duration(0)) schedule_writeback(*node);
    boot(*node);
    if (failure_) return tl::make_unexpected(*failure_);
  }
  return {};
}

// The flusher wakes several times per age, as Linux does (dirty_writeback_centisecs is 5 s for an
// age of 30 s, Documentation/admin-guide/sysctl/vm.rst).
void Room::schedule_writeback(Node& node) {
  constexpr int kWakesPerAge = 6;
  const Duration age = node.spec().writeback;
  const Duration gap(std::max<std::int64_t>(1'000'000, age.ns() / kWakesPerAge));
  queue_.schedule(EventSpec{.time = now_ + gap,
                            .rank = Rank::kFault,
                            .entity = node_entity(node.id(), 8),
                            .concern = Concern::kNode,
                            .node = node.id(),
                            .action = [this, &node, age] {
                              if (now_ > SimTime::zero() + age) node.volume_.write_back(now_ - age);
                              schedule_writeback(node);
                            }});
}

bool Room::advance(SimTime until) {
  pause_ = until;
  while (!ended_) {
    if (queue_.only_horizon_left() && !settings_.horizon_ok) {
      deadlock();
      break;
    }
    if (queue_.next_time() > until) {
      now_ = std::max(now_, until);
      break;
    }
    EventSpec event = queue_.pop();
    SF_CHECK(event.time >= now_);
    if (event.time > now_) events_this_instant_ = 0;
    now_ = event.time;
    journal_.release(now_, Journal::Edge::kBefore);
    check_bounds();
    if (!ended_) event.action();
  }
  return !ended_;
}

void Room::check_bounds() {
  check_context().step = journal_.steps();
  std::string what;
  if (++events_this_instant_ > settings_.limits.events_per_instant) {
    what = fmt::format("more than {} events at one instant (limits.events_per_instant)",
                       with_thousands(settings_.limits.events_per_instant));
  } else if (journal_.steps() > settings_.limits.steps) {
    what = fmt::format("more than {} steps (limits.steps)", with_thousands(settings_.limits.steps));
  } else {
    return;
  }
  Finding finding;
  finding.kind = FindingKind::kLimit;
  finding.message = std::move(what);
  finding.detail = who_waits();
  add_finding(std::move(finding));
  end(EndKind::kFinding);
}

// Every program of the workload waits, and no event is left that could wake anybody. (With fault
// rates there is always a next fault, and the horizon ends such a run.)
void Room::deadlock() {
  // What they did before they waited still counts.
  for (const auto& node : nodes_) {
    if (node->process_) now_ = std::max(now_, std::min(node->process_->now_, settings_.horizon));
  }
  Finding finding;
  finding.kind = FindingKind::kDeadlock;
  finding.message = "deadlock: every program waits and nothing will ever happen";
  finding.detail = who_waits();
  add_finding(std::move(finding));
  end(EndKind::kFinding);
}

std::vector<std::string> Room::who_waits() const {
  std::vector<std::string> lines;
  for (const auto& node : nodes_) {
    const Process* process = node->process_.get();
    std::string state = node->state_ == NodeState::kOff    ? "has no power"
                        : node->finished_                  ? "is done"
                        : process == nullptr || !process->guest_ ? "is not running"
                                                           : process->guest_->describe_wait();
    lines.push_back(fmt::format("{}: {}", node->name(), state));
  }
  return lines;
}

void Room::prepare_for_forks() {
  for (auto& node : nodes_) {
    if (node->process_ && node->process_->guest_) node->process_->guest_->prepare_for_forks();
  }
}

// ---- lives of programs

void Room::boot(Node& node) {
  node.restart_event_ = 0;
  node.state_ = NodeState::kRunning;
  ++node.incarnation_;
  if (node.incarnation_ > 1) ++evidence_.restarts;
  node.process_ = std::make_unique<Process>(*this, node, node.incarnation_, now_);
  Process& process = *node.process_;
  const Hash128 image = node.volume_.image_hash();
  process.record(RecordKind::kBoot, 0, node.incarnation_, image.low,
                 journal_.wants_text() ? fmt::format("boot incarnation {}", node.incarnation_) : "",
                 journal_.wants_text() ? fmt::format("volume {}…", image.hex().substr(0, 4)) : "");
  auto guest = node.factory_.start(process);
  if (!guest) {
    failure_ = guest.error();
    end(EndKind::kFinding);
    return;
  }
  process.guest_ = *std::move(guest);
  faults_.booted(node.id(), node.incarnation_, now_);
  schedule_wake(process);
}

void Room::schedule_wake(Process& process) {
  if (process.wake_scheduled_ || process.running_) return;
  process.wake_scheduled_ = true;
  Node& node = process.node();
  const Incarnation incarnation = process.incarnation();
  process.wake_event_ = queue_.schedule(
      EventSpec{.time = std::max(now_, process.now_),
                .rank = Rank::kWake,
                .entity = node_entity(node.id(), 1),
                .concern = Concern::kNode,
                .node = node.id(),
                .action = [this, &node, incarnation] { run_process(node, incarnation); }});
}

void Room::run_process(Node& node, Incarnation incarnation) {
  SF_CHECK(node.process_ && node.process_->incarnation() == incarnation);
  Process& process = *node.process_;
  process.wake_scheduled_ = false;
  if (process.stopped_) return;
  if (process.deadline_event_ != 0) {
    queue_.cancel(process.deadline_event_);
    process.deadline_event_ = 0;
  }
  process.arrive(now_);
  process.slice_start_ = process.now_;
  process.bound_version_ = 0;
  process.running_ = true;
  const GuestStop stop = process.guest_->advance();
  process.running_ = false;
  after_stop(node, stop);
}

void Room::after_stop(Node& node, GuestStop stop) {
  Process& process = *node.process_;
  switch (stop) {
    case GuestStop::kWaiting:
      return;
    case GuestStop::kSliceEnd:
      check_spin(process);
      if (!process.stopped_) schedule_wake(process);
      return;
    case GuestStop::kStopped:
      SF_CHECK(process.stopped_);
      return;
    case GuestStop::kExited:
    case GuestStop::kTrapped:
      break;
  }
  process.stopped_ = true;
  const GuestExit exit = process.guest_->exit();
  const Incarnation incarnation = process.incarnation();
  queue_.schedule(EventSpec{.time = process.now_,
                            .rank = Rank::kOutcome,
                            .entity = node_entity(node.id(), 2),
                            .concern = Concern::kNode,
                            .node = node.id(),
                            .action = [this, &node, incarnation, exit] {
                              process_ended(node, incarnation, exit);
                            }});
}

void Room::check_spin(Process& process) {
  if (!process.spinning()) return;
  Finding finding;
  finding.kind = FindingKind::kSpin;
  finding.node = process.node_id();
  finding.incarnation = process.incarnation();
  finding.message = fmt::format("{} used {} of CPU time without any host call (limits.spin)",
                                process.node().name(), format_duration(settings_.limits.spin));
  finding.detail.push_back(process.guest_->describe_wait());
  process.stopped_ = true;
  report(process.now_, std::move(finding));
}

void Room::process_ended(Node& node, Incarnation incarnation, GuestExit exit) {
  if (!node.process_ || node.process_->incarnation() != incarnation) return;   // a crash came first
  Process& process = *node.process_;
  process.flush_console();
  const bool trapped = !exit.trap.empty();
  process.record(trapped ? RecordKind::kTrap : RecordKind::kExit, 0, exit.code, hash64(exit.trap),
                 trapped ? "trap" : "exit",
                 trapped ? exit.trap : fmt::format("code {}", exit.code));
  faults_.gone(node.id(), incarnation, now_);
  if (process.saw_injected_error()) {
    node.quick_exits_ = 0;
  } else if (now_ - process.booted_ < kCrashLoopLife) {
    ++node.quick_exits_;
  } else {
    node.quick_exits_ = 0;
  }
  if (node.is_workload()) {
    workload_ended(node, exit);
  } else if (node.spec().role == NodeRole::kSolo) {
    solo_exit_ = std::move(exit);
    end(EndKind::kWorkloadDone);
  } else {
    service_ended(node, exit);
  }
  node.volume_.kill();
  network_.process_died(node.id());
  node.state_ = NodeState::kIdle;
  drop_process(node);
}

Finding Room::exit_finding(const Node& node, const GuestExit& exit, FindingKind kind) const {
  Finding finding;
  finding.kind = exit.trap.empty() ? kind : FindingKind::kTrap;
  finding.time = now_;
  finding.node = node.id();
  finding.incarnation = node.incarnation();
  finding.message = exit.trap.empty()
                        ? fmt::format("{} exited with code {}", node.name(), exit.code)
                        : fmt::format("{} trapped: {}", node.name(), exit.trap);
  const auto& tail = node.process_->console_tail();
  const std::string& why = node.process_->death_line();
  if (!why.empty()) finding.message += ": " + excerpt(why, 200);
  finding.detail = exit.stack;
  finding.detail.insert(finding.detail.end(), tail.begin(), tail.end());
  return finding;
}

void Room::workload_ended(Node& node, const GuestExit& exit) {
  node.finished_ = true;
  if (exit.code != 0 || !exit.trap.empty()) {
    add_finding(exit_finding(node, exit, FindingKind::kExit));
    if (!settings_.keep_going) return end(EndKind::kFinding);
  }
  const bool all_done = std::all_of(nodes_.begin(), nodes_.end(), [](const auto& other) {
    return !other->is_workload() || other->finished_;
  });
  if (all_done) end(EndKind::kWorkloadDone);
}

void Room::service_ended(Node& node, const GuestExit& exit) {
  const bool failed = exit.code != 0 || !exit.trap.empty();
  // To stop after an I/O error is the right reaction; whether it can start again is judged by what
  // its next incarnation does without one.
  const bool excused = failed && node.process_->saw_injected_error();
  if (excused) ++evidence_.error_exits;
  if (excused || node.spec().supervision == Supervision::kRestart) {
    if (node.quick_exits_ >= kCrashLoopExits) {
      Finding finding = exit_finding(node, exit, FindingKind::kCrashLoop);
      finding.message +=
          fmt::format("; {} times in a row within {} of its start, without any fault",
                      node.quick_exits_, format_duration(kCrashLoopLife));
      add_finding(std::move(finding));
      return end(EndKind::kFinding);
    }
    schedule_boot(node, now_ + node.spec().restart_delay);
    return;
  }
  if (failed) {
    add_finding(exit_finding(node, exit, FindingKind::kExit));
    if (!settings_.keep_going) end(EndKind::kFinding);
  }
}

void Room::drop_process(Node& node) {
  dead_resumptions_ += node.process_->guest_->resumptions();
  node.process_.reset();
}

void Room::schedule_boot(Node& node, SimTime time) {
  SF_CHECK(node.restart_event_ == 0);
  if (time == SimTime::never()) return;
  node.restart_event_ = queue_.schedule(EventSpec{.time = time,
                                                  .rank = Rank::kFault,
                                                  .entity = node_entity(node.id(), 3),
                                                  .concern = Concern::kNode,
                                                  .node = node.id(),
                                                  .action = [this, &node] { boot(node); }});
}

// ---- crashes

void Room::strike_now(NodeId id, const Strike& strike) {
  Node& target = node(id);
  if (target.state() != NodeState::kRunning) return;
  take_down(target, Blow{strike, disk::InFlight{}, {}, {}});
}

EventId Room::schedule_blow(SimTime time, const Process& process, Blow blow) {
  Node& target = process.node();
  const Incarnation incarnation = process.incarnation();
  return queue_.schedule(EventSpec{.time = time,
                            .rank = Rank::kFault,
                            .entity = node_entity(target.id(), 4),
                            .concern = Concern::kNode,
                            .node = target.id(),
                            .action = [this, &target, incarnation, blow = std::move(blow)] {
                              if (target.process_ && target.incarnation_ == incarnation) {
                                take_down(target, blow);
                              }
                            }});
}

void Room::take_down(Node& node, const Blow& blow) {
  node.process_->now_ = now_;   // it may have waited since long ago, or be in the middle of a call
  node.process_->flush_console();
  node.quick_exits_ = 0;
  CrashReport report =
      blow.strike.kind == FaultKind::kPower ? lose_power(node, blow) : die(node, blow);
  if (blow.operation && blow.strike.phase == Phase::kInside) ++evidence_.crashes_inside_io;
  if (node.incarnation() > 1 && node.process_->recovering_) ++evidence_.crashes_in_recovery;
  report.time = now_;
  report.incarnation = node.incarnation();
  report.operation = blow.operation;
  report.phase = blow.strike.phase;
  report.subject = blow.subject;
  const Duration delay = faults_.restart_delay(blow.strike.fault);
  report.restart_at = now_ + delay;
  record_crash(node, blow, report);
  faults_.gone(node.id(), node.incarnation(), now_);
  faults_.crashed(blow.strike.fault, report);
  drop_process(node);
  schedule_boot(node, report.restart_at);
}

CrashReport Room::lose_power(Node& node, const Blow& blow) {
  CrashReport report;
  const disk::Survivors survivors =
      faults_.survivors(blow.strike.fault, node.volume_, blow.in_flight);
  report.effect = node.volume_.power_loss(blow.in_flight, survivors);
  report.survivors = report.effect.applied;
  network_.power_off(node.id());
  node.state_ = NodeState::kOff;
  ++node.power_cycles_;
  ++evidence_.power_losses;
  evidence_.torn_tails += report.effect.torn ? 1 : 0;
  evidence_.operations_lost += report.effect.operations_lost;
  return report;
}

CrashReport Room::die(Node& node, const Blow& blow) {
  CrashReport report;
  const std::uint32_t pages = node.volume_.last_write_pages();
  const bool in_write = blow.strike.phase == Phase::kInside && blow.operation &&
                        blow.operation->op == DiskOp::kWrite && pages > 1;
  if (in_write) report.pages_kept = faults_.pages_kept(blow.strike.fault, pages);
  node.volume_.kill(report.pages_kept);
  network_.process_died(node.id());
  node.state_ = NodeState::kIdle;
  ++evidence_.kills;
  report.effect.description =
      report.pages_kept
          ? fmt::format("{} of {} pages of the write reached the cache", *report.pages_kept, pages)
          : "page cache kept";
  return report;
}

void Room::record_crash(const Node& node, const Blow& blow, const CrashReport& report) {
  const bool power = blow.strike.kind == FaultKind::kPower;
  Record record{now_, node.id(), node.incarnation(), RecordKind::kFault,
                static_cast<std::uint32_t>(blow.strike.kind),
                static_cast<std::int64_t>(report.effect.operations_kept),
                mix_into(hash64(report.effect.description), hash64(blow.subject)), {}, {}};
  if (journal_.wants_text()) {
    record.what = power ? "crash (power)" : "kill";
    if (report.operation) {
      record.what += fmt::format(" {} {} (disk op #{})", phase_name(report.phase), blow.subject,
                                 report.operation->ordinal);
    }
    record.outcome = report.effect.description;
    if (!report.effect.missing_barrier.empty()) {
      record.outcome += "; " + report.effect.missing_barrier;
    }
  }
  journal_.add(std::move(record));
}

EventId Room::schedule_fault(SimTime time, Concern concern, NodeId node, Entity entity,
                             std::function<void()> action) {
  return queue_.schedule(EventSpec{.time = time,
                                   .rank = Rank::kFault,
                                   .entity = entity,
                                   .concern = concern,
                                   .node = node,
                                   .action = std::move(action)});
}

void Room::set_conditions(NodeId id, FaultKind kind, const Conditions& conditions,
                          std::string description) {
  Node& target = node(id);
  const Conditions before = std::exchange(target.conditions_, conditions);
  target.volume_.set_full(conditions.disk_full);
  evidence_.full_disks += conditions.disk_full && !before.disk_full ? 1 : 0;
  evidence_.no_descriptors += conditions.no_descriptors && !before.no_descriptors ? 1 : 0;
  evidence_.disk_stalls += conditions.slow_until > before.slow_until ? 1 : 0;
  node_fault_record(target, kind, std::move(description), {});
}

std::string Room::evict(NodeId id) {
  Node& target = node(id);
  const disk::EvictEffect effect = target.volume_.evict();
  ++evidence_.evictions;
  evidence_.pages_revealed += effect.revealed;
  node_fault_record(target, FaultKind::kEvict, "evict clean pages", effect.description);
  return effect.description;
}

std::string Room::rot(NodeId id, Dice dice) {
  Node& target = node(id);
  const auto effect = target.volume_.rot(dice);
  evidence_.rotten_sectors += effect ? 1 : 0;
  const std::string what = effect ? effect->description : "the disk holds no data";
  node_fault_record(target, FaultKind::kBitRot, "bit rot", what);
  return what;
}

void Room::node_fault_record(const Node& node, FaultKind kind, std::string what,
                             std::string outcome) {
  const std::uint64_t payload = mix_into(hash64(what), hash64(outcome));
  journal_.add(Record{now_, node.id(), node.incarnation(), RecordKind::kFault,
                      static_cast<std::uint32_t>(kind), 0, payload, std::move(what),
                      std::move(outcome)});
}

void Room::io_failed(Process& process, const IoFault& fault, IoReport report) {
  switch (fault.kind) {
    case FaultKind::kSyncError: ++evidence_.sync_errors; break;
    case FaultKind::kWriteError: ++evidence_.write_errors; break;
    case FaultKind::kReadError: ++evidence_.read_errors; break;
    case FaultKind::kShortWrite: ++evidence_.short_writes; break;
    default: SF_CHECK_MSG(false, "not the fault of an operation");
  }
  if (fault.kind != FaultKind::kShortWrite) process.note_injected_error();
  report.time = process.now();
  process.record(RecordKind::kFault, static_cast<std::uint32_t>(fault.kind), 0,
                 mix_into(hash64(report.effect), hash64(report.subject)),
                 journal_.wants_text()
                     ? fmt::format("{} (disk op #{})", report.subject, report.operation.ordinal)
                     : std::string(),
                 journal_.wants_text() ? report.effect : std::string());
  faults_.io_failed(fault.fault, report);
}

void Room::partition(std::span<const std::pair<NodeId, NodeId>> links, std::string description) {
  for (const auto& [from, to] : links) network_.cut(from, to);
  ++evidence_.partitions;
  room_record(RecordKind::kFault, 1, std::move(description));
}

void Room::heal(std::span<const std::pair<NodeId, NodeId>> links, std::string description) {
  for (const auto& [from, to] : links) network_.heal(from, to);
  room_record(RecordKind::kFault, 2, std::move(description));
}

// ---- requests of programs

void Room::request_quiet(const Process& caller, Duration length) {
  queue_.schedule(EventSpec{.time = caller.now() + least_latency(),
                            .rank = Rank::kFault,
                            .entity = node_entity(caller.node_id(), 5),
                            .concern = Concern::kRoomWide,
                            .action = [this, length] { begin_quiet(length); }});
}

void Room::begin_quiet(Duration length) {
  room_record(RecordKind::kRoom, 1,
              fmt::format("quiet for {}: no faults, partitions heal, nodes restart",
                          format_duration(length)));
  faults_.quiet(now_, now_ + length);
  for (auto& node : nodes_) {
    if (node->process_) node->process_->spare();
    node->volume_.heal_bad_pages();
    if (node->restart_event_ == 0) continue;
    queue_.cancel(node->restart_event_);
    node->restart_event_ = 0;
    schedule_boot(*node, now_);
  }
}

void Room::request_setup_complete(const Process& caller) {
  queue_.schedule(EventSpec{.time = caller.now() + least_latency(),
                            .rank = Rank::kFault,
                            .entity = node_entity(caller.node_id(), 6),
                            .concern = Concern::kRoomWide,
                            .action = [this] {
                              if (std::exchange(setup_complete_, true)) return;
                              room_record(RecordKind::kRoom, 2, "setup complete");
                              faults_.setup_complete(now_);
                            }});
}

namespace {

constexpr std::size_t kFindingsMax = 1000;   // of one run that goes on after a finding

}  // namespace

void Room::report(SimTime time, Finding finding) {
  queue_.schedule(EventSpec{.time = time,
                            .rank = Rank::kOutcome,
                            .entity = node_entity(finding.node, 7),
                            .concern = Concern::kRoomWide,
                            .action = [this, finding = std::move(finding)]() mutable {
                              add_finding(std::move(finding));
                              // A program can fail again and again, without end.
                              const bool enough = findings_.size() >= kFindingsMax;
                              if (!settings_.keep_going || enough) end(EndKind::kFinding);
                            }});
}

// ---- the end

void Room::add_finding(Finding finding) {
  finding.time = now_;
  const std::string_view role = finding.node == kTheRoom
                                    ? std::string_view("room")
                                    : std::string_view(node(finding.node).name());
  finding.fingerprint = fmt::format("{}/{}/{}", finding_kind_name(finding.kind), role,
                                    generalised(finding.message));
  Record record{now_, finding.node, finding.incarnation, RecordKind::kFinding,
                static_cast<std::uint32_t>(finding.kind), 0, hash64(finding.fingerprint), {}, {}};
  if (journal_.wants_text()) record.what = finding.message;
  journal_.add(std::move(record));
  findings_.push_back(std::move(finding));
}

void Room::end(EndKind kind) {
  if (ended_) return;
  ended_ = true;
  end_kind_ = kind;
  journal_.release(now_, Journal::Edge::kThrough);
  room_record(RecordKind::kEnd, static_cast<std::int64_t>(kind), "end of the run");
  journal_.release(now_, Journal::Edge::kThrough);
}

void Room::room_record(RecordKind kind, std::int64_t result, std::string what) {
  const std::uint64_t payload = hash64(what);
  journal_.add(Record{now_, kTheRoom, 0, kind, 0, result, payload, std::move(what), {}});
}

std::uint64_t Room::scheduler_steps() const {
  std::uint64_t steps = dead_resumptions_;
  for (const auto& node : nodes_) {
    if (node->process_ && node->process_->guest_) steps += node->process_->guest_->resumptions();
  }
  return steps;
}

}  // namespace sf::kernel
