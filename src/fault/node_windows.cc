#include "fault/node_windows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "kernel/room.h"

namespace sf::fault {

void NodeWindows::open(Fault fault, NodeId node) {
  SF_CHECK(manner_of(fault.kind) == Manner::kWindow && fault.length > Duration(0));
  const Key key{node, fault.kind};
  const SimTime now = room_->now();
  fault.time = now;
  SimTime until = now + fault.length;
  if (const auto open = open_.find(key); open != open_.end()) {
    room_->queue().cancel(open->second.event);
    until = std::max(until, open->second.until);
  }
  const auto event = room_->schedule_fault(until, kernel::Concern::kNode, node,
                                           kernel::Entity{hash64(fault.id)},
                                           [this, key] { close(key); });
  open_[key] = Open{until, event};
  set(key, &fault, describe(fault));
  recorder_.add(std::move(fault));
}

// `fault` of a window that opens; null when it closes.
void NodeWindows::set(const Key& key, const Fault* fault, const std::string& words) {
  const auto [node, kind] = key;
  kernel::Conditions conditions = room_->node(node).conditions();
  switch (kind) {
    case FaultKind::kDiskFull: conditions.disk_full = fault != nullptr; break;
    case FaultKind::kNoDescriptors: conditions.no_descriptors = fault != nullptr; break;
    case FaultKind::kDiskStall:
      conditions.slow_until = fault != nullptr ? open_.at(key).until : SimTime::zero();
      conditions.slowdown = fault != nullptr ? fault->slowdown : 0;
      break;
    default: SF_CHECK(false);
  }
  room_->set_conditions(node, kind, conditions, words);
}

void NodeWindows::close(const Key& key) {
  open_.erase(key);
  set(key, nullptr, fmt::format("end of {}", kind_title(key.second)));
}

void NodeWindows::close_all() {
  while (!open_.empty()) {
    const Key key = open_.begin()->first;
    room_->queue().cancel(open_.begin()->second.event);
    close(key);
  }
}

void NodeWindows::act(Fault fault, NodeId node) {
  SF_CHECK(manner_of(fault.kind) == Manner::kMoment);
  fault.time = room_->now();
  fault.effect = fault.kind == FaultKind::kEvict ? room_->evict(node)
                                                 : room_->rot(node, kernel::Dice(fault.draw));
  recorder_.add(std::move(fault));
}

}  // namespace sf::fault
