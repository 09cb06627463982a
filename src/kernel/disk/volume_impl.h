// The inside of a Volume, shared by the files that implement it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/disk/crash_text.h"
#include "kernel/disk/log.h"
#include "kernel/disk/page.h"
#include "kernel/disk/path.h"
#include "kernel/disk/profile.h"
#include "kernel/disk/tree.h"
#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

// The last operation, when it was a write: what a kill in the middle of it takes back.
struct LastWrite {
  struct PageBefore {
    std::uint64_t page = 0;
    PageRef image;              // nothing: it was a hole
    bool lost = false;          // it was lost, and the write healed it
    std::uint64_t size = 0;     // of the file before this page was written
    OpSeq first_seq = 0;        // of this page's operations
  };
  Ino ino = 0;
  Stamp modified, changed;      // before the write
  std::uint32_t page_count = 0;
  std::vector<PageBefore> pages;   // kept only for writes of more than one page
};

using PageSet = std::set<std::uint64_t>;

// What failed writebacks left behind for one inode.
struct WritebackState {
  std::uint64_t raised = 0;     // errors so far; an error on top of one that nobody saw is the same
  bool seen = false;            // the last one was reported to somebody
  Errno error = Errno::kOk;     // the last one
  PageSet lost;                 // clean in the cache, different on the disk
  PageSet bad;                  // fail in every writeback
  Errno bad_error = Errno::kIo; // with this
};

struct Volume::Impl {
  explicit Impl(const VolumeOptions& chosen);

  // ---- every operation that may change something starts here, also one that will fail: the one
  // before it has returned, and too much pending is written back.
  void begin_operation();
  void write_back_oldest_half();
  void fold_oldest(const std::vector<PendingOp>& all, std::size_t count);

  // Applies to the volatile view and makes it pending as the profile says.
  void perform(NameOp op);
  void perform(ContentOp op);
  NameOp name_op(NameOp::Kind kind, Ino ino, Ino directory, std::string_view name, SimTime now);
  ContentOp content_op(ContentOp::Kind kind, Ino ino, SimTime now);
  void fold(const NameOp& op);       // into the durable view
  void fold(const ContentOp& op);
  void fold(const PendingOp& op);
  void fold_all_pending();

  // ---- barriers.cc
  void fold_synced(Ino ino, SyncKind kind, Mark before, std::optional<PageSet> only);
  void fold_inode_of(Ino ino);       // where a sync leaves the name pending
  bool leaves_times(SyncKind kind) const;

  // ---- writeback.cc
  // Called before anything is folded by a writeback: pages that are sticky bad do not get there.
  void fail_bad_pages();
  PageSet dirty_pages(Ino ino) const;
  void lose(Ino ino, const PageSet& pages, Errno error);
  Errno report(Ino ino, ErrorCursor& cursor);
  void heal(Ino ino, std::uint64_t page);
  void heal_truncated(const ContentOp& truncate);
  bool changes_page(Ino ino, std::uint64_t page) const;   // does anything pending do so?
  FilePages pages_on_disk(Ino ino) const;   // when all that is pending of it is written
  std::string name_of(Ino ino) const;       // its path, for messages

  bool may_allocate_page() const {
    return !full && volatile_view.pages() < options.capacity_bytes / kPageBytes;
  }
  // Whether there is room for one more name: what is not content may take as much as content may.
  bool may_add_name() const {
    return !full && volatile_view.metadata_bytes() < options.capacity_bytes;
  }
  // Volatile view: no names and nobody holds it. A removed directory that is held holds its parent.
  void free_if_unused(Ino ino);
  bool unreference(Ino ino);
  void drop_references();

  // ---- volume_lower.cc
  // Before anything is asked about all entries of a directory, and before one of them goes: takes
  // over those from beneath.
  Errno reveal(Ino directory);
  Outcome<Ino> entry(Ino directory, std::string_view name);   // 0: none, here and beneath
  Ino take_over(Ino directory, const LowerEntry& entry);
  // Whether this page of a file comes from beneath.
  bool shows_lower(const Tree& view, Ino ino, std::uint64_t page) const;
  // Before the page is changed: it becomes one of the volume's own, where it shows what is beneath.
  Errno copy_up(Ino ino, std::uint64_t page);
  // Bytes of a file in which no page lies: from beneath, or zeros.
  Errno read_lower(const Inode& file, std::uint64_t offset, std::span<std::byte> into) const;
  template <class Visit>
  void for_each_view(Visit visit) {
    visit(volatile_view);
    if (rules.uncertain != ProfileRules::Uncertain::kNothing) visit(durable_view);
  }

  Errno check_new_name(Ino directory, std::string_view name);
  Outcome<Ino> make(NameOp op);
  bool lies_within(Ino ino, Ino directory) const;   // is it that directory or below it?

  // The operations that a power loss now may lose, in the order in which they would survive.
  std::vector<PendingOp> uncertain(const InFlight& in_flight, bool sync_first) const;

  // Inside a sync: the order of the calls, and the one in which the sync writes.
  bool has_two_orders(const InFlight& in_flight) const;
  std::vector<bool> covered_by_sync(const std::vector<PendingOp>& order, Ino ino) const;
  Loss fit_prefix(const std::vector<PendingOp>& order, const Survivors& survivors) const;
  Loss fit_set(const std::vector<PendingOp>& order, const Survivors& survivors,
               bool sync_first) const;
  void fold_torn(const ContentOp& op, const Loss::Torn& torn);
  std::string missing_barrier(const Loss& loss, const std::vector<PendingOp>& order,
                              const InFlight& in_flight) const;

  // The end of every power loss: both views become what the durable one is now.
  void restart_from_durable();

  VolumeOptions options;
  ProfileRules rules;
  std::shared_ptr<PageArena> arena;  // before everything that holds pages; shared with clones
  Tree volatile_view;
  Tree durable_view;                 // unused where nothing is ever pending
  PendingLog log;
  std::shared_ptr<LowerLayer> lower;   // shared with clones
  std::set<LowerId> mounts;
  std::set<Ino> held_by_mounts;        // directories that are mounted on, and all above them
  OpSeq watched_from = 1;              // operations from this one on are changes
  std::map<Ino, std::uint64_t> references;
  std::set<Ino> holds_parent;          // removed directories that count as a reference of theirs
  Ino next_ino = Tree::kRoot + 1;
  OpSeq next_seq = 1;
  std::map<Ino, WritebackState> writeback;
  bool full = false;
  OpSeq operation_start = 1;         // the first number of the last operation
  std::optional<LastWrite> last_write;
};

Errno check_name(std::string_view name);

}  // namespace sf::kernel::disk
