// What may lie beneath a volume: files that were there before the run and are never written.
//
// A directory that is mounted on a lower directory shows its entries; each is taken over when
// somebody first asks for its name or for all of them (volume_lower.cc). A file's bytes come from
// beneath until its pages are changed; a change copies the page first, as overlay file systems do.
//
// Everything beneath counts as durable from the start of the run: no crash can lose it. Times are
// those of the start of the run, inode numbers come from the paths, so nothing but names, types and
// bytes of the layer reaches a program, and of those only what it asked about. The kernel trusts
// the layer to answer the same each time; one that does not makes the run depend on it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/errno.h"

namespace sf::kernel::disk {

enum class NodeType : std::uint8_t {
  kFile,
  kDirectory,
  kSymlink,
  kDevice,   // has no content; part of a disk from its start, never made by a call
};

enum class Device : std::uint8_t { kNull, kZero, kRandom };   // null(4), random(4)

using LowerId = std::uint64_t;   // a file or directory of the layer; 0: none

struct LowerEntry {
  std::string name;              // one component, neither "." nor ".."
  NodeType type = NodeType::kFile;
  LowerId id = 0;
  std::uint64_t size = 0;        // kFile: bytes
  std::string target;            // kSymlink
};

class LowerLayer {
 public:
  virtual ~LowerLayer() = default;
  // All entries, each name once, in an order that depends on nothing but the names.
  virtual Outcome<std::vector<LowerEntry>> list(LowerId directory) = 0;
  // The entry of that name, as list() shows it; nothing when there is none.
  virtual Outcome<std::optional<LowerEntry>> find(LowerId directory, std::string_view name) = 0;
  // Whether the file's bytes may be read, or why not.
  virtual Errno may_read(LowerId file) = 0;
  // As pread(2) on a file of the size it was listed with: what is gone since reads as zeros.
  virtual Errno read(LowerId file, std::uint64_t offset, std::span<std::byte> into) = 0;
};

}  // namespace sf::kernel::disk
