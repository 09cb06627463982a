// Becoming another program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sf::host {

// execvp(3) with these variables set besides ours; [0] is looked up in PATH. Returns only an error.
Error replace_process(const std::vector<std::string>& arguments,
                      const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace sf::host
