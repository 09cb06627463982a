// Path resolution over a Volume: what Linux's path_resolution(7) describes, inside one root.
#pragma once

#include <string_view>

#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

enum class FinalSymlink : std::uint8_t { kFollow, kKeep };

// Where a path leads. `ino` is 0 when the last component does not exist (but its directory does).
struct Resolved {
  Ino directory = 0;          // holding the last component
  std::string name;           // of the last component; "." for the start itself
  Ino ino = 0;
  bool must_be_directory = false;   // the path ended in '/'
};

// Resolves `path` from `start`; ".." never leaves the volume's root, an absolute path or symlink
// starts at the root. ENOENT for a missing intermediate component or an empty path, ENOTDIR, ELOOP,
// ENAMETOOLONG.
Outcome<Resolved> resolve_path(const Volume& volume, Ino start, std::string_view path,
                               FinalSymlink final_symlink);

}  // namespace sf::kernel::disk
