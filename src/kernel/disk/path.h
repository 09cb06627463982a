// Path resolution over a Volume: what Linux's path_resolution(7) describes, inside one root.
#pragma once

#include <string_view>

#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

inline bool is_dot_or_dots(std::string_view name) { return name == "." || name == ".."; }

// What happens to a symbolic link as the last component: stat(2) follows it, lstat(2) keeps it but
// for a path that ends in '/', and what makes or removes a name means the name itself. kParent, for
// rename(2): nobody looks at the last component (`ino` is 0), only at the directory that holds it.
// kMake and kMakeKeep are kFollow and kKeep of open(2) with O_CREAT, which looks at no last
// component that ends in '/', be it that of a link: it could only be a directory.
enum class FinalSymlink : std::uint8_t { kFollow, kKeep, kName, kParent, kMake, kMakeKeep };

// Where a path leads. `ino` is 0 when the last component does not exist (but its directory does),
// or was not looked at.
struct Resolved {
  Ino directory = 0;          // holding the last component
  std::string name;           // of the last component; "." for the start itself
  Ino ino = 0;
  bool must_be_directory = false;   // the path ended in '/'; not checked but for kFollow, kKeep
};

// Resolves `path` from `start`; ".." never leaves the volume's root, an absolute path or symlink
// starts at the root. ENOENT for a missing intermediate component or an empty path, ENOTDIR, ELOOP,
// ENAMETOOLONG. Links can make a walk of tens of thousands of steps out of a short path: when
// `steps` is given, the components that were looked up are added to it, also on errors.
Outcome<Resolved> resolve_path(const Volume& volume, Ino start, std::string_view path,
                               FinalSymlink final_symlink, std::uint32_t* steps = nullptr);

}  // namespace sf::kernel::disk
