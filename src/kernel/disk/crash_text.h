// What a power loss lost, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/disk/log.h"
#include "kernel/disk/survivors.h"
#include "kernel/disk/tree.h"

namespace sf::kernel::disk {

// A survivor set as it fits the pending operations.
struct Loss {
  struct Torn {
    std::uint64_t operation = 0;
    std::uint32_t bytes = 0;       // of a prefix; else the sectors
    std::uint32_t sectors = 0;
    Tree::Growth growth = Tree::Growth::kStays;
  };
  Survivors applied;
  std::vector<bool> lost;          // per pending operation
  std::vector<Torn> torn;
};

std::string describe_loss(const Loss& loss, const std::vector<PendingOp>& order, const Tree& tree);

// "fsync of directory /data after rename", "fsync of /data/log after the write": the barrier that
// would have made the operation durable.
std::string barrier_for(const PendingOp& op, const Tree& tree, ProfileRules::SyncNames rule);

}  // namespace sf::kernel::disk
