// Pending operations: what one system call does to the disk, cracked into steps that a power loss
// may separate. Two kinds share one numbering: operations on names and operations on the content of
// one inode.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "kernel/disk/page.h"

namespace sf::kernel::disk {

using OpSeq = std::uint64_t;   // order of the system calls and of the steps within one; from 1

// CREATE, MKDIR, SYMLINK, LINK, UNLINK, RMDIR, RENAME. Each is atomic.
struct NameOp {
  enum class Kind : std::uint8_t {
    kCreate, kMakeDirectory, kMakeSymlink, kLink, kUnlink, kRemoveDirectory, kRename,
  };
  Kind kind = Kind::kCreate;
  OpSeq seq = 0;
  SimTime time;
  Ino ino = 0;                  // whose name comes, goes or moves
  Ino directory = 0;            // with `name`: the entry; of a rename: where it was
  std::string name;
  Ino to_directory = 0;         // kRename only, like the next four
  std::string to_name;
  Ino replaced = 0;             // what the new name led to before; 0: nothing
  bool moves_directory = false;
  bool replaces_directory = false;
  std::string target;           // kMakeSymlink
  // kCreate: a sync of the file made the inode durable and left its name pending.
  bool inode_is_there = false;

  bool makes_inode() const { return is_a_birth() && !inode_is_there; }
  bool adds_a_name() const { return is_a_birth() || kind == Kind::kLink; }

 private:
  bool is_a_birth() const {
    return kind == Kind::kCreate || kind == Kind::kMakeDirectory || kind == Kind::kMakeSymlink;
  }
};

// DATA (one page), EXT and SIZE (the file grows, with or without a new page), TRUNC, ATTR (times).
struct ContentOp {
  enum class Kind : std::uint8_t { kData, kExtend, kSize, kTruncate, kTimes };
  Kind kind = Kind::kData;
  OpSeq seq = 0;
  SimTime time;
  Ino ino = 0;
  std::uint64_t page = 0;       // kData, kExtend
  std::uint32_t from = 0;       // kData: bytes [from, to) of the page are the ones written
  std::uint32_t to = 0;
  bool grows = false;           // kData: the next operation raises the size to the end of the range
  PageRef image;                // kData: the whole page as cached after the write; kTruncate: the
                                // page that the new end cuts, zeroed behind it, if it had one
  std::uint64_t size = 0;       // kExtend, kSize, kTruncate: the new size
  bool cuts_what_it_finds = false;   // kTruncate: `image` was lost; zero the page that is there
  std::optional<SimTime> accessed, modified;   // kTimes
};

}  // namespace sf::kernel::disk
