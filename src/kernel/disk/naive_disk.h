// The naive half of the twin (twin.h): steps, and a disk that is made by replaying them.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {

// Planted bugs.
enum class Mutant : std::uint8_t {
  kNone, kForgetRenameAtSync, kForgetEntryChain, kForgetBirth, kForgetKeep, kForgetEmpty,
  kForgetMoves, kTornNeverGrows, kTruncateKeepsTail, kSyncFoldsEverything, kForgetSizeChain,
  kFileSyncFoldsNames, kLostPageIsWritten, kFailedSyncFolds,
};

struct Step {
  enum class Kind : std::uint8_t {
    kMake, kLink, kUnlink, kRmdir, kRename, kData, kSize, kTruncate, kTimes,
    kCut,                             // by the check after a crash: what no size covers goes
  } kind = Kind::kMake;
  int call = 0;                       // steps of one call share it
  SimTime time;
  Ino ino = 0, directory = 0, to_directory = 0, replaced = 0;
  std::string name, to_name, body;    // body: target of a symlink, bytes of a write
  NodeType type = NodeType::kFile;    // kMake
  bool of_directory = false;          // kRename
  std::uint64_t at = 0;               // offset, or size
  bool grows = false;                 // kData
  std::string image;                  // kData, kTruncate: the page as cached afterwards, or nothing
  bool lost = false;                  // kData, kTruncate: its page never reached the disk
  bool evicted = false;               // kData, lost: nor is it in the cache any more
  bool inode_durable = false;         // kMake: a file's sync reached the inode, not its name
  bool inode_only = false;            // kMake: without the name
  std::optional<SimTime> accessed, modified;
  bool durable = false;

  bool on_names() const { return kind <= Kind::kRename; }
  bool on_content() const { return kind > Kind::kRename && kind != Kind::kCut; }
  bool on_size() const { return kind == Kind::kSize || kind == Kind::kTruncate; }
  std::uint64_t page() const { return at / 4096; }
  std::set<std::pair<Ino, std::string>> entries() const {
    if (!on_names()) return {};
    if (kind != Kind::kRename) return {{directory, name}};
    return {{directory, name}, {to_directory, to_name}};
  }
};

// One state, made by replaying steps. Impossible steps make it `broken`.
struct NaiveDisk {
  struct Node {
    NodeType type = NodeType::kFile;
    std::string bytes;                // may reach past `size`: data that came before its size
    std::uint64_t size = 0;
    std::set<std::uint64_t> blocks;   // pages that are not holes
    std::string target;
    std::map<std::string, Ino> entries;
    Ino parent = 0;
    SimTime accessed, modified, changed;
  };
  std::map<Ino, Node> nodes;
  bool broken = false;
  Mutant mutant = Mutant::kNone;

  explicit NaiveDisk(Mutant m = Mutant::kNone) : mutant(m) {
    nodes[1].type = NodeType::kDirectory;
    nodes[1].parent = 1;
  }
  std::uint64_t links(Ino ino) const {
    std::uint64_t count = ino == 1 ? 1 : 0;
    for (const auto& [at, node] : nodes) {
      for (const auto& [name, target] : node.entries) count += target == ino;
    }
    if (nodes.at(ino).type != NodeType::kDirectory || count == 0) return count;
    for (const auto& [name, child] : nodes.at(ino).entries) {
      count += nodes.at(child).type == NodeType::kDirectory;
    }
    return count + 1;
  }
  std::string content(Ino ino) const {
    std::string all = nodes.at(ino).bytes;
    all.resize(nodes.at(ino).size);
    return all;
  }
  Ino entry(Ino directory, const std::string& name) const {
    const auto holder = nodes.find(directory);
    if (holder == nodes.end()) return 0;
    const auto found = holder->second.entries.find(name);
    return found == holder->second.entries.end() ? 0 : found->second;
  }
  void put(Ino directory, const std::string& name, Ino ino, SimTime time) {
    if (!nodes.contains(directory) || entry(directory, name) != 0) broken = true;
    nodes[directory].entries[name] = ino;
    nodes[directory].modified = nodes[directory].changed = time;
  }
  void take(Ino directory, const std::string& name, Ino ino, SimTime time) {
    if (entry(directory, name) != ino) broken = true;
    nodes[directory].entries.erase(name);
    nodes[directory].modified = nodes[directory].changed = time;
  }
  void apply(const Step& s);
  // The sectors (or bytes) of the page from..to only.
  void put_page(Node& node, const Step& s, std::size_t from, std::size_t to) {
    const std::size_t start = s.page() * 4096;
    if (node.bytes.size() < start + 4096) node.bytes.resize(start + 4096);
    node.bytes.replace(start + from, to - from, s.image, from, to - from);
    node.blocks.insert(s.page());
  }
  void apply_torn(const Step& s, std::size_t from, std::size_t to, bool grows) {
    Node& node = nodes[s.ino];
    put_page(node, s, from, to);
    node.modified = node.changed = s.time;
    if (!grows || mutant == Mutant::kTornNeverGrows) return;
    node.size = std::max<std::uint64_t>(
        node.size, std::min(s.page() * 4096 + to, s.at + s.body.size()));
  }
  std::string dump() const;
};

inline void NaiveDisk::apply(const Step& s) {
  if (s.kind != Step::Kind::kMake && !nodes.contains(s.ino)) broken = true;
  Node& node = nodes[s.ino];
  if (s.kind == Step::Kind::kCut) {
    node.bytes.resize(s.at);
    node.blocks.erase(node.blocks.lower_bound((s.at + 4095) / 4096), node.blocks.end());
    return;
  }
  node.changed = s.time;
  switch (s.kind) {
    case Step::Kind::kMake:
      node.type = s.type;
      node.target = s.body;
      node.parent = s.directory;
      node.accessed = node.modified = s.time;
      if (!s.inode_only) put(s.directory, s.name, s.ino, s.time);
      return;
    case Step::Kind::kLink: put(s.directory, s.name, s.ino, s.time); return;
    case Step::Kind::kUnlink: take(s.directory, s.name, s.ino, s.time); return;
    case Step::Kind::kRmdir:
      if (!node.entries.empty()) broken = true;
      take(s.directory, s.name, s.ino, s.time);
      return;
    case Step::Kind::kRename:
      take(s.directory, s.name, s.ino, s.time);
      if (s.replaced != 0) {
        take(s.to_directory, s.to_name, s.replaced, s.time);
        nodes[s.replaced].changed = s.time;
        if (!nodes[s.replaced].entries.empty()) broken = true;
      }
      put(s.to_directory, s.to_name, s.ino, s.time);
      if (s.of_directory) node.parent = s.to_directory;
      return;
    case Step::Kind::kData:
      if (!s.evicted) put_page(node, s, 0, 4096);
      node.modified = s.time;
      return;
    case Step::Kind::kSize: node.size = s.at; node.modified = s.time; return;
    case Step::Kind::kTruncate:
      if (node.bytes.size() > s.at && mutant != Mutant::kTruncateKeepsTail) node.bytes.resize(s.at);
      node.blocks.erase(node.blocks.lower_bound((s.at + 4095) / 4096), node.blocks.end());
      if (!s.image.empty()) put_page(node, s, 0, 4096);
      node.size = s.at;
      node.modified = s.time;
      return;
    case Step::Kind::kTimes:
      if (s.accessed) node.accessed = *s.accessed;
      if (s.modified) node.modified = *s.modified;
      return;
    case Step::Kind::kCut: return;
  }
}

inline std::string NaiveDisk::dump() const {
  if (broken) return "broken";
  std::map<Ino, std::size_t> numbers;
  std::string out;
  const std::function<void(Ino, const std::string&)> visit = [&](Ino ino, const std::string& path) {
    if (path.size() > 1000) return;   // a cycle cannot be reached from the root; a guard anyway
    const std::size_t number = numbers.emplace(ino, numbers.size()).first->second;
    const Node& node = nodes.at(ino);
    const Stat stat{ino, node.type, node.size, links(ino),
                    node.accessed, node.modified, node.changed};
    out += dump_line(path, number, stat, node.type == NodeType::kFile ? content(ino) : node.target);
    for (const auto& [name, child] : node.entries) visit(child, path + "/" + name);
  };
  visit(1, "");
  return out;
}

}  // namespace sf::kernel::disk
