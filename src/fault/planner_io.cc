// The planner's errors of single operations: odds per read, write and fsync.
#include <algorithm>
#include <utility>

#include "fault/planner.h"
#include "fault/planner_draws.h"
#include "kernel/room.h"

namespace sf::fault {

using kernel::Dice;
using kernel::DiskOp;
using kernel::Entity;
using kernel::FaultHandle;
using kernel::IoFault;
using kernel::IoRequest;
using kernel::Purpose;

namespace {

// One bad block in five stays bad, the others fail once (the failure grammar of CuttleFS, Rebello
// et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020; the share is ours).
constexpr Odds kStaysBad = Odds::ratio(1, 5);
// Mostly one bad block; else the whole device fails for a moment.
constexpr Odds kAllPagesFail = Odds::ratio(1, 4);
// A kernel also writes back by itself, mostly long after a write: then the next fsync reports what
// went wrong although it writes nothing. Per write, this share of the odds of an fsync.
constexpr std::uint64_t kBackgroundShare = 8;

}  // namespace

std::optional<IoFault> Planner::io_fault(const IoRequest& request) {
  const kernel::DiskOpContext& operation = request.operation;
  if (!hurts(operation.node) || !may_strike(operation.time)) return {};
  switch (operation.op) {
    case DiskOp::kRead: return drawn_io_fault(request, FaultKind::kReadError, rates_.read_error);
    case DiskOp::kSync: return drawn_io_fault(request, FaultKind::kSyncError, rates_.sync_error);
    case DiskOp::kWrite: break;
    default: return {};
  }
  if (auto fault = drawn_io_fault(request, FaultKind::kWriteError, rates_.write_error)) {
    return fault;
  }
  if (auto fault = drawn_io_fault(request, FaultKind::kShortWrite, rates_.short_write)) {
    return fault;
  }
  return drawn_io_fault(request, FaultKind::kSyncError,
                        rates_.sync_error.divided_by(kBackgroundShare));
}

std::optional<IoFault> Planner::drawn_io_fault(const IoRequest& request, FaultKind kind,
                                               Odds odds) {
  if (odds.is_never()) return {};
  const kernel::DiskOpContext& operation = request.operation;
  const Entity entity = Entity::of(static_cast<std::uint64_t>(kind), index_of(operation.node),
                                   operation.incarnation);
  Dice dice = room_->choices().dice(Purpose::kPerOperation, entity, operation.ordinal);
  if (!dice.hit(odds)) return {};
  const std::string& name = room_->node(operation.node).name();
  if (disabled_.contains(identity(kind, name, operation.incarnation, "op", operation.ordinal))) {
    return {};
  }
  if (kind == FaultKind::kShortWrite && request.bytes < 2) return {};
  const FaultHandle handle =
      make(kind, operation.node, operation.incarnation, "op", operation.ordinal);
  Fault& fault = handles_[handle - 1];
  if (kind == FaultKind::kSyncError && !fill_sync_error(handle, request)) return {};
  if (kind == FaultKind::kShortWrite) {
    fault.bytes = 1 + this->dice(handle, kUseBytes).below(request.bytes - 1);
  }
  return IoFault{handle, kind, {fault.bad_page, fault.bad_pages, kernel::Errno::kIo}, fault.bytes};
}

// Which pages fail. False when there is nothing to write, so that nothing can fail.
bool Planner::fill_sync_error(FaultHandle handle, const IoRequest& request) {
  const NodeId node = request.operation.node;
  std::vector<std::uint64_t> dirty = room_->node(node).volume().dirty_pages(request.ino);
  if (request.operation.op == DiskOp::kWrite) dirty.clear();   // all that are dirty afterwards
  if (dirty.empty() && request.operation.op == DiskOp::kSync) return false;
  Dice draws = dice(handle, kUseBadPages);
  Fault& fault = handles_[handle - 1];
  if (draws.hit(kStaysBad)) fault.bad_page = kernel::disk::BadPage::kSticky;
  if (!dirty.empty() && !draws.hit(kAllPagesFail)) dirty = {dirty[draws.below(dirty.size())]};
  fault.bad_pages = std::move(dirty);
  return true;
}

void Planner::io_failed(FaultHandle fault, const kernel::IoReport& report) {
  recorder_.io_failed(handles_[fault - 1], report);
}

}  // namespace sf::fault
