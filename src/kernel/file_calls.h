// Storage calls of a process: descriptors over the node's volume, with faults asked around each.
//
// Each call that reaches the disk is one counted operation (DiskOp). When a fault strikes in it the
// process is doomed (Process::stopped) and the returned value must not reach the program. Errors
// are Linux's (the man page of the call that each function names).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/disk/path.h"
#include "kernel/disk/volume.h"
#include "kernel/errno.h"
#include "kernel/fd_table.h"
#include "kernel/operations.h"
#include "kernel/process.h"

namespace sf::kernel::files {

struct OpenHow {
  bool create = false;
  bool exclusive = false;
  bool directory = false;        // O_DIRECTORY
  bool truncate = false;
  disk::FinalSymlink final_symlink = disk::FinalSymlink::kFollow;
  OpenFlags flags;
};

// The time that copying between a program and the page cache takes.
void spend_copy(Process& process, std::size_t bytes);

// Where a path starts: a directory's description. Its path plus `path`, for traces.
std::string display_path(const Description& directory, std::string_view path);

Outcome<std::shared_ptr<Description>> open(Process& process, const Description& directory,
                                           std::string_view path, const OpenHow& how);  // openat(2)
// Drops one reference; the last one closes file or socket.
void close(Process& process, std::shared_ptr<Description> description);                  // close(2)

Outcome<std::size_t> read(Process& process, Description& file, std::span<std::byte> into);
Outcome<std::size_t> read_at(Process& process, const Description& file, std::uint64_t offset,
                             std::span<std::byte> into);  // pread(2)
Outcome<std::size_t> write(Process& process, Description& file, Bytes data);
Outcome<std::size_t> write_at(Process& process, const Description& file, std::uint64_t offset,
                              Bytes data);  // pwrite(2)
enum class Whence : std::uint8_t { kSet, kCurrent, kEnd };
Outcome<std::uint64_t> seek(Process& process, Description& file, std::int64_t offset,
                            Whence whence);
Errno truncate(Process& process, const Description& file, std::uint64_t size);   // ftruncate(2)
// posix_fallocate(3): the range has blocks and lies within the size afterwards.
Errno allocate(Process& process, const Description& file, std::uint64_t offset,
               std::uint64_t length);
Errno set_times(Process& process, disk::Ino ino, std::optional<SimTime> accessed,
                std::optional<SimTime> modified);

// fsync(2), fdatasync(2), or the wait of a write through O_SYNC or O_DSYNC for its range.
struct SyncRequest {
  struct Range {
    std::uint64_t offset = 0;   // bytes
    std::uint64_t length = 0;
  };
  disk::SyncKind kind = disk::SyncKind::kFull;
  std::optional<Range> range;   // nothing: the whole file
};
// Takes time; Operations::take tells when it is over, with EIO when a writeback failed that this
// description has not been told of. A description that cannot be synced (console, socket) gives
// EINVAL at once.
Outcome<OpId> start_sync(Process& process, const std::shared_ptr<Description>& file,
                         const SyncRequest& request);

Outcome<disk::Stat> stat_path(Process& process, const Description& directory, std::string_view path,
                              disk::FinalSymlink final_symlink);  // fstatat(2)
Errno make_directory(Process& process, const Description& directory, std::string_view path);
Errno remove_directory(Process& process, const Description& directory, std::string_view path);
Errno unlink(Process& process, const Description& directory, std::string_view path);
Errno rename(Process& process, const Description& from_directory, std::string_view from,
             const Description& to_directory, std::string_view to);
Errno link(Process& process, const Description& from_directory, std::string_view from,
           const Description& to_directory, std::string_view to,
           disk::FinalSymlink final_symlink);
Errno symlink(Process& process, std::string_view target, const Description& directory,
              std::string_view path);
Outcome<std::string> read_link(Process& process, const Description& directory,
                               std::string_view path);

}  // namespace sf::kernel::files
