// The planner's partitions: who is cut off from whom, and for how long.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "fault/planner.h"
#include "fault/planner_draws.h"
#include "kernel/room.h"

namespace sf::fault {

using kernel::Dice;
using kernel::Entity;
using kernel::Purpose;

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
  schedule_in_room(partition_stream_, k + 1, room_->now());
  const std::string id = fmt::format("partition/room/0#t{}", k);
  if (!may_strike(room_->now()) || disabled_.contains(id) || room_->node_count() < 2) return;
  const Entity entity{hash64(id)};
  const auto sides =
      draw_sides(room_->choices().dice(Purpose::kFaultParameter, entity, kUseShape));
  Partition partition;
  partition.fault.id = id;
  partition.fault.kind = FaultKind::kPartition;
  partition.fault.time = room_->now();
  partition.fault.length =
      window_length(room_->choices().dice(Purpose::kFaultParameter, entity, kUseLength));
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
  recorder_.add(partition.fault);
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
