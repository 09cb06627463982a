// The environment of a program of `seedfall exec`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sf::front {

using Environment = std::vector<std::pair<std::string, std::string>>;

// `given` are "K=V", or "K" for the value that it has here (left out where it has none). Of two
// entries with one name the later one holds.
Result<Environment> exec_environment(const std::vector<std::string>& given);

}  // namespace sf::front
