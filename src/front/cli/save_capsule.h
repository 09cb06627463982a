// Writing capsules beside their config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fault/preemptions.h"
#include "fault/schedule.h"
#include "world/world.h"

namespace sf::front {

// Of one run: what replays it, and what it found.
struct CapsuleContent {
  std::uint64_t seed = 0;
  std::vector<fault::Fault> faults;
  std::optional<std::vector<fault::Preemption>> preemptions;   // nothing: as the config draws them
  std::string fingerprint;
  std::string message;
  std::uint64_t hash = 0;
};

// Writes .seedfall/WORLD-RUN.capsule.json (search/capsule.h); gives its path as it is shown:
// relative to the current folder when it lies below it, which is the same on every machine.
Result<std::string> save_capsule(const world::World& world, const std::string& run,
                                 const CapsuleContent& content);

}  // namespace sf::front
