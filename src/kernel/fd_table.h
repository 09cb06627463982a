// Open file descriptions and the table of descriptors of one process.
//
// A description (POSIX: open file description) holds offset and flags and may be shared by several
// descriptors; a descriptor is the lowest free number at the time it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/disk/volume.h"
#include "kernel/errno.h"

namespace sf::kernel {

using SocketId = std::uint64_t;   // 0: none
using Fd = std::uint32_t;

enum class DescriptionKind : std::uint8_t {
  kConsole, kFile, kDirectory, kListener, kStream,
  kDevice,
};

struct OpenFlags {
  bool read = false;
  bool write = false;
  bool append = false;
  bool non_blocking = false;
  // Each write returns once its range is durable (O_DSYNC), also all it needs of the file (O_SYNC).
  std::optional<disk::SyncKind> write_through;
  bool read_through = false;     // O_RSYNC was asked for; for Linux it is another name of O_SYNC
};

struct Description {
  DescriptionKind kind = DescriptionKind::kFile;
  OpenFlags flags;
  disk::Ino ino = 0;             // files and directories
  disk::ErrorCursor errors;      // files and directories: which writeback errors were reported
  std::uint64_t offset = 0;      // files: bytes
  SocketId socket = 0;           // listeners and streams
  disk::Device device = disk::Device::kNull;   // of a kDevice
  std::uint8_t console = 0;      // 0 stdin, 1 stdout, 2 stderr
  std::string path;              // as opened, absolute; for traces only
  bool preopened = false;        // a root that WASI programs find at start
  // WASI rights (bits of witx `rights`) that the program gave up, for this description and for what
  // is opened through it.
  std::uint64_t dropped_rights = 0;
  std::uint64_t dropped_inheriting = 0;
};

class FdTable {
 public:
  explicit FdTable(std::uint32_t limit) : limit_(limit) {}

  Outcome<Fd> add(std::shared_ptr<Description> description);   // EMFILE
  // The description, or EBADF.
  Outcome<std::shared_ptr<Description>> get(Fd fd) const;
  // Removes the descriptor and returns its description; the last reference closes it.
  Outcome<std::shared_ptr<Description>> remove(Fd fd);
  // dup2: afterwards `to` means what `from` meant and `from` is free. Returns what `to` was.
  Outcome<std::shared_ptr<Description>> move(Fd from, Fd to);
  std::uint32_t open_count() const { return open_count_; }

 private:
  std::uint32_t limit_;
  std::uint32_t open_count_ = 0;
  Fd no_free_below_ = 0;         // every descriptor with a smaller number is open
  std::vector<std::shared_ptr<Description>> slots_;
};

}  // namespace sf::kernel
