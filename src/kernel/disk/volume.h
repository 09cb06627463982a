// One simulated disk with a file system: what a node's programs see, and what a power loss leaves.
//
// Two views are kept. The volatile view is what system calls see (page cache, name cache). The
// durable view is what survives a power loss for certain. Between them lie the pending operations
// in one order: those on names, and per inode those on content, whose data operations (whole page
// images, copy on write) are the version chains of the pages. A barrier (sync) folds pending
// operations into the durable view; a power loss picks a survivor set among those that the profile
// allows, folds it and forgets the rest.
//
// Model and sources: docs/design/disk.md. Knows nothing of nodes, time scales, faults or guests:
// callers pass the time for stamps and a Dice for draws. One thread. No floating point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/time.h"
#include "kernel/choices.h"
#include "kernel/disk/lower_layer.h"
#include "kernel/disk/survivors.h"
#include "kernel/disk/writeback.h"
#include "kernel/errno.h"

namespace sf::kernel::disk {

inline constexpr std::uint32_t kPageBytes = 4096;
inline constexpr std::uint32_t kNameBytesMax = 255;      // NAME_MAX, limits.h
inline constexpr std::uint32_t kPathBytesMax = 4096;     // PATH_MAX, limits.h
inline constexpr std::uint64_t kFileBytesMax = 1ULL << 62;
inline constexpr std::uint32_t kSymlinkDepthMax = 40;    // MAXSYMLINKS, linux/namei.h

// Inode numbers are never reused within a run; 0 is no inode.
using Ino = std::uint64_t;

enum class Profile : std::uint8_t {
  kControl,   // nothing is ever lost, operations are atomic: a power loss is like a process kill
  kScc,       // every operation is durable when it returns; only the one in flight is uncertain
  kInOrder,   // pending operations survive as a prefix in order, the last data operation may tear
  kStrictPosix,   // any set of pending operations that makes sense; only names whose directory was
                  // synced and data whose file was synced are certain
};

enum class TearUnit : std::uint8_t { kByte, kSector, kPage };

// Switches of kInOrder. kFile: each file's content keeps its own order, and so do the operations on
// names, but none of these orders is tied to another one. kStrict: a file's sync does not make its
// name durable, only its directory's sync does.
enum class PrefixScope : std::uint8_t { kNode, kFile };
enum class Dirents : std::uint8_t { kImplied, kStrict };

struct VolumeOptions {
  Profile profile = Profile::kInOrder;
  // Where a torn data operation may be cut. kByte needs one order of all operations.
  TearUnit tear = TearUnit::kByte;
  PrefixScope prefix_scope = PrefixScope::kNode;
  Dirents dirents = Dirents::kImplied;
  std::uint32_t sector_bytes = 512;         // 512 or 4096
  // Of content; inodes, names and the texts of symbolic links may take as much again.
  std::uint64_t capacity_bytes = 1ULL << 30;
  std::uint64_t inodes_max = 1'000'000;
  // Pending operations kept before the oldest half is written back, as a kernel does under memory
  // pressure: bounds memory at about 4 KiB each. See docs/design/disk.md.
  std::uint32_t pending_operations_max = 8192;
};

struct Stat {
  Ino ino = 0;
  NodeType type = NodeType::kFile;
  std::uint64_t size = 0;       // of a symlink: length of its target
  std::uint64_t links = 0;
  SimTime accessed, modified, changed;
  Device device = Device::kNull;   // of a kDevice
};

struct DirectoryEntry {
  std::string name;
  Ino ino = 0;
  NodeType type = NodeType::kFile;
  std::uint64_t cookie = 0;     // list() goes on after this entry; stays good while others change
};

// A moment in the order of a volume's calls.
using Mark = std::uint64_t;
inline constexpr Mark kNow = ~std::uint64_t{0};

enum class SyncKind : std::uint8_t { kFull, kDataOnly };   // fsync(2), fdatasync(2)

// Which operation power failed in, for profiles where the one in flight is special.
struct InFlight {
  enum class Kind : std::uint8_t { kNone, kLastOperation, kSync } kind = Kind::kNone;
  Ino ino = 0;                  // for kSync: whose full sync was under way; sync() not called yet
};

class Volume {
 public:
  explicit Volume(const VolumeOptions& options);
  ~Volume();
  Volume(const Volume&) = delete;
  Volume& operator=(const Volume&) = delete;

  const VolumeOptions& options() const;
  Ino root() const;

  // ---- names. `directory` must be a live directory (ENOTDIR otherwise), `name` one component:
  // ENOENT if empty, ENAMETOOLONG above kNameBytesMax, EINVAL with '/' or NUL, "." and ".." as each
  // call's Linux counterpart answers. `now` stamps the inodes.
  Outcome<Ino> lookup(Ino directory, std::string_view name) const;   // knows "." and ".."
  Outcome<Ino> create_file(Ino directory, std::string_view name, SimTime now);   // EEXIST
  Outcome<Ino> make_directory(Ino directory, std::string_view name, SimTime now);
  Outcome<Ino> make_symlink(Ino directory, std::string_view name, std::string_view target,
                            SimTime now);
  Errno link(Ino existing, Ino directory, std::string_view name, SimTime now);   // EPERM: directory
  Errno unlink(Ino directory, std::string_view name, SimTime now);               // EISDIR
  // ENOTEMPTY; EINVAL for "."; EBUSY where a layer is mounted.
  Errno remove_directory(Ino directory, std::string_view name, SimTime now);
  // rename(2): replaces an existing target of the same type atomically; a no-op when both names are
  // the same inode; EINVAL when the source is an ancestor of the target; EBUSY when either is a
  // directory on which a layer is mounted or one above it (Linux lets the latter move).
  Errno rename(Ino from_directory, std::string_view from, Ino to_directory, std::string_view to,
               SimTime now);
  Outcome<std::string> read_symlink(Ino ino) const;                              // EINVAL
  // At most `limit` entries after `cookie` (0: from the start), "." and ".." first, the others in
  // the order of a hash of their names. A cookie fits 31 bits. Nothing for a removed directory that
  // is still held.
  Outcome<std::vector<DirectoryEntry>> list(Ino directory, std::uint64_t cookie,
                                            std::size_t limit) const;

  // ---- the layer beneath (lower_layer.h). The directory shows that of the layer, under what it
  // holds itself. Only while nothing is pending; all mounts of a volume are of one layer.
  void mount(Ino directory, std::shared_ptr<LowerLayer> layer, LowerId lower);
  // How an inode stands to the layer, for saving what a program changed. The inode must exist.
  struct LowerState {
    LowerId lower = 0;            // 0: nothing lies beneath
    bool mounted = false;         // a directory: mounted there, not shown by the one above
    bool changed = false;         // made, renamed or changed since watch_changes()
    bool listed = true;           // a directory: it holds all entries from beneath
  };
  LowerState lower_state(Ino ino) const;
  // All entries of a directory that is listed, of another one those that somebody asked for by name
  // or made. The layer is not asked; "." and ".." and cookies are left out.
  std::vector<DirectoryEntry> known_entries(Ino directory) const;
  // Whether the layer lets a file's bytes be read, as far as they are its own. Must exist.
  Errno may_read(Ino ino) const;
  // A device under this name, durable at once. Only while nothing is pending.
  void add_device(Ino directory, const std::string& name, Device device);
  void watch_changes();                    // what is there now counts as unchanged
  LowerLayer* lower_layer() const;         // null: none was mounted
  // Of a file, the stretches (offset, bytes) below its size that are no holes, ascending.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> data_ranges(Ino ino) const;

  // ---- open references: an unlinked inode lives while it has any. A kill or power loss drops all.
  // The inode must exist; release() must answer a retain() that still counts.
  void retain(Ino ino);
  void release(Ino ino);

  // ---- content
  // Of a directory, this lists what lies beneath; type() never asks the layer.
  Outcome<Stat> stat(Ino ino) const;
  Outcome<NodeType> type(Ino ino) const;
  Outcome<std::size_t> read(Ino ino, std::uint64_t offset, std::span<std::byte> into) const;
  // All of `data`, or as much as capacity leaves (then ENOSPC if none). EFBIG above 2^62.
  Outcome<std::size_t> write(Ino ino, std::uint64_t offset, Bytes data, SimTime now);
  // Blocks of zeros where [offset, offset + length) has none, and a size of at least its end; what
  // is there stays. EINVAL for no length, EFBIG above 2^62, ENOSPC when not all fits (then what
  // fits is allocated).
  Errno allocate(Ino ino, std::uint64_t offset, std::uint64_t length, SimTime now);
  Errno truncate(Ino ino, std::uint64_t size, SimTime now);
  Errno set_times(Ino ino, std::optional<SimTime> accessed, std::optional<SimTime> modified,
                  SimTime now);

  // ---- barriers. Everything the profile makes durable by this sync is folded at once; the caller
  // decides how long it takes and calls this at its end. Pages that are sticky bad fail first; then
  // an error that this description has not seen is reported and nothing is folded (writeback.h).
  // What was called at `before` or later (a mark) is left as it was: a sync promises nothing for
  // what is written while it is under way.
  Errno sync(Ino ino, SyncKind kind, ErrorCursor& cursor, Mark before = kNow);
  // For a write with O_SYNC or O_DSYNC: of data, only the pages that [offset, offset + length)
  // touches; sizes, and what else the kind asks for, as in sync().
  Errno sync_range(Ino ino, std::uint64_t offset, std::uint64_t length, SyncKind kind,
                   ErrorCursor& cursor, Mark before = kNow);
  Mark mark() const;             // the present moment in the order of calls
  // Where a description that is opened now starts: errors that nobody saw are still before it.
  ErrorCursor open_cursor(Ino ino) const;
  // Background commit: what was called before `older_than` is folded, as far as the profile leaves
  // it pending. Takes crash states away, never adds one.
  void write_back(SimTime older_than);
  // Bytes of data and of names that a full sync of this inode would fold now (for time models and
  // traces).
  std::uint64_t pending_bytes(Ino ino) const;
  // Of the whole volume: the operations that a power loss between two calls may lose. A write is
  // one per page and one more per page that grows the file; other calls are one.
  std::size_t pending_operations() const;

  // ---- faults of the device (writeback.h)
  // Pages whose new bytes wait to be written, ascending. Under scc only those of the last
  // operation, under control never any: what they made durable cannot fail any more.
  std::vector<std::uint64_t> dirty_pages(Ino ino) const;
  // These pages fail in a writeback that happens now: just before a sync(), which then reports it,
  // or in the background.
  WritebackEffect fail_writeback(Ino ino, const WritebackFault& fault);
  // Sticky bad pages are bad no more: the drive has remapped their sectors.
  void heal_bad_pages();
  // The cache drops every page without pending data, as under memory pressure.
  EvictEffect evict();
  // Flips bits in one sector of one page that is on the disk. Clean pages show it at once, the same
  // on every read; a rewrite of the page repairs it. Nothing if the disk holds no data.
  std::optional<RotEffect> rot(Dice dice);
  // While full, no page and no inode can be allocated (ENOSPC); overwrites and removals work.
  void set_full(bool full);

  // ---- crashes
  // Process death: the volatile view stays; references are dropped, unlinked inodes freed.
  // If the last operation was a write of more than one page and `pages_kept` is given, only its
  // first pages_kept pages reached the cache (a SIGKILL between pages of generic_perform_write).
  void kill(std::optional<std::uint32_t> pages_kept = {});
  // The pages the last operation wrote, when it was a write; else 0.
  std::uint32_t last_write_pages() const;

  // Draws what a power loss at this moment keeps. `torn`: whether the last surviving data operation
  // is cut inside; then one is, whenever the profile and tear unit allow it for any.
  Survivors draw_survivors(InFlight in_flight, Dice dice, Tearing torn) const;
  // Power loss. A survivor set that was recorded in another history is applied as far as it fits.
  // Afterwards nothing is pending, nobody holds references, and both views are equal.
  CrashEffect power_loss(InFlight in_flight, const Survivors& survivors);
  // All survivor sets the profile allows at this moment, in a fixed order; stops when `visit` says
  // false. Sets that lead to equal images may repeat. Where the profile has no one order there are
  // exponentially many, and of the torn ones only those come that tear one page, at its front or
  // its back.
  void for_each_survivors(InFlight in_flight,
                          const std::function<bool(const Survivors&)>& visit) const;

  // A hash of everything a program can observe after a reboot: names, types, sizes, content, links.
  Hash128 image_hash() const;

  // Independent copy (for fan-out and enumeration).
  std::unique_ptr<Volume> clone() const;

  // Pages written through a memory mapping since the last call; none until mmap exists.
  std::vector<std::uint64_t> collect_mapped_dirty(Ino ino);

  struct Impl;   // volume_impl.h, for this folder only

 private:
  explicit Volume(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sf::kernel::disk
