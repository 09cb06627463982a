// The folders that a program of `seedfall exec` finds on its disk.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "world/config.h"

namespace sf::front {

struct ExecFolders {
  std::vector<world::HostFolder> folders;
  std::string working_directory;    // PWD of the program
};

// From "HOST" or "HOST::GUEST". kUsage for a HOST that is no folder, a GUEST that is not absolute
// or has a "..", and one GUEST twice.
Result<std::vector<world::HostFolder>> given_folders(const std::vector<std::string>& texts);

// `given` are "HOST" or "HOST::GUEST". Without GUEST a folder stands where it stands on the host.
// Unless `bare`, these too, each at its own path: the root of the repository (.git), Go workspace
// or module around the working directory, the outermost of them; GOROOT; the temporary folder.
Result<ExecFolders> exec_folders(const std::vector<std::string>& given, bool bare);

}  // namespace sf::front
