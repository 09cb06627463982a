#include "fault/planner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "fault/planner_draws.h"
#include "kernel/room.h"

namespace sf::fault {
namespace {

using kernel::Dice;
using kernel::DiskOp;
using kernel::DiskOpContext;
using kernel::Entity;
using kernel::FaultHandle;
using kernel::Incarnation;
using kernel::Phase;
using kernel::Purpose;
using kernel::Strike;

constexpr Duration kAimWindow = milliseconds(50);
constexpr Odds kAims = Odds::ratio(3, 4);
constexpr std::int64_t kRestartCap = 20;    // times the mean
constexpr FaultKind kNodeStreams[] = {
    FaultKind::kPower,    FaultKind::kKill,          FaultKind::kDiskFull,
    FaultKind::kNoDescriptors, FaultKind::kDiskStall, FaultKind::kEvict, FaultKind::kBitRot};

// Weights of fault-models.md section 6: how much an operation is worth hitting, in eighths, and
// where in it. Zero: not a place to wait for.
struct Spot {
  std::uint64_t eighths = 0;
  Phase phase = Phase::kInside;
};
Spot spot_of(const DiskOpContext& context) {
  if (context.recovering && context.op != DiskOp::kRead) return {4, Phase::kInside};
  switch (context.op) {
    case DiskOp::kSync: return {4, Phase::kInside};
    case DiskOp::kRename: return {5, Phase::kAfter};
    case DiskOp::kWrite:
      return context.unsynced_name ? Spot{5, Phase::kInside} : Spot{4, Phase::kAfter};
    case DiskOp::kTruncate:
    case DiskOp::kUnlink:
    case DiskOp::kLink: return {3, Phase::kAfter};
    default: return {};
  }
}

Phase draw_phase(Dice& dice, DiskOp op) {
  if (op == DiskOp::kRead) return Phase::kBefore;
  const std::uint64_t pick = dice.below(4);   // inside twice as often as before or after
  return pick == 0 ? Phase::kBefore : pick == 1 ? Phase::kAfter : Phase::kInside;
}

}  // namespace

bool Planner::hurts(NodeId node) const { return !room_->node(node).is_workload(); }

FaultHandle Planner::make(FaultKind kind, NodeId node, Incarnation incarnation,
                          std::string_view stream, std::uint64_t k) {
  Fault fault;
  fault.kind = kind;
  fault.target = room_->node(node).name();
  fault.incarnation = incarnation;
  fault.id = identity(kind, fault.target, incarnation, stream, k);
  handles_.push_back(std::move(fault));
  return handles_.size();
}

Dice Planner::dice(FaultHandle fault, std::uint64_t use) const {
  return room_->choices().dice(Purpose::kFaultParameter, Entity{hash64(handles_[fault - 1].id)},
                               use);
}

// ---- arrivals by rate

void Planner::attach(kernel::Room& room) {
  room_ = &room;
  windows_.attach(room);
  partition_stream_ = {FaultKind::kPartition, &rates_.partition, &Planner::start_partition, {}};
  // Its own key, since single power losses have the kind's.
  power_all_stream_ = {FaultKind::kPower, &rates_.power_all, &Planner::power_all, {}};
}

const Rate& Planner::rate_of(FaultKind kind) const {
  switch (kind) {
    case FaultKind::kPower: return rates_.power;
    case FaultKind::kKill: return rates_.kill;
    case FaultKind::kDiskFull: return rates_.disk_full;
    case FaultKind::kNoDescriptors: return rates_.no_descriptors;
    case FaultKind::kDiskStall: return rates_.disk_stall;
    case FaultKind::kEvict: return rates_.evict;
    case FaultKind::kBitRot: return rates_.bit_rot;
    default: break;
  }
  SF_CHECK_MSG(false, "no stream per node has this kind");
  return rates_.power;
}

void Planner::booted(NodeId node, Incarnation incarnation, SimTime now) {
  recorder_.booted(room_->node(node).name(), now);
  const SimTime after = std::max(now, rates_.from);
  if (!std::exchange(streams_started_, true)) {
    for (RoomStream* stream : {&partition_stream_, &power_all_stream_}) {
      if (stream->rate->mean_gap) schedule_in_room(*stream, 1, after);
    }
  }
  if (!hurts(node)) return;
  for (const FaultKind kind : kNodeStreams) {
    if (rate_of(kind).mean_gap) schedule_arrival(kind, node, incarnation, 1, after);
  }
  plan_ambush(node, incarnation);
}

void Planner::schedule_in_room(RoomStream& stream, std::uint64_t k, SimTime after) {
  const Entity entity = Entity::of(static_cast<std::uint64_t>(stream.kind));
  const std::uint64_t word = room_->choices().word(Purpose::kArrival, entity, k);
  const SimTime time = after + Duration(exponential(word, stream.rate->mean_gap->ns()) + 1);
  stream.next = Arrival{stream.kind, 0, k, 0};
  if (time >= rates_.until) return;
  const auto event = room_->schedule_fault(
      time, kernel::Concern::kRoomWide, kernel::kTheRoom, entity,
      [this, arrive = stream.arrive, k] { (this->*arrive)(k); });
  stream.next.event = event;
}

// Every node that runs loses power, each with a survivor set of its own (Alagappan et al.,
// "Correlated Crash Vulnerabilities", OSDI 2016): as many faults as nodes, so that shrinking shows
// which of them matter.
void Planner::power_all(std::uint64_t k) {
  schedule_in_room(power_all_stream_, k + 1, room_->now());
  if (!may_strike(room_->now())) return;
  ++room_->evidence().power_all;
  for (std::size_t i = 0; i < room_->node_count(); ++i) {
    const kernel::Node& node = room_->node_at(i);
    if (!hurts(node.id()) || node.state() != kernel::NodeState::kRunning) continue;
    const Incarnation incarnation = node.incarnation();
    if (disabled_.contains(identity(FaultKind::kPower, node.name(), incarnation, "all", k))) {
      continue;
    }
    const FaultHandle handle = make(FaultKind::kPower, node.id(), incarnation, "all", k);
    // An event for each: a list of faults replays them so, and events of one instant have an order
    // of their own.
    const Strike strike{handle, FaultKind::kPower, Phase::kBefore};
    room_->schedule_fault(room_->now(), kernel::Concern::kNode, node.id(),
                          Entity{hash64(handles_[handle - 1].id)},
                          [this, id = node.id(), incarnation, strike] {
                            if (room_->node(id).incarnation() != incarnation) return;
                            room_->strike_now(id, strike);
                          });
  }
}

void Planner::schedule_arrival(FaultKind kind, NodeId node, Incarnation incarnation,
                               std::uint64_t k, SimTime after) {
  const Duration mean = *rate_of(kind).mean_gap;
  const Entity entity =
      Entity::of(static_cast<std::uint64_t>(kind), index_of(node), incarnation);
  const std::uint64_t word = room_->choices().word(Purpose::kArrival, entity, k);
  const SimTime time = after + Duration(exponential(word, mean.ns()) + 1);
  arrivals_[{node, kind}] = Arrival{kind, incarnation, k, 0};   // a reseed may draw an earlier one
  if (time >= rates_.until) return;
  const auto event = room_->schedule_fault(time, kernel::Concern::kNode, node, entity,
                                           [=, this] { arrive(kind, node, incarnation, k); });
  arrivals_[{node, kind}] = Arrival{kind, incarnation, k, event};
}

void Planner::arrive(FaultKind kind, NodeId node, Incarnation incarnation, std::uint64_t k) {
  arrivals_.erase({node, kind});
  schedule_arrival(kind, node, incarnation, k + 1, room_->now());
  const std::string id = identity(kind, room_->node(node).name(), incarnation, "t", k);
  if (!may_strike(room_->now()) || disabled_.contains(id)) return;
  const FaultHandle handle = make(kind, node, incarnation, "t", k);
  if (manner_of(kind) != Manner::kCrash) return window_or_moment(kind, node, handle);
  if (!armed_.contains(node) && dice(handle, kUseAim).hit(kAims)) return arm(node, handle, kind);
  room_->strike_now(node, Strike{handle, kind, Phase::kBefore});
}

void Planner::window_or_moment(FaultKind kind, NodeId node, FaultHandle handle) {
  Fault& fault = handles_[handle - 1];
  if (manner_of(kind) == Manner::kMoment) {
    fault.draw = dice(handle, kUseRot).next() >> 1;   // schedule files hold signed numbers
    return windows_.act(fault, node);
  }
  fault.length = window_length(dice(handle, kUseLength));
  if (kind == FaultKind::kDiskStall) {
    // Fail-slow disks are as common as stuck ones (Gunawi et al., "Fail-Slow at Scale", FAST 2018).
    constexpr std::int64_t kLn100Q16 = 301'809;
    Dice shape = dice(handle, kUseShape);
    if (shape.hit(Odds::ratio(1, 2))) {
      fault.slowdown =
          1 + static_cast<std::uint32_t>(scale_by_exp(1, shape.between(0, kLn100Q16)));
    }
  }
  windows_.open(fault, node);
}

void Planner::arm(NodeId node, FaultHandle handle, FaultKind kind) {
  const auto deadline = room_->schedule_fault(
      room_->now() + kAimWindow, kernel::Concern::kNode, node,
      Entity{hash64(handles_[handle - 1].id)}, [this, node, handle, kind] {
        armed_.erase(node);
        if (may_strike(room_->now())) room_->strike_now(node, Strike{handle, kind, Phase::kBefore});
      });
  armed_[node] = Armed{handle, kind, deadline};
}

void Planner::gone(NodeId node, Incarnation, SimTime) {
  ambushes_.erase(node);
  for (const FaultKind kind : kNodeStreams) {
    const auto arrival = arrivals_.find({node, kind});
    if (arrival == arrivals_.end()) continue;
    room_->queue().cancel(arrival->second.event);
    arrivals_.erase(arrival);
  }
  if (const auto armed = armed_.find(node); armed != armed_.end()) {
    room_->queue().cancel(armed->second.deadline);
    armed_.erase(armed);
  }
}

void Planner::setup_complete(SimTime) { allowed_.setup_complete(); }

void Planner::quiet(SimTime from, SimTime until) {
  allowed_.quiet(from, until);
  for (auto& [node, armed] : std::exchange(armed_, {})) room_->queue().cancel(armed.deadline);
  windows_.close_all();
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    if (partitions_[i].heal_event == 0) continue;
    room_->queue().cancel(partitions_[i].heal_event);
    heal(i);
  }
}

// Arrivals are memoryless, so those that have not come are simply drawn anew from now on.
void Planner::reseeded(SimTime now) {
  for (const auto& [key, arrival] : std::exchange(arrivals_, {})) {
    room_->queue().cancel(arrival.event);
    schedule_arrival(arrival.kind, key.first, arrival.incarnation, arrival.k,
                     std::max(now, rates_.from));
  }
  for (RoomStream* stream : {&partition_stream_, &power_all_stream_}) {
    if (stream->next.k == 0) continue;
    room_->queue().cancel(stream->next.event);
    schedule_in_room(*stream, stream->next.k, std::max(now, rates_.from));
  }
}

// ---- strikes at operations

std::optional<Strike> Planner::at_disk_op(const DiskOpContext& context) {
  if (!hurts(context.node) || !may_strike(context.time)) return {};
  if (const auto strike = armed_strike(context)) return strike;
  if (const auto strike = ambush_strike(context)) return strike;
  if (rates_.power_on_io.is_never()) return {};
  const Entity entity = Entity::of(index_of(context.node), context.incarnation);
  Dice odds = room_->choices().dice(Purpose::kPerOperation, entity, context.ordinal);
  if (!odds.hit(rates_.power_on_io)) return {};
  const std::string& name = room_->node(context.node).name();
  if (disabled_.contains(identity(FaultKind::kPower, name, context.incarnation, "op",
                                  context.ordinal))) {
    return {};
  }
  const FaultHandle handle =
      make(FaultKind::kPower, context.node, context.incarnation, "op", context.ordinal);
  return Strike{handle, FaultKind::kPower, draw_phase(odds, context.op)};
}

// Which operation of a restart is hit: log-uniform over the first 64, since recovery is short.
void Planner::plan_ambush(NodeId node, Incarnation incarnation) {
  if (incarnation < 2 || rates_.crash_in_recovery.is_never()) return;
  constexpr std::int64_t kLn64Q16 = 272'557;
  Dice plan = room_->choices().dice(Purpose::kFaultParameter,
                                    Entity::of(index_of(node), incarnation), kUseAmbush);
  if (!plan.hit(rates_.crash_in_recovery)) return;
  const std::int64_t ordinal = scale_by_exp(1, plan.between(0, kLn64Q16));
  ambushes_[node] = Ambush{incarnation, static_cast<std::uint64_t>(ordinal)};
}

std::optional<Strike> Planner::ambush_strike(const DiskOpContext& context) {
  const auto found = ambushes_.find(context.node);
  if (found == ambushes_.end() || found->second.ordinal != context.ordinal) return {};
  ambushes_.erase(found);
  if (!context.recovering) return {};
  const std::string& name = room_->node(context.node).name();
  const std::uint64_t ordinal = context.ordinal;
  if (disabled_.contains(identity(FaultKind::kPower, name, context.incarnation, "re", ordinal))) {
    return {};
  }
  const FaultHandle handle =
      make(FaultKind::kPower, context.node, context.incarnation, "re", ordinal);
  Dice phase = dice(handle, kUseAmbush);
  return Strike{handle, FaultKind::kPower, draw_phase(phase, context.op)};
}

std::optional<Strike> Planner::armed_strike(const DiskOpContext& context) {
  const auto armed = armed_.find(context.node);
  if (armed == armed_.end()) return {};
  const Spot spot = spot_of(context);
  Dice fall =
      room_->choices().dice(Purpose::kPerOperation,
                            Entity{hash64(handles_[armed->second.handle - 1].id)}, context.ordinal);
  if (spot.eighths == 0 || !fall.hit(Odds::ratio(spot.eighths, 8))) return {};
  const Strike strike{armed->second.handle, armed->second.kind, spot.phase};
  room_->queue().cancel(armed->second.deadline);
  armed_.erase(armed);
  return strike;
}

// ---- what a crash does

kernel::disk::Survivors Planner::survivors(FaultHandle fault, const kernel::disk::Volume& volume,
                                           kernel::disk::InFlight in_flight) {
  const bool torn = dice(fault, kUseTorn).hit(rates_.torn_writes);
  return volume.draw_survivors(
      in_flight, dice(fault, kUseSurvivors),
      torn ? kernel::disk::Tearing::kTorn : kernel::disk::Tearing::kWhole);
}

std::optional<std::uint32_t> Planner::pages_kept(FaultHandle fault, std::uint32_t pages) {
  return static_cast<std::uint32_t>(dice(fault, kUsePages).below(pages + 1));
}

Duration Planner::inside_sync(FaultHandle fault, Duration length) {
  const Duration at(dice(fault, kUseInside).between(0, length.ns()));
  handles_[fault - 1].inside_sync = at;
  return at;
}

Duration Planner::restart_delay(FaultHandle fault) {
  const std::int64_t mean = rates_.restart_after.ns();
  const std::int64_t delay = exponential(dice(fault, kUseRestart).next(), mean);
  handles_[fault - 1].restart_after = Duration(std::min(delay, mean * kRestartCap) + 1);
  return handles_[fault - 1].restart_after;
}

void Planner::crashed(FaultHandle fault, const kernel::CrashReport& report) {
  recorder_.crashed(handles_[fault - 1], report);
}

}  // namespace sf::fault
