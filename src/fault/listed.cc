#include "fault/listed.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "kernel/room.h"

namespace sf::fault {

namespace {

// How long an aimed fault looks for its operation; as long as the planner's armed crashes do.
constexpr Duration kNearestWindow = milliseconds(50);

}  // namespace

using kernel::FaultHandle;
using kernel::Strike;

ListedFaults::ListedFaults(std::vector<Fault> faults) : faults_(std::move(faults)) {
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    if (!fault.operation) continue;
    if (fault.aim == Aim::kNearest) {
      hunting_[fault.target].push_back(i);
    } else {
      at_operations_[{{fault.target, fault.incarnation}, fault.operation->ordinal}] = i + 1;
    }
  }
}

void ListedFaults::booted(NodeId node, kernel::Incarnation incarnation, SimTime now) {
  recorder_.booted(room_->node(node).name(), now);
  if (!std::exchange(partitions_scheduled_, true)) schedule_partitions();
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    if (fault.kind == FaultKind::kPartition || fault.time < now) continue;
    if (fault.target != room_->node(node).name()) continue;
    if (fault.aim == Aim::kNearest) {
      if (incarnation == 1) schedule_nearest(i, node);
    } else if (!fault.operation && fault.incarnation == incarnation) {
      schedule_at_time(i, node);
    }
  }
}

void ListedFaults::schedule_at_time(std::size_t index, NodeId node) {
  room_->schedule_fault(faults_[index].time, kernel::Concern::kNode, node,
                        kernel::Entity{hash64(faults_[index].id)}, [this, node, index] {
                          const Fault& fault = faults_[index];
                          const bool exact = fault.aim == Aim::kExact;
                          if (exact && room_->node(node).incarnation() != fault.incarnation) return;
                          room_->strike_now(node,
                                            Strike{index + 1, fault.kind, kernel::Phase::kBefore});
                        });
}

// A fault that looks for an operation strikes without one when none has come.
void ListedFaults::schedule_nearest(std::size_t index, NodeId node) {
  const Fault& fault = faults_[index];
  const Duration window = fault.operation ? kNearestWindow : Duration(0);
  room_->schedule_fault(fault.time + window, kernel::Concern::kNode, node,
                        kernel::Entity{hash64(fault.id)}, [this, node, index] {
                          const Fault& late = faults_[index];
                          auto& waiting = hunting_[late.target];
                          if (late.operation && std::erase(waiting, index) == 0) return;
                          room_->strike_now(node,
                                            Strike{index + 1, late.kind, kernel::Phase::kBefore});
                        });
}

bool ListedFaults::is_moment_for(const Fault& fault, const kernel::DiskOpContext& context) const {
  if (context.time < fault.time || context.op != fault.operation->op) return false;
  // One write adds a data and a size operation; after a while any moment will do.
  constexpr std::uint64_t kAddedByOne = 2;
  if (!fault.survivors || context.time > fault.time + kNearestWindow / 2) return true;
  const std::size_t pending = room_->node(context.node).volume().pending_operations();
  return pending + kAddedByOne >= fault.survivors->pending;
}

std::optional<Strike> ListedFaults::at_disk_op(const kernel::DiskOpContext& context) {
  const std::string& name = room_->node(context.node).name();
  if (const auto hunting = hunting_.find(name); hunting != hunting_.end()) {
    auto& waiting = hunting->second;
    const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](std::size_t i) {
      return is_moment_for(faults_[i], context);
    });
    if (ready != waiting.end() && faults_[*ready].skip > 0) {
      --faults_[*ready].skip;
    } else if (ready != waiting.end()) {
      const std::size_t index = *ready;
      waiting.erase(ready);
      return Strike{index + 1, faults_[index].kind, faults_[index].operation->phase};
    }
  }
  const auto found = at_operations_.find({{name, context.incarnation}, context.ordinal});
  if (found == at_operations_.end()) return {};
  const Fault& fault = get(found->second);
  return Strike{found->second, fault.kind, fault.operation->phase};
}

kernel::disk::Survivors ListedFaults::survivors(FaultHandle fault,
                                                const kernel::disk::Volume& volume,
                                                kernel::disk::InFlight) {
  // Without a recorded set (a hand-written capsule) nothing pending survives.
  kernel::disk::Survivors nothing;
  nothing.pending = std::max<std::uint64_t>(1, volume.pending_operations());
  return get(fault).survivors.value_or(nothing);
}

std::optional<std::uint32_t> ListedFaults::pages_kept(FaultHandle fault, std::uint32_t pages) {
  const auto& kept = get(fault).pages_kept;
  if (!kept || *kept > pages) return {};
  return kept;
}

Duration ListedFaults::inside_sync(FaultHandle fault, Duration length) {
  return std::min(get(fault).inside_sync.value_or(length), length);
}

Duration ListedFaults::restart_delay(FaultHandle fault) { return get(fault).restart_after; }

void ListedFaults::crashed(FaultHandle fault, const kernel::CrashReport& report) {
  recorder_.crashed(get(fault), report);
}

void ListedFaults::schedule_partitions() {
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (faults_[i].kind != FaultKind::kPartition) continue;
    room_->schedule_fault(faults_[i].time, kernel::Concern::kRoomWide, kernel::kTheRoom,
                          kernel::Entity{hash64(faults_[i].id)}, [this, i] { start_partition(i); });
  }
}

namespace {

std::vector<std::pair<NodeId, NodeId>> links_of(kernel::Room& room, const Fault& fault) {
  std::vector<std::pair<NodeId, NodeId>> links;
  for (const auto& [from, to] : fault.links) {
    const auto a = room.find_node(from);
    const auto b = room.find_node(to);
    if (a && b) links.emplace_back(*a, *b);
  }
  return links;
}

}  // namespace

void ListedFaults::start_partition(std::size_t index) {
  const Fault& fault = faults_[index];
  room_->partition(links_of(*room_, fault), "partition " + fault.target);
  recorder_.partitioned(fault);
  heals_[index] = room_->schedule_fault(
      room_->now() + fault.length, kernel::Concern::kRoomWide, kernel::kTheRoom,
      kernel::Entity{hash64(fault.id)}, [this, index] { heal(index); });
}

void ListedFaults::heal(std::size_t index) {
  heals_.erase(index);
  room_->heal(links_of(*room_, faults_[index]), "heal " + faults_[index].target);
}

void ListedFaults::quiet(SimTime, SimTime) {
  const std::map<std::size_t, kernel::EventId> open = heals_;
  for (const auto& [index, event] : open) {
    room_->queue().cancel(event);
    heal(index);
  }
}

}  // namespace sf::fault
