// The faults of a config in words: what is on, and whether a sweep met it.
#pragma once

#include <string>
#include <vector>

#include "world/config.h"

namespace sf::front {

struct FaultWords {
  std::string how_often;     // "crash (power) 0.5/s"
  const char* evidence;      // key of the sweep's counts: how often it happened
  const char* one;           // "a crash (power)"
  const char* many;          // "crashes (power)"
};

// Those that the config turns on, in the order of the table of keys.
std::vector<FaultWords> faults_in_words(const world::FaultConfig& faults);

}  // namespace sf::front
