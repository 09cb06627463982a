// The pending operations of a volume: what has been called and is not yet certain to survive.
//
// One order (the sequence numbers) runs through all of them. They are stored by what a barrier asks
// for: the operations on names in one list, those on content per inode. The version chain of a page
// is the subsequence of kData operations with its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "kernel/disk/operation.h"
#include "kernel/disk/profile.h"

namespace sf::kernel::disk {

// One pending operation, of either kind. Valid until the log changes.
struct PendingOp {
  OpSeq seq = 0;
  const NameOp* name = nullptr;
  const ContentOp* content = nullptr;
};

class PendingLog {
 public:
  // Sequence numbers ascend from call to call.
  void push(NameOp op);
  void push(ContentOp op);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::vector<NameOp>& names() const { return names_; }
  const std::vector<ContentOp>* content_of(Ino ino) const;   // null: none

  std::vector<Ino> inodes_with_content() const;              // ascending

  // All of them, oldest first.
  std::vector<PendingOp> in_order() const;

  // Take operations out, in their order. `chosen` is parallel to names().
  std::vector<NameOp> take_names(const std::vector<bool>& chosen);
  using Stays = std::function<bool(const ContentOp&)>;
  std::vector<ContentOp> take_content(Ino ino, const Stays& stays);

  // The pending operation that makes this inode now only gives it its name. The operation, if there
  // is one and it still made the inode.
  const NameOp* leave_only_the_name(Ino ino);
  bool has_birth_of(Ino ino) const;   // whether an operation is pending that makes it

  // A failed writeback: the data of these pages will not be written. What a truncate wrote into the
  // page it cut is not either; the disk only zeroes its own bytes there.
  void drop_data(Ino ino, const std::set<std::uint64_t>& pages);
  void drop_before(OpSeq seq);                        // operations with smaller numbers
  void drop_content_from(Ino ino, OpSeq first);       // of the inode's, those from this number on
  void clear();

 private:
  std::vector<NameOp> names_;
  std::map<Ino, std::vector<ContentOp>> content_;     // no list is empty
  std::size_t size_ = 0;
};

// Which operations on names a sync of this inode folds: its own and all that they need, in the
// terms of docs/design/disk.md. Parallel to `names`.
std::vector<bool> names_to_sync(const std::vector<NameOp>& names, Ino ino,
                                ProfileRules::SyncNames rule);

}  // namespace sf::kernel::disk
