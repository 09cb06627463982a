// Folders of the host as the layer beneath a simulated disk. Nothing of theirs is ever written.
//
// Links are shown as they are and followed inside the simulation only; what is neither file, folder
// nor link is not shown. Times and permissions of the host are not, but that a file which we may
// not read gives EACCES when it is opened for reading.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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
  void hide(std::string path) { hidden_.insert(std::move(path)); }
  const std::string& path(kernel::disk::LowerId id) const { return paths_[id - 1]; }

  kernel::Outcome<std::vector<kernel::disk::LowerEntry>> list(
      kernel::disk::LowerId directory) override;
  kernel::Outcome<std::optional<kernel::disk::LowerEntry>> find(kernel::disk::LowerId directory,
                                                                std::string_view name) override;
  kernel::Errno may_read(kernel::disk::LowerId file) override;
  kernel::Errno read(kernel::disk::LowerId file, std::uint64_t offset,
                     std::span<std::byte> into) override;

 private:
  std::string path_in(kernel::disk::LowerId directory, std::string_view name) const;
  std::optional<kernel::disk::LowerEntry> shown(kernel::disk::LowerId directory,
                                                host::FolderEntry entry);

  std::vector<std::string> paths_;   // by id, from 1
  std::set<std::string> hidden_;
  // What was found by name; a list that comes later has it under the same id.
  std::map<std::pair<kernel::disk::LowerId, std::string>, kernel::disk::LowerEntry, std::less<>>
      found_;
  std::map<kernel::disk::LowerId, std::vector<kernel::disk::LowerEntry>> lists_;
  host::FileReader reader_;
};

// Shows the folders at their places; folders on the way there are made and durable. A folder that
// lies inside another one is shown above it. Of the outer one only the names on the way are asked.
Result<void> show_folders(const std::vector<HostFolder>& folders, kernel::disk::Volume& volume);

struct SavedChanges {
  std::uint64_t saved = 0;              // files and links that were made or changed
  // Names that lie beneath and are gone, or stand for another kind of thing now; sorted. A folder
  // stands for all that it held. Removing these from the folders beneath and copying the saved ones
  // over them makes what the program saw at its end.
  std::vector<std::string> removed;
};
// Whether save_changes() will be able to write to `target`, asked before the run; makes it. It may
// not lie inside a folder that the user asked to show (one with a `place`), and is hidden in the
// others: what is saved there must not be met on the way and saved again.
Result<void> prepare_save_target(const std::string& target, std::vector<HostFolder>& folders);
// Writes what differs from the folders beneath to `target`, a folder that must be empty or absent,
// each under its path in the simulation.
Result<SavedChanges> save_changes(kernel::disk::Volume& volume, const std::string& target);

}  // namespace sf::world
