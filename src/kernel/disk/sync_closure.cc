// Which pending operations on names a sync folds.
//
// A sync of an inode folds that inode's own operations ahead of older ones that stay pending. That
// is sound only if what is folded makes sense without what stays: the disk must be one that the
// program could have made by calling the folded operations alone, in their order. So the fold takes
// along every older operation that one of its own needs, and what those need, and so on:
//
//   entry    an operation on an entry (directory, name) needs every older one on the same entry
//            (S3): the new owner of a name never appears without the old one's departure;
//   birth    a name needs the inode it leads to and the directory it lies in to exist (S2), hence
//            all directories up to one that is durable;
//   keep     removing one name of an inode needs the older operations that gave it others, or the
//            inode could lose its only durable name while it has another one in memory;
//   empty    removing a directory, by rmdir or by a rename over it, needs every older operation on
//            an entry inside, or entries that were moved away would be lost with it;
//   moves    moving a directory needs all older moves of directories (S5): two of them in the wrong
//            order can make a cycle that no path reaches.
//
// Needs point only to older operations, so one walk from the newest to the oldest with the set of
// what has been needed so far finds them all. What is left pending never disagrees with what was
// folded: docs/design/disk.md has the argument, twin_test.cc the experiment, and Tree::apply checks
// at each fold that entries hold what they are expected to.
#include "kernel/disk/log.h"
#include "kernel/disk/name_needs.h"

namespace sf::kernel::disk {
namespace {

bool is_own(const NameOp& op, Ino ino, ProfileRules::SyncNames rule) {
  const bool named = op.ino == ino && rule == ProfileRules::SyncNames::kItsOwn;
  return named || op.directory == ino || op.to_directory == ino;
}

}  // namespace

std::vector<bool> names_to_sync(const std::vector<NameOp>& names, Ino ino,
                                ProfileRules::SyncNames rule) {
  std::vector<bool> chosen(names.size(), false);
  NameNeeds needs;
  for (std::size_t i = names.size(); i-- > 0;) {
    if (!is_own(names[i], ino, rule) && !needs.include(names[i])) continue;
    chosen[i] = true;
    needs.add_those_of(names[i]);
  }
  return chosen;
}

}  // namespace sf::kernel::disk
