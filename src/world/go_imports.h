// Who imports whom in one Go program, when it is built for wasip1.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::world {

struct ImportGraph {
  std::string root;                                         // import path of the program
  std::map<std::string, std::vector<std::string>> imports;  // of each package, as go lists them
  std::set<std::string> own;                                // packages of the user's own modules
};

// `package` as in a config, seen from `directory`. Works for programs that do not build.
Result<ImportGraph> read_imports(const std::string& directory, const std::string& package);

// From the root to `target`, both included; empty when it is not imported.
std::vector<std::string> shortest_chain(const ImportGraph& graph, const std::string& target);

}  // namespace sf::world
