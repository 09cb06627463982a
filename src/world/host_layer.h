// Folders of the host as the layer beneath a simulated disk. Nothing of theirs is ever written.
//
// Links are shown as they are and followed inside the simulation only; what is neither file, folder
// nor link is not shown. Times and permissions of the host are not: a file that we may not read
// gives EACCES when it is read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/host/folder.h"
#include "base/result.h"
#include "kernel/disk/lower_layer.h"
#include "kernel/disk/volume.h"
#include "world/config.h"

namespace sf::world {

class HostLayer final : public kernel::disk::LowerLayer {
 public:
  kernel::disk::LowerId add(std::string path);
  const std::string& path(kernel::disk::LowerId id) const { return paths_[id - 1]; }

  kernel::Outcome<std::vector<kernel::disk::LowerEntry>> list(
      kernel::disk::LowerId directory) override;
  kernel::Errno read(kernel::disk::LowerId file, std::uint64_t offset,
                     std::span<std::byte> into) override;

 private:
  std::vector<std::string> paths_;   // by id, from 1
  std::map<kernel::disk::LowerId, std::vector<kernel::disk::LowerEntry>> lists_;
  host::FileReader reader_;
};

// Shows the folders at their places; folders on the way there are made and durable. A folder that
// lies inside another one is shown above it.
Result<void> show_folders(const std::vector<HostFolder>& folders, kernel::disk::Volume& volume);

struct SavedChanges {
  std::uint64_t saved = 0;              // files and links that were made or changed
  std::vector<std::string> removed;     // names that lie beneath and are gone, sorted
};
// Writes what differs from the folders beneath to `target`, a folder that must be empty or absent,
// each under its path in the simulation.
Result<SavedChanges> save_changes(kernel::disk::Volume& volume, const std::string& target);

}  // namespace sf::world
