#include "fault/planner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/strings.h"
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
// Uses of one fault's dice: each gets its own key, so none shifts another.
enum Use : std::uint64_t { kUseAim = 1, kUseRestart, kUseSurvivors, kUseTorn, kUsePages,
                           kUseInside, kUseShape, kUseLength };

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

std::string identity(FaultKind kind, std::string_view target, Incarnation incarnation,
                     std::string_view stream, std::uint64_t k) {
  return fmt::format("{}/{}/{}#{}{}", kind_word(kind), target, incarnation, stream, k);
}

}  // namespace

bool Planner::hurts(NodeId node) const { return !room_->node(node).is_workload(); }

bool Planner::may_strike(SimTime now) const {
  if (rates_.wait_for_setup && !set_up_) return false;
  if (now >= quiet_from_ && now < quiet_until_) return false;
  return now >= rates_.from && now < rates_.until;
}

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

void Planner::booted(NodeId node, Incarnation incarnation, SimTime now) {
  recorder_.booted(room_->node(node).name(), now);
  if (!std::exchange(partitions_started_, true) && rates_.partition.mean_gap) {
    schedule_partition(1, std::max(now, rates_.from));
  }
  if (!hurts(node)) return;
  const SimTime after = std::max(now, rates_.from);
  if (rates_.power.mean_gap) schedule_arrival(FaultKind::kPower, node, incarnation, 1, after);
  if (rates_.kill.mean_gap) schedule_arrival(FaultKind::kKill, node, incarnation, 1, after);
}

void Planner::schedule_arrival(FaultKind kind, NodeId node, Incarnation incarnation,
                               std::uint64_t k, SimTime after) {
  const Duration mean = kind == FaultKind::kPower ? *rates_.power.mean_gap : *rates_.kill.mean_gap;
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
  if (!armed_.contains(node) && dice(handle, kUseAim).hit(kAims)) return arm(node, handle, kind);
  room_->strike_now(node, Strike{handle, kind, Phase::kBefore});
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
  for (const FaultKind kind : {FaultKind::kPower, FaultKind::kKill}) {
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

void Planner::setup_complete(SimTime) { set_up_ = true; }

void Planner::quiet(SimTime from, SimTime until) {
  if (from > quiet_until_) quiet_from_ = from;   // else it prolongs the present window
  quiet_until_ = std::max(quiet_until_, until);
  for (auto& [node, armed] : std::exchange(armed_, {})) room_->queue().cancel(armed.deadline);
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
  if (next_partition_.k != 0) {
    room_->queue().cancel(next_partition_.event);
    schedule_partition(next_partition_.k, std::max(now, rates_.from));
  }
}

// ---- strikes at operations

std::optional<Strike> Planner::at_disk_op(const DiskOpContext& context) {
  if (!hurts(context.node) || !may_strike(context.time)) return {};
  if (const auto strike = armed_strike(context)) return strike;
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

// ---- partitions

void Planner::schedule_partition(std::uint64_t k, SimTime after) {
  const Entity entity = Entity::of(static_cast<std::uint64_t>(FaultKind::kPartition));
  const std::uint64_t word = room_->choices().word(Purpose::kArrival, entity, k);
  const SimTime time = after + Duration(exponential(word, rates_.partition.mean_gap->ns()) + 1);
  next_partition_ = Arrival{FaultKind::kPartition, 0, k, 0};
  if (time >= rates_.until) return;
  const auto event = room_->schedule_fault(time, kernel::Concern::kRoomWide, kernel::kTheRoom,
                                           entity, [this, k] { start_partition(k); });
  next_partition_ = Arrival{FaultKind::kPartition, 0, k, event};
}

// Which side each node is on: one node alone (the shape behind most of the partition failures that
// Alquraan et al. studied, OSDI 2018), or a cut in two halves.
std::vector<bool> Planner::draw_sides(Dice dice) const {
  const std::size_t count = room_->node_count();
  std::vector<bool> sides(count, false);
  if (count == 2 || dice.hit(Odds::ratio(1, 2))) {
    sides[dice.below(count)] = true;
    return sides;
  }
  for (std::size_t i = 0; i < count; ++i) sides[i] = dice.hit(Odds::ratio(1, 2));
  const bool one_sided = std::all_of(sides.begin(), sides.end(),
                                     [&sides](bool side) { return side == sides[0]; });
  if (one_sided) sides[dice.below(count)] = !sides[0];
  return sides;
}

void Planner::start_partition(std::uint64_t k) {
  schedule_partition(k + 1, room_->now());
  const std::string id = fmt::format("partition/room/0#t{}", k);
  if (!may_strike(room_->now()) || disabled_.contains(id) || room_->node_count() < 2) return;
  const Entity entity{hash64(id)};
  const auto sides =
      draw_sides(room_->choices().dice(Purpose::kFaultParameter, entity, kUseShape));
  // Log-uniform from 10 ms to 10 s: as many short cuts as long ones.
  const std::int64_t exponent_q16 = room_->choices()
                                        .dice(Purpose::kFaultParameter, entity, kUseLength)
                                        .between(0, 452'713);   // ln 1000 in 16.16
  Partition partition;
  partition.fault.id = id;
  partition.fault.kind = FaultKind::kPartition;
  partition.fault.time = room_->now();
  partition.fault.length = Duration(scale_by_exp(milliseconds(10).ns(), exponent_q16));
  std::vector<std::string> names[2];
  for (std::size_t a = 0; a < sides.size(); ++a) {
    names[sides[a] ? 0 : 1].push_back(room_->node_at(a).name());
    for (std::size_t b = 0; b < sides.size(); ++b) {
      if (sides[a] == sides[b]) continue;
      partition.links.emplace_back(room_->node_at(a).id(), room_->node_at(b).id());
      partition.fault.links.emplace_back(room_->node_at(a).name(), room_->node_at(b).name());
    }
  }
  partition.fault.target = fmt::format("{}|{}", join(names[0], ","), join(names[1], ","));
  room_->partition(partition.links, "partition " + partition.fault.target);
  recorder_.partitioned(partition.fault);
  const std::size_t index = partitions_.size();
  partition.heal_event = room_->schedule_fault(
      room_->now() + partition.fault.length, kernel::Concern::kRoomWide, kernel::kTheRoom, entity,
      [this, index] { heal(index); });
  partitions_.push_back(std::move(partition));
}

void Planner::heal(std::size_t index) {
  partitions_[index].heal_event = 0;
  room_->heal(partitions_[index].links, "heal " + partitions_[index].fault.target);
}

}  // namespace sf::fault
