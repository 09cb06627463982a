// For tests of this folder: a readable canonical dump of a volume, through its public interface
// only, and short forms of the calls that litmus programs are made of.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "kernel/disk/path.h"
#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

inline std::string content_of(const Volume& volume, Ino ino) {
  std::string content(volume.stat(ino)->size, '\xff');
  const auto count = volume.read(ino, 0, std::as_writable_bytes(std::span(content)));
  SF_CHECK(count && *count == content.size());
  return content;
}

// One file as a dump shows it. `number` is the order in which the dump met the inode.
inline std::string dump_line(const std::string& path, std::size_t number, const Stat& stat,
                             const std::string& body) {
  const char* type = stat.type == NodeType::kFile        ? "file"
                     : stat.type == NodeType::kDirectory ? "dir"
                                                         : "symlink";
  std::string line = path + " #" + std::to_string(number) + " " + type + " links " +
                     std::to_string(stat.links) + " times " + std::to_string(stat.accessed.ns()) +
                     "," + std::to_string(stat.modified.ns()) + "," +
                     std::to_string(stat.changed.ns());
  if (stat.type == NodeType::kFile) {
    line += " size " + std::to_string(body.size()) + " " +
            (body.size() <= 24 ? body : std::to_string(hash64(body)));
  } else {
    line += " " + body;
  }
  return line + "\n";
}

inline void dump_into(const Volume& volume, Ino ino, const std::string& path,
                      std::map<Ino, std::size_t>& numbers, std::string& out) {
  const std::size_t number = numbers.emplace(ino, numbers.size()).first->second;
  const Stat stat = *volume.stat(ino);
  switch (stat.type) {
    case NodeType::kFile: out += dump_line(path, number, stat, content_of(volume, ino)); return;
    case NodeType::kSymlink:
      out += dump_line(path, number, stat, *volume.read_symlink(ino));
      return;
    case NodeType::kDevice: out += path + " device\n"; return;
    case NodeType::kDirectory: break;
  }
  out += dump_line(path, number, stat, "");
  std::map<std::string, Ino> entries;
  const std::vector<DirectoryEntry> listed = *volume.list(ino, 0, 100'000);
  for (const DirectoryEntry& entry : listed) {
    if (entry.name != "." && entry.name != "..") entries[entry.name] = entry.ino;
  }
  for (const auto& [name, child] : entries) {
    dump_into(volume, child, path + "/" + name, numbers, out);
  }
}

inline std::string dump(const Volume& volume) {
  std::map<Ino, std::size_t> numbers;
  std::string out;
  dump_into(volume, volume.root(), "", numbers, out);
  return out;
}

inline constexpr InFlight kIdle{};
inline constexpr InFlight kLastOp{InFlight::Kind::kLastOperation, 0};
inline InFlight in_sync(Ino ino) { return {InFlight::Kind::kSync, ino}; }

// Every disk that a power loss now can leave, as volumes.
inline std::vector<std::unique_ptr<Volume>> crash_volumes(const Volume& volume,
                                                          InFlight in_flight) {
  std::vector<std::unique_ptr<Volume>> found;
  volume.for_each_survivors(in_flight, [&](const Survivors& survivors) {
    found.push_back(volume.clone());
    found.back()->power_loss(in_flight, survivors);
    return true;
  });
  return found;
}

inline std::set<std::string> crash_states(const Volume& volume, InFlight in_flight) {
  std::set<std::string> states;
  for (const auto& after : crash_volumes(volume, in_flight)) states.insert(dump(*after));
  return states;
}

// A volume with calls by path; each requires success.
class Disk {
 public:
  explicit Disk(const VolumeOptions& options = {}) : volume(options) {}

  Ino ino(const std::string& path) const { return find(volume, path); }
  Ino create(const std::string& path) {
    const Resolved at = place(path);
    return *volume.create_file(at.directory, at.name, tick());
  }
  Ino mkdir(const std::string& path) {
    const Resolved at = place(path);
    return *volume.make_directory(at.directory, at.name, tick());
  }
  void symlink(const std::string& target, const std::string& path) {
    const Resolved at = place(path);
    SF_CHECK(volume.make_symlink(at.directory, at.name, target, tick()).has_value());
  }
  void link(const std::string& from, const std::string& to) {
    const Resolved at = place(to);
    ok(volume.link(ino(from), at.directory, at.name, tick()));
  }
  void unlink(const std::string& path) {
    const Resolved at = place(path);
    ok(volume.unlink(at.directory, at.name, tick()));
  }
  void rmdir(const std::string& path) {
    const Resolved at = place(path);
    ok(volume.remove_directory(at.directory, at.name, tick()));
  }
  void rename(const std::string& from, const std::string& to) {
    const Resolved a = place(from);
    const Resolved b = place(to);
    ok(volume.rename(a.directory, a.name, b.directory, b.name, tick()));
  }
  void write(const std::string& path, std::uint64_t offset, const std::string& data) {
    SF_CHECK(volume.write(ino(path), offset, as_bytes(data), tick()) == data.size());
  }
  void append(const std::string& path, const std::string& data) {
    write(path, volume.stat(ino(path))->size, data);
  }
  void truncate(const std::string& path, std::uint64_t size) {
    ok(volume.truncate(ino(path), size, tick()));
  }
  void fsync(const std::string& path) { sync(path, SyncKind::kFull); }
  void fdatasync(const std::string& path) { sync(path, SyncKind::kDataOnly); }
  void sync(const std::string& path, SyncKind kind) {
    ErrorCursor cursor = volume.open_cursor(ino(path));
    ok(volume.sync(ino(path), kind, cursor));
  }
  // Makes everything so far durable, whatever the profile.
  void settle() {
    const Survivors all{.kept = 1, .pending = 1};
    volume.power_loss(kLastOp, all);
  }

  std::string read(const std::string& path) const { return content_of(volume, ino(path)); }
  bool exists(const std::string& path) const { return exists(volume, path); }

  static Ino find(const Volume& v, const std::string& path) {
    const auto at = resolve_path(v, v.root(), path, FinalSymlink::kFollow);
    SF_CHECK(at.has_value());
    SF_CHECK(at->ino != 0);
    return at->ino;
  }
  static bool exists(const Volume& v, const std::string& path) {
    const auto at = resolve_path(v, v.root(), path, FinalSymlink::kFollow);
    return at && at->ino != 0;
  }
  // Content, or "-" when there is no such file.
  static std::string look(const Volume& v, const std::string& path) {
    return exists(v, path) ? content_of(v, find(v, path)) : "-";
  }

  Volume volume;

 private:
  SimTime tick() { return now_ += nanoseconds(1); }
  static void ok(Errno error) { SF_CHECK_MSG(error == Errno::kOk, std::string(errno_name(error))); }
  Resolved place(const std::string& path) const {
    const auto at = resolve_path(volume, volume.root(), path, FinalSymlink::kKeep);
    SF_CHECK(at.has_value());
    return *at;
  }
  SimTime now_;
};

}  // namespace sf::kernel::disk
