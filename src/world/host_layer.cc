#include "world/host_layer.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/host/file.h"
#include "kernel/disk/path.h"
#include "world/prepare_disk.h"

namespace sf::world {

using kernel::Errno;
using kernel::disk::Ino;
using kernel::disk::LowerEntry;
using kernel::disk::LowerId;
using kernel::disk::NodeType;
using kernel::disk::Volume;

namespace {

// Only what says something to a program; all else is a device that does not answer.
Errno errno_of_host(int error) {
  switch (error) {
    case 0: return Errno::kOk;
    case EACCES:
    case EPERM: return Errno::kAcces;
    case EMFILE:
    case ENFILE: return Errno::kNFile;
    default: return Errno::kIo;
  }
}

}  // namespace

LowerId HostLayer::add(std::string path) {
  paths_.push_back(std::move(path));
  return paths_.size();
}

kernel::Outcome<std::vector<LowerEntry>> HostLayer::list(LowerId directory) {
  if (const auto known = lists_.find(directory); known != lists_.end()) return known->second;
  const std::string folder = path(directory);   // a copy: paths_ grows below
  std::vector<host::FolderEntry> found;
  const Errno error = errno_of_host(host::list_folder(folder, found));
  if (error != Errno::kOk) return kernel::fail(error);
  std::vector<LowerEntry> entries;
  for (host::FolderEntry& entry : found) {
    if (entry.kind == host::EntryKind::kOther) continue;
    LowerEntry out;
    out.type = entry.kind == host::EntryKind::kFile        ? NodeType::kFile
               : entry.kind == host::EntryKind::kDirectory ? NodeType::kDirectory
                                                           : NodeType::kSymlink;
    out.id = add((folder == "/" ? "" : folder) + "/" + entry.name);
    out.size = entry.size;
    out.target = std::move(entry.target);
    out.name = std::move(entry.name);
    entries.push_back(std::move(out));
  }
  return lists_[directory] = std::move(entries);
}

Errno HostLayer::read(LowerId file, std::uint64_t offset, std::span<std::byte> into) {
  return errno_of_host(reader_.read(path(file), offset, into));
}

// ---- showing

namespace {

// The directory at an absolute path; made where it is missing.
kernel::Outcome<Ino> make_path(Volume& volume, const std::string& path) {
  Ino at = volume.root();
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    const auto found = kernel::disk::resolve_path(volume, at, name,
                                                  kernel::disk::FinalSymlink::kFollow);
    if (!found) return kernel::fail(found.error());
    if (found->ino != 0) {
      at = found->ino;
      continue;
    }
    const auto made = volume.make_directory(at, name, SimTime::zero());
    if (!made) return made;
    at = *made;
  }
  const auto stat = volume.stat(at);
  SF_CHECK(stat.has_value());
  return stat->type == NodeType::kDirectory ? kernel::Outcome<Ino>(at)
                                            : kernel::fail(Errno::kNotDir);
}

}  // namespace

Result<void> show_folders(const std::vector<HostFolder>& folders, Volume& volume) {
  const auto layer = std::make_shared<HostLayer>();
  std::vector<HostFolder> outer_first = folders;
  std::stable_sort(outer_first.begin(), outer_first.end(),
                   [](const HostFolder& a, const HostFolder& b) {
                     return std::count(a.guest.begin(), a.guest.end(), '/') <
                            std::count(b.guest.begin(), b.guest.end(), '/');
                   });
  for (const HostFolder& folder : outer_first) {
    const auto at = make_path(volume, folder.guest);
    if (!at) {
      return cannot_run(folder.place, fmt::format("cannot show {} at {}: {}", folder.host,
                                                  folder.guest,
                                                  kernel::errno_name(at.error())));
    }
    settle(volume);
    volume.mount(*at, layer, layer->add(folder.host));
  }
  return {};
}

// ---- saving

namespace {

enum class Extent : std::uint8_t { kChanges, kAll };

class Saver {
 public:
  explicit Saver(Volume& volume) : volume_(volume) {}

  // `target` is the host's folder for a directory, `path` its name in the simulation ("": the
  // root).
  Result<void> directory(Ino ino, const std::string& target, const std::string& path,
                         Extent extent) {
    const Volume::LowerState state = volume_.lower_state(ino);
    if (state.mounted) extent = Extent::kChanges;
    if (extent == Extent::kChanges && !state.listed) return {};
    std::map<std::string, LowerId> beneath;
    if (extent == Extent::kChanges && state.lower != 0) {
      const auto entries = volume_.lower_layer()->list(state.lower);
      SF_CHECK(entries.has_value());   // it was listed before
      for (const LowerEntry& entry : *entries) beneath.emplace(entry.name, entry.id);
    }
    const auto entries = volume_.list(ino, 0, ~std::size_t{0});
    if (!entries) return failed(path, entries.error());
    for (const auto& entry : *entries) {
      if (entry.name == "." || entry.name == "..") continue;
      const auto lower = beneath.find(entry.name);
      const bool same =
          lower != beneath.end() && lower->second == volume_.lower_state(entry.ino).lower;
      if (lower != beneath.end()) beneath.erase(lower);
      SF_TRY_VOID(save(entry, target, path, same ? Extent::kChanges : Extent::kAll));
    }
    for (const auto& [name, id] : beneath) saved_.removed.push_back(path + "/" + name);
    return {};
  }

  SavedChanges result() {
    std::sort(saved_.removed.begin(), saved_.removed.end());
    return std::move(saved_);
  }

 private:
  static tl::unexpected<Error> failed(const std::string& path, Errno error) {
    return cannot_run("", fmt::format("cannot save {}: {}", path, kernel::errno_name(error)));
  }

  Result<void> save(const kernel::disk::DirectoryEntry& entry, const std::string& target,
                    const std::string& parent, Extent extent) {
    const std::string path = parent + "/" + entry.name;
    const std::string to = target + "/" + entry.name;
    const Volume::LowerState state = volume_.lower_state(entry.ino);
    const bool prepared = state.lower == 0 && !state.changed;   // there before the program was
    if (entry.type == NodeType::kDirectory) {
      // A folder of the program's own is saved also when it is empty.
      const bool is_new = extent == Extent::kAll && !state.mounted && !prepared;
      if (is_new) SF_TRY_VOID(host::make_directories(to));
      return directory(entry.ino, to, path, extent);
    }
    if (prepared || entry.type == NodeType::kDevice) return {};
    if (extent == Extent::kChanges && !state.changed) return {};
    ++saved_.saved;
    SF_TRY_VOID(host::make_directories(target));
    if (entry.type == NodeType::kSymlink) {
      const auto link = volume_.read_symlink(entry.ino);
      if (!link) return failed(path, link.error());
      return host::make_symlink(*link, to);
    }
    return file(entry.ino, to, path);
  }

  Result<void> file(Ino ino, const std::string& to, const std::string& path) {
    const auto stat = volume_.stat(ino);
    SF_CHECK(stat.has_value());
    std::vector<host::Extent> extents;
    for (const auto& [offset, length] : volume_.data_ranges(ino)) {
      extents.push_back({offset, length});
    }
    return host::write_new_file(
        to, stat->size, extents,
        [&](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
          const auto count = volume_.read(ino, offset, into);
          if (!count) return failed(path, count.error());
          SF_CHECK(*count == into.size());
          return {};
        });
  }

  Volume& volume_;
  SavedChanges saved_;
};

}  // namespace

Result<SavedChanges> save_changes(Volume& volume, const std::string& target) {
  SF_TRY_VOID(host::make_directories(target));
  if (!host::list_directory(target).empty()) {
    return cannot_run(target, "is not empty", "name a folder that is empty or does not exist");
  }
  Saver saver(volume);
  SF_TRY_VOID(saver.directory(volume.root(), target, "", Extent::kChanges));
  return saver.result();
}

}  // namespace sf::world
