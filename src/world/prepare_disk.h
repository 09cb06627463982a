// What is on the disk of a node before its first boot.
#pragma once

#include <string>

#include "base/result.h"
#include "kernel/disk/volume.h"

namespace sf::world {

// When `host_folder` is not empty, copies that folder's content to the root: regular files and
// folders, in name order; anything else is an error that names it. Then makes what is missing of
// /tmp, /etc/hosts (with localhost) and the devices null, zero, random and urandom in /dev. All of
// it is durable afterwards, with the time stamps of the start of the run. `place` is for errors.
Result<void> prepare_disk(const std::string& host_folder, const std::string& place,
                          kernel::disk::Volume& volume);

// Makes everything durable that is pending: so it was before the first boot.
void settle(kernel::disk::Volume& volume);

}  // namespace sf::world
