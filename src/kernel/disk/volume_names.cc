// Names: what Linux answers to calls on directory entries, and the operation each success becomes.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {
namespace {

constexpr std::uint64_t kLinksMax = 65'000;            // EXT4_LINK_MAX, fs/ext4/ext4.h
constexpr std::uint64_t kTargetBytesMax = kPathBytesMax - 1;   // the path's NUL counts

// Cookies 1 and 2 stand after "." and ".."; an entry's is its slot, moved past them.
constexpr std::uint64_t kCookieDot = 1;
constexpr std::uint64_t kCookieDots = 2;
constexpr std::uint64_t kCookieEntries = 3;
static_assert(DirectoryEntries::kSlots + kCookieEntries < 1ULL << 31);

}  // namespace

Errno check_name(std::string_view name) {
  if (name.empty()) return Errno::kNoEnt;
  if (name.size() > kNameBytesMax) return Errno::kNameTooLong;
  if (name.find('/') != name.npos || name.find('\0') != name.npos) return Errno::kInval;
  return Errno::kOk;
}

Outcome<Ino> Volume::lookup(Ino directory, std::string_view name) const {
  const Tree& tree = impl_->volatile_view;
  const Inode* holder = tree.directory(directory);
  if (holder == nullptr) return fail(Errno::kNotDir);
  if (const Errno bad = check_name(name); bad != Errno::kOk) return fail(bad);
  if (name == ".") return directory;
  if (name == "..") {
    if (tree.directory(holder->parent) == nullptr) return fail(Errno::kNoEnt);
    return holder->parent;
  }
  const Outcome<Ino> found = impl_->entry(directory, name);
  if (found && *found == 0) return fail(Errno::kNoEnt);
  return found;
}

// ---- new names

// Whether a new entry may get this name.
Errno Volume::Impl::check_new_name(Ino directory, std::string_view name) {
  const Inode* holder = volatile_view.directory(directory);
  if (holder == nullptr) return Errno::kNotDir;
  if (const Errno bad = check_name(name); bad != Errno::kOk) return bad;
  if (is_dot_or_dots(name)) return Errno::kExist;
  if (holder->links == 0) return Errno::kNoEnt;   // a removed directory that is still open
  const Outcome<Ino> known = entry(directory, name);
  if (!known) return known.error();
  if (*known != 0) return Errno::kExist;
  return volatile_view.directory(directory)->entries.full() ? Errno::kNoSpc : Errno::kOk;
}

Outcome<Ino> Volume::Impl::make(NameOp op) {
  const Errno refused = check_new_name(op.directory, op.name);
  if (refused != Errno::kOk) return fail(refused);
  if (!may_add_name() || volatile_view.inodes() >= options.inodes_max) {
    return fail(Errno::kNoSpc);
  }
  op.ino = next_ino++;
  const Ino made = op.ino;
  perform(std::move(op));
  return made;
}

Outcome<Ino> Volume::create_file(Ino directory, std::string_view name, SimTime now) {
  impl_->begin_operation();
  return impl_->make(impl_->name_op(NameOp::Kind::kCreate, 0, directory, name, now));
}

Outcome<Ino> Volume::make_directory(Ino directory, std::string_view name, SimTime now) {
  impl_->begin_operation();
  return impl_->make(impl_->name_op(NameOp::Kind::kMakeDirectory, 0, directory, name, now));
}

Outcome<Ino> Volume::make_symlink(Ino directory, std::string_view name, std::string_view target,
                                  SimTime now) {
  impl_->begin_operation();
  if (target.empty()) return fail(Errno::kNoEnt);
  if (target.size() > kTargetBytesMax) return fail(Errno::kNameTooLong);
  if (target.find('\0') != target.npos) return fail(Errno::kInval);
  NameOp op = impl_->name_op(NameOp::Kind::kMakeSymlink, 0, directory, name, now);
  op.target = target;
  return impl_->make(std::move(op));
}

Errno Volume::link(Ino existing, Ino directory, std::string_view name, SimTime now) {
  impl_->begin_operation();
  const Inode* inode = impl_->volatile_view.find(existing);
  if (inode == nullptr) return Errno::kNoEnt;
  const Errno refused = impl_->check_new_name(directory, name);
  if (refused != Errno::kOk) return refused;
  if (inode->type == NodeType::kDirectory) return Errno::kPerm;
  if (inode->links == 0) return Errno::kNoEnt;
  if (inode->links >= kLinksMax) return Errno::kMLink;
  if (impl_->volatile_view.metadata_bytes() >= impl_->options.capacity_bytes) {
    return Errno::kNoSpc;
  }
  impl_->perform(impl_->name_op(NameOp::Kind::kLink, existing, directory, name, now));
  return Errno::kOk;
}

// ---- names that go

Errno Volume::unlink(Ino directory, std::string_view name, SimTime now) {
  impl_->begin_operation();
  if (is_dot_or_dots(name)) {
    return impl_->volatile_view.directory(directory) ? Errno::kIsDir : Errno::kNotDir;
  }
  if (const Errno gone = impl_->reveal(directory); gone != Errno::kOk) return gone;
  const Outcome<Ino> ino = lookup(directory, name);
  if (!ino) return ino.error();
  if (impl_->volatile_view.directory(*ino) != nullptr) return Errno::kIsDir;
  impl_->perform(impl_->name_op(NameOp::Kind::kUnlink, *ino, directory, name, now));
  return Errno::kOk;
}

Errno Volume::remove_directory(Ino directory, std::string_view name, SimTime now) {
  impl_->begin_operation();
  if (impl_->volatile_view.directory(directory) == nullptr) return Errno::kNotDir;
  if (name == ".") return Errno::kInval;
  if (name == "..") return Errno::kNotEmpty;
  if (const Errno gone = impl_->reveal(directory); gone != Errno::kOk) return gone;
  const Outcome<Ino> ino = lookup(directory, name);
  if (!ino) return ino.error();
  const Inode* victim = impl_->volatile_view.directory(*ino);
  if (victim == nullptr) return Errno::kNotDir;
  if (impl_->mounts.contains(victim->lower)) return Errno::kBusy;
  if (const Errno gone = impl_->reveal(*ino); gone != Errno::kOk) return gone;
  victim = impl_->volatile_view.directory(*ino);
  if (!victim->entries.empty()) return Errno::kNotEmpty;
  impl_->perform(impl_->name_op(NameOp::Kind::kRemoveDirectory, *ino, directory, name, now));
  return Errno::kOk;
}

// ---- rename

namespace {

// rename(2)'s rules for what may replace what.
Errno check_replacement(const Inode& source, const Inode& target) {
  const bool source_is_directory = source.type == NodeType::kDirectory;
  const bool target_is_directory = target.type == NodeType::kDirectory;
  if (source_is_directory && !target_is_directory) return Errno::kNotDir;
  if (!source_is_directory && target_is_directory) return Errno::kIsDir;
  return target.entries.empty() ? Errno::kOk : Errno::kNotEmpty;
}

}  // namespace

bool Volume::Impl::lies_within(Ino ino, Ino directory) const {
  while (ino != directory && ino != Tree::kRoot) {
    const Inode* at = volatile_view.directory(ino);
    if (at == nullptr || at->links == 0) return false;
    ino = at->parent;
  }
  return ino == directory;
}

Errno Volume::rename(Ino from_directory, std::string_view from, Ino to_directory,
                     std::string_view to, SimTime now) {
  impl_->begin_operation();
  const Tree& tree = impl_->volatile_view;
  if (!tree.directory(from_directory) || !tree.directory(to_directory)) return Errno::kNotDir;
  if (is_dot_or_dots(from) || is_dot_or_dots(to)) return Errno::kBusy;
  for (const Ino directory : {from_directory, to_directory}) {
    if (const Errno gone = impl_->reveal(directory); gone != Errno::kOk) return gone;
  }
  const Outcome<Ino> source = lookup(from_directory, from);
  if (!source) return source.error();
  const Outcome<Ino> target = lookup(to_directory, to);
  if (!target && target.error() != Errno::kNoEnt) return target.error();
  if (to.empty() || tree.directory(to_directory)->links == 0) return Errno::kNoEnt;
  const bool is_directory = tree.directory(*source) != nullptr;
  // An entry of a directory is never above it: within one there is no need to look all the way up.
  const bool moves = from_directory != to_directory;
  if (moves && is_directory && impl_->lies_within(to_directory, *source)) return Errno::kInval;
  if (moves && target && tree.directory(*target) &&
      impl_->lies_within(from_directory, *target)) {
    return Errno::kNotEmpty;
  }
  if (target && *target == *source) return Errno::kOk;
  const bool busy = impl_->held_by_mounts.contains(*source) ||
                    (target && impl_->held_by_mounts.contains(*target));
  if (target) {
    if (const Errno gone = impl_->reveal(*target); gone != Errno::kOk) return gone;
    const Errno refused = check_replacement(*tree.find(*source), *tree.find(*target));
    if (refused == Errno::kNotEmpty && busy) return Errno::kBusy;
    if (refused != Errno::kOk) return refused;
  } else if (tree.directory(to_directory)->entries.full()) {
    return Errno::kNoSpc;
  }
  if (busy) return Errno::kBusy;
  NameOp op = impl_->name_op(NameOp::Kind::kRename, *source, from_directory, from, now);
  op.to_directory = to_directory;
  op.to_name = to;
  op.replaced = target ? *target : 0;
  op.moves_directory = is_directory;
  op.replaces_directory = is_directory && target;
  impl_->perform(std::move(op));
  return Errno::kOk;
}

// ---- reading names

Outcome<std::string> Volume::read_symlink(Ino ino) const {
  const Inode* inode = impl_->volatile_view.find(ino);
  if (inode == nullptr) return fail(Errno::kNoEnt);
  if (inode->type != NodeType::kSymlink) return fail(Errno::kInval);
  return inode->target;
}

Outcome<std::vector<DirectoryEntry>> Volume::list(Ino directory, std::uint64_t cookie,
                                                  std::size_t limit) const {
  const Inode* holder = impl_->volatile_view.directory(directory);
  if (holder == nullptr) return fail(Errno::kNotDir);
  std::vector<DirectoryEntry> found;
  if (holder->links == 0) return found;
  if (const Errno gone = impl_->reveal(directory); gone != Errno::kOk) return fail(gone);
  holder = impl_->volatile_view.directory(directory);
  const auto dot = [&](const char* name, Ino ino, std::uint64_t at) {
    if (cookie < at && found.size() < limit) {
      found.push_back({name, ino, NodeType::kDirectory, at});
    }
  };
  dot(".", directory, kCookieDot);
  dot("..", holder->parent, kCookieDots);
  // The first entry whose cookie is greater than the given one.
  const std::uint64_t after = cookie < kCookieEntries ? 0 : cookie - kCookieEntries + 1;
  if (after >= DirectoryEntries::kSlots) return found;
  for (auto at = holder->entries.from(static_cast<DirectoryEntries::Slot>(after));
       at != holder->entries.end() && found.size() < limit; ++at) {
    const auto& [slot, entry] = *at;
    const Inode* inode = impl_->volatile_view.find(entry.ino);
    SF_CHECK(inode != nullptr);
    found.push_back({entry.name, entry.ino, inode->type, slot + kCookieEntries});
  }
  return found;
}

}  // namespace sf::kernel::disk
