// Copies a host folder onto the empty disk of a node, before its first boot.
#pragma once

#include <string>

#include "base/result.h"
#include "kernel/disk/volume.h"

namespace sf::world {

// Regular files and folders, in name order; anything else is an error that names it. All of it is
// durable afterwards, with the time stamps of the start of the run.
Result<void> copy_folder(const std::string& host_folder, const std::string& place,
                         kernel::disk::Volume& volume);

}  // namespace sf::world
