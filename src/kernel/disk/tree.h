// One view of a volume: inodes, names and content at one moment.
//
// The volatile view applies every operation as it is called, the durable view when it is folded;
// both with the same code, so that they can differ only in which operations they have. Applying
// checks that an operation fits (its entry holds what it held when it was called): a fold that
// picked an unsound set of operations stops the process here instead of making an impossible disk.
//
// Copying a tree shares all inodes; the first change to a shared inode copies it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/disk/directory_entries.h"
#include "kernel/disk/file_pages.h"
#include "kernel/disk/operation.h"
#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

// A time stamp that remembers which operation set it. The latest operation wins, in whatever order
// they are applied: folding one inode's operations early must not turn clocks back.
struct Stamp {
  SimTime time;
  OpSeq seq = 0;
  void set(SimTime to, OpSeq by) {
    if (by < seq) return;
    time = to;
    seq = by;
  }
};

struct Inode {
  NodeType type = NodeType::kFile;
  std::uint64_t links = 0;      // names; of a directory 2 and its subdirectories; 0: removed
  std::uint64_t size = 0;       // kFile
  Stamp accessed, modified, changed;
  FilePages pages;              // kFile
  bool data_past_size = false;  // kFile: its last page may hold data that no size covers yet
  std::string target;           // kSymlink
  DirectoryEntries entries;     // kDirectory
  Ino parent = 0;               // kDirectory; the root is its own
  Device device = Device::kNull;   // kDevice
  LowerId lower = 0;            // what lies beneath (lower_layer.h)
  bool unlisted = false;        // kDirectory: not all its lower entries are among `entries` yet
  std::uint64_t lower_bytes = 0;   // kFile: below it, what no page covers comes from beneath
};

class Tree {
 public:
  Tree();   // an empty root directory

  static constexpr Ino kRoot = 1;

  const Inode* find(Ino ino) const;                             // null: no such inode
  const Inode* directory(Ino ino) const;                        // null: not a directory
  Ino entry(Ino directory, std::string_view name) const;        // 0: none
  std::size_t inodes() const { return inodes_.size(); }
  std::uint64_t pages() const { return pages_; }                // held by all files
  // What inodes, names and the texts of symbolic links take, as far as operations made them.
  std::uint64_t metadata_bytes() const { return metadata_bytes_; }

  // The inode of a kCreate, without the name that the same operation will give it.
  void make_inode(const NameOp& op);
  // Returns the inode that lost its last name by this, or 0. It stays until drop().
  Ino apply(const NameOp& op);
  // Of an inode that was removed meanwhile: no effect.
  void apply(const ContentOp& op);
  // The first `bytes` bytes of a kData operation, the size growing as far as they reach.
  void apply_torn(const ContentOp& op, std::uint32_t bytes, PageArena& arena);
  // Those sectors of it whose bit is set, the size growing to the end of the last one if asked.
  enum class Growth : std::uint8_t { kStays, kReaches };
  struct Sectors {
    std::uint32_t mask = 0;
    std::uint32_t bytes = 512;    // of one sector
  };
  void apply_sectors(const ContentOp& op, const Sectors& sectors, Growth growth, PageArena& arena);
  void drop(Ino ino);

  // Takes back one page of a write: the image it had (or none) and the size.
  void restore_page(Ino ino, std::uint64_t page, PageRef image, std::uint64_t size);
  Inode& edit(Ino ino);   // requires that it exists; for stamps
  // One page of a file, past the operations: for what the device does on its own.
  void set_page(Ino ino, std::uint64_t page, PageRef image);
  void add_device(Ino directory, const std::string& name, Device device, Ino ino);
  // One of the directory's lower entries, unless it holds something of that name.
  void take_over(Ino directory, const LowerEntry& entry, Ino ino);
  void adopt(Ino ino, const Inode& inode);   // a copy, under this number, without a name

  // visit(ino, inode) for each file, ascending.
  template <class Visit>
  void for_each_file(Visit visit) const {
    for (const auto& [ino, inode] : inodes_) {
      if (inode->type == NodeType::kFile) visit(ino, *inode);
    }
  }

  // What a file system check does after a crash (S6): discards inodes that no path leads to, counts
  // links, cuts content beyond the size. Returns how many inodes it discarded.
  std::size_t check_and_repair(PageArena& arena);

  // A path that leads to the inode, or nothing; of one nested too deeply the end. Slow: for
  // messages.
  std::string path_of(Ino ino) const;

 private:
  void uncount(std::uint64_t bytes);
  void add_entry(Ino directory, const std::string& name, Ino ino, const NameOp& op);
  void remove_entry(Ino directory, const std::string& name, Ino ino, const NameOp& op);
  void replace_entry(const NameOp& op);
  Ino unname(Ino ino, const NameOp& op);
  Ino remove_directory(Ino ino, Ino parent);
  Ino rename(const NameOp& op);
  void truncate(Inode& inode, const ContentOp& op);
  void put_page(Inode& inode, std::uint64_t page, PageRef image);
  void cut_content(Inode& inode, PageArena& arena);
  std::pair<Ino, std::string> some_name_of(Ino ino) const;

  std::map<Ino, std::shared_ptr<Inode>> inodes_;
  std::uint64_t pages_ = 0;
  std::uint64_t metadata_bytes_ = 0;
};

}  // namespace sf::kernel::disk
