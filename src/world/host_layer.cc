#include "world/host_layer.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/host/file.h"
#include "base/strings.h"
#include "kernel/disk/path.h"
#include "world/prepare_disk.h"

namespace sf::world {

using kernel::Errno;
using kernel::disk::DirectoryEntry;
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

std::string HostLayer::path_in(LowerId directory, std::string_view name) const {
  const std::string& folder = path(directory);
  return (folder == "/" ? "" : folder) + "/" + std::string(name);
}

// The entry as the simulation sees it, under the same id whenever it is met.
std::optional<LowerEntry> HostLayer::shown(LowerId directory, host::FolderEntry entry) {
  if (entry.kind == host::EntryKind::kOther) return {};
  if (const auto known = found_.find(std::pair(directory, entry.name)); known != found_.end()) {
    return known->second;
  }
  std::string where = path_in(directory, entry.name);
  if (hidden_.contains(where)) return {};
  LowerEntry out;
  out.type = entry.kind == host::EntryKind::kFile        ? NodeType::kFile
             : entry.kind == host::EntryKind::kDirectory ? NodeType::kDirectory
                                                         : NodeType::kSymlink;
  out.id = add(std::move(where));
  out.size = entry.size;
  out.target = std::move(entry.target);
  out.name = std::move(entry.name);
  return out;
}

kernel::Outcome<std::optional<LowerEntry>> HostLayer::find(LowerId directory,
                                                           std::string_view name) {
  if (const auto known = lists_.find(directory); known != lists_.end()) {
    const auto entry = std::lower_bound(
        known->second.begin(), known->second.end(), name,
        [](const LowerEntry& a, std::string_view wanted) { return a.name < wanted; });
    const bool there = entry != known->second.end() && entry->name == name;
    return there ? std::optional(*entry) : std::nullopt;
  }
  const auto key = std::pair(directory, std::string(name));
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  std::optional<host::FolderEntry> found;
  const Errno error = errno_of_host(host::find_in_folder(path(directory), key.second, found));
  if (error != Errno::kOk) return kernel::fail(error);
  if (!found) return std::nullopt;
  std::optional<LowerEntry> entry = shown(directory, *std::move(found));
  if (entry) found_.emplace(key, *entry);
  return entry;
}

Errno HostLayer::may_read(LowerId file) { return errno_of_host(host::may_read(path(file))); }

kernel::Outcome<std::vector<LowerEntry>> HostLayer::list(LowerId directory) {
  if (const auto known = lists_.find(directory); known != lists_.end()) return known->second;
  std::vector<host::FolderEntry> found;
  const Errno error = errno_of_host(host::list_folder(path(directory), found));
  if (error != Errno::kOk) return kernel::fail(error);
  std::vector<LowerEntry> entries;
  for (host::FolderEntry& entry : found) {
    if (auto out = shown(directory, std::move(entry))) entries.push_back(*std::move(out));
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
  const auto type = volume.type(at);
  SF_CHECK(type.has_value());
  return *type == NodeType::kDirectory ? kernel::Outcome<Ino>(at) : kernel::fail(Errno::kNotDir);
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
    if (!folder.hidden.empty()) layer->hide(folder.hidden);
    volume.mount(*at, layer, layer->add(folder.host));
  }
  return {};
}

// ---- saving

namespace {

class Saver {
  static constexpr std::size_t kExcerptBytes = 200;   // of a path in a message

 public:
  explicit Saver(Volume& volume) : volume_(volume) {}

  // `target` is the host's folder for a directory, `path` its name in the simulation ("": the
  // root), `beneath` the folder that is shown under that name, whatever stands there now (0: none).
  Result<void> directory(Ino ino, const std::string& target, const std::string& path,
                         LowerId beneath) {
    const Volume::LowerState state = volume_.lower_state(ino);
    if (state.mounted) beneath = state.lower;
    // Where nobody asked for all names none is gone, and what was not asked for is as it was.
    const bool partly = !state.listed && state.lower == beneath;
    std::map<std::string, LowerEntry> gone;
    if (beneath != 0 && !partly) {
      const auto entries = volume_.lower_layer()->list(beneath);
      if (!entries) return failed(path, entries.error());
      for (const LowerEntry& entry : *entries) gone.emplace(entry.name, entry);
    }
    SF_TRY(const auto entries, entries_of(ino, path, partly));
    for (const auto& entry : entries) {
      std::optional<LowerEntry> was;
      if (partly) {
        const auto found = volume_.lower_layer()->find(beneath, entry.name);
        if (!found) return failed(path + "/" + entry.name, found.error());
        was = *found;
      } else if (const auto found = gone.find(entry.name); found != gone.end()) {
        was = std::move(found->second);
        gone.erase(found);
      }
      SF_TRY_VOID(save(entry, target, path, was));
    }
    for (const auto& [name, entry] : gone) saved_.removed.push_back(path + "/" + name);
    return {};
  }

  SavedChanges result() {
    std::sort(saved_.removed.begin(), saved_.removed.end());
    return std::move(saved_);
  }

 private:
  static tl::unexpected<Error> failed(const std::string& path, Errno error) {
    const std::string name = path.empty() ? "/" : excerpt(path, kExcerptBytes);
    return cannot_run("", fmt::format("cannot save {}: {}", name, kernel::errno_name(error)),
                      error == Errno::kIo ? "what the host shows there cannot be read: it is gone, "
                                            "or its path has more than 4,095 bytes"
                                          : "");
  }

  // The host's paths are bounded; names of the simulation are not, taken together.
  static Result<void> check_length(const std::string& to, const std::string& path) {
    constexpr std::size_t kMost = kernel::disk::kPathBytesMax - 1 - host::kTemporaryNameBytes;
    if (to.size() <= kMost) return {};
    return cannot_run(
        "", fmt::format("cannot save {}: its path on the host would have {} bytes, at most {} work",
                        excerpt(path, kExcerptBytes), with_thousands(to.size()),
                        with_thousands(kMost)),
        "what was met before it is saved; files so deep cannot be");
  }

  Result<std::vector<DirectoryEntry>> entries_of(Ino ino, const std::string& path, bool partly) {
    if (partly) return volume_.known_entries(ino);
    if (const auto listed = volume_.list(ino, 0, 0); !listed) return failed(path, listed.error());
    return volume_.known_entries(ino);
  }

  // `was`: what the host shows under this name.
  Result<void> save(const DirectoryEntry& entry, const std::string& target,
                    const std::string& parent, const std::optional<LowerEntry>& was) {
    const std::string path = parent + "/" + entry.name;
    const std::string to = target + "/" + entry.name;
    const Volume::LowerState state = volume_.lower_state(entry.ino);
    const bool prepared = state.lower == 0 && !state.changed;   // there before the program was
    const bool stayed = was && was->id == state.lower;
    if (was && !prepared && was->type != entry.type) saved_.removed.push_back(path);
    if (entry.type == NodeType::kDirectory) {
      // A folder of the program's own is saved also when it is empty.
      const bool is_new = !stayed && !state.mounted && !prepared;
      if (is_new) {
        SF_TRY_VOID(check_length(to, path));
        SF_TRY_VOID(host::make_directories(to));
      }
      const bool was_directory = was && was->type == NodeType::kDirectory;
      return directory(entry.ino, to, path, was_directory ? was->id : 0);
    }
    if (prepared || entry.type == NodeType::kDevice) return {};
    if (stayed && !state.changed) return {};
    SF_TRY_VOID(check_length(to, path));
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

Result<void> prepare_save_target(const std::string& target, std::vector<HostFolder>& folders) {
  SF_TRY_VOID(host::check_new_folder(target));
  const std::string real = host::real_path_of_new(target);
  for (HostFolder& folder : folders) {
    folder.hidden = real;
    if (folder.place.empty()) continue;   // nobody said that it is not to be written
    const std::string inside = folder.host == "/" ? "/" : folder.host + "/";
    if (real != folder.host && !real.starts_with(inside)) continue;
    return cannot_run(target,
                      fmt::format("lies in {}, which is shown to the program and never written",
                                  folder.host),
                      "name a folder elsewhere");
  }
  return host::make_directories(target);
}

Result<SavedChanges> save_changes(Volume& volume, const std::string& target) {
  SF_TRY_VOID(host::check_new_folder(target));
  SF_TRY_VOID(host::make_directories(target));
  Saver saver(volume);
  SF_TRY_VOID(saver.directory(volume.root(), target, "", 0));
  return saver.result();
}

}  // namespace sf::world
