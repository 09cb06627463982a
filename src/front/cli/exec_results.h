// What `seedfall exec` leaves on the host after a run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/disk/volume.h"

namespace sf::front {

// With a folder `out`, saves all that the program made or changed and says so on stderr. In any
// case the files that a Go test binary was asked for by its flags (-test.coverprofile and its like)
// are written where the flags say: the go command waits for them.
Result<void> keep_results(const std::vector<std::string>& command, kernel::disk::Volume& volume,
                          const std::string& out);

}  // namespace sf::front
