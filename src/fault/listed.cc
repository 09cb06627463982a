#include "fault/listed.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "kernel/room.h"

namespace sf::fault {

namespace {

// How long an aimed fault looks for its operation; as long as the planner's armed crashes do.
constexpr Duration kNearestWindow = milliseconds(50);

// Whether an operation can meet such an error; a list written by hand may ask for anything.
bool fits(FaultKind kind, kernel::DiskOp op) {
  using kernel::DiskOp;
  switch (kind) {
    case FaultKind::kSyncError: return op == DiskOp::kSync || op == DiskOp::kWrite;
    case FaultKind::kReadError: return op == DiskOp::kRead;
    default: return op == DiskOp::kWrite;
  }
}

}  // namespace

using kernel::FaultHandle;
using kernel::Strike;

ListedFaults::ListedFaults(std::vector<Fault> faults) : faults_(std::move(faults)) {
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    if (!fault.operation) continue;
    if (fault.aim == Aim::kNearest) {
      hunting_[{manner_of(fault.kind), fault.target}].push_back(i);
    } else {
      at_operations_[{manner_of(fault.kind), fault.target, fault.incarnation,
                      fault.operation->ordinal}] = i + 1;
    }
  }
}

void ListedFaults::attach(kernel::Room& room) {
  room_ = &room;
  windows_.attach(room);
}

void ListedFaults::booted(NodeId node, kernel::Incarnation incarnation, SimTime now) {
  recorder_.booted(room_->node(node).name(), now);
  if (!std::exchange(scheduled_, true)) schedule_by_time();
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    if (manner_of(fault.kind) != Manner::kCrash || fault.time < now) continue;
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
                          auto& waiting = hunting_[{Manner::kCrash, late.target}];
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

FaultHandle ListedFaults::due(Manner manner, const kernel::DiskOpContext& context) {
  const std::string& name = room_->node(context.node).name();
  if (const auto hunting = hunting_.find({manner, name}); hunting != hunting_.end()) {
    auto& waiting = hunting->second;
    const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](std::size_t i) {
      return is_moment_for(faults_[i], context);
    });
    if (ready != waiting.end() && faults_[*ready].skip > 0) {
      --faults_[*ready].skip;
    } else if (ready != waiting.end()) {
      const std::size_t index = *ready;
      waiting.erase(ready);
      return index + 1;
    }
  }
  const auto found =
      at_operations_.find({manner, name, context.incarnation, context.ordinal});
  return found == at_operations_.end() ? 0 : found->second;
}

std::optional<Strike> ListedFaults::at_disk_op(const kernel::DiskOpContext& context) {
  const FaultHandle fault = due(Manner::kCrash, context);
  if (fault == 0) return {};
  return Strike{fault, get(fault).kind, get(fault).operation->phase};
}

std::optional<kernel::IoFault> ListedFaults::io_fault(const kernel::IoRequest& request) {
  const FaultHandle handle = due(Manner::kIoError, request.operation);
  if (handle == 0) return {};
  const Fault& fault = get(handle);
  // Aimed anew, it may have met an operation that is too short for it.
  if (fault.kind == FaultKind::kShortWrite && fault.bytes >= request.bytes) return {};
  if (!fits(fault.kind, request.operation.op)) return {};
  kernel::IoFault out{handle, fault.kind, {fault.bad_page, fault.bad_pages, kernel::Errno::kIo},
                      fault.bytes};
  if (fault.aim == Aim::kNearest) out.writeback.pages.clear();   // other pages are dirty here
  return out;
}

void ListedFaults::io_failed(FaultHandle fault, const kernel::IoReport& report) {
  recorder_.io_failed(get(fault), report);
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

void ListedFaults::schedule_by_time() {
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    const Manner manner = manner_of(fault.kind);
    if (manner == Manner::kCrash || manner == Manner::kIoError) continue;
    const bool room_wide = manner == Manner::kPartition;
    const auto node = room_wide ? std::optional(kernel::kTheRoom) : room_->find_node(fault.target);
    if (!node) continue;   // a capsule of another world: the loader warns about it
    room_->schedule_fault(
        fault.time, room_wide ? kernel::Concern::kRoomWide : kernel::Concern::kNode, *node,
        kernel::Entity{hash64(fault.id)}, [this, i, node = *node] { start(i, node); });
  }
}

void ListedFaults::start(std::size_t index, NodeId node) {
  const Fault& fault = faults_[index];
  switch (manner_of(fault.kind)) {
    case Manner::kPartition: return start_partition(index);
    case Manner::kWindow: return windows_.open(fault, node);
    case Manner::kMoment: return windows_.act(fault, node);
    default: SF_CHECK(false);
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
  recorder_.add(fault);
  heals_[index] = room_->schedule_fault(
      room_->now() + fault.length, kernel::Concern::kRoomWide, kernel::kTheRoom,
      kernel::Entity{hash64(fault.id)}, [this, index] { heal(index); });
}

void ListedFaults::heal(std::size_t index) {
  heals_.erase(index);
  room_->heal(links_of(*room_, faults_[index]), "heal " + faults_[index].target);
}

void ListedFaults::quiet(SimTime, SimTime) {
  windows_.close_all();
  const std::map<std::size_t, kernel::EventId> open = heals_;
  for (const auto& [index, event] : open) {
    room_->queue().cancel(event);
    heal(index);
  }
}

}  // namespace sf::fault
