// Do the packages, files and folders that a config names exist?
#pragma once

#include "base/result.h"
#include "world/config.h"

namespace sf::world {

// Requires `directory`. The first node (in file order) that names something missing is an error
// with what is there instead.
Result<void> check_sources(const WorldConfig& config);

// A path of the config made absolute ("/srv/kvlog/server" for "./server").
std::string resolve(const WorldConfig& config, const std::string& path);

}  // namespace sf::world
