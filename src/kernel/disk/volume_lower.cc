// The layer beneath a volume: an entry is taken over when its name, or all of its directory, is
// first asked for, pages when they are first changed.
//
// Taking over is not an operation: it changes nothing that a program can see (but which of two
// names that want one slot is listed first), cannot be lost, and happens in both views at once,
// since what lies beneath was durable before the run began. A directory that has only some of its
// entries is `unlisted`. No name ever goes from one: whatever removes a name lists the directory
// first, so that nothing shows up again which was removed. In each view it is asked on its own
// whether a page still shows what is beneath: after a truncation that is pending, the durable view
// still has bytes from beneath where the volatile one has none.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {

void Volume::mount(Ino directory, std::shared_ptr<LowerLayer> layer, LowerId lower) {
  Impl& impl = *impl_;
  SF_CHECK(impl.log.empty() && layer != nullptr && lower != 0);
  SF_CHECK(impl.lower == nullptr || impl.lower == layer);
  impl.lower = std::move(layer);
  impl.mounts.insert(lower);
  impl.for_each_view([&](Tree& view) {
    Inode& inode = view.edit(directory);
    SF_CHECK(inode.type == NodeType::kDirectory && inode.links > 0);
    inode.lower = lower;
    inode.unlisted = true;
  });
  for (Ino at = directory; at != Tree::kRoot; at = impl.volatile_view.find(at)->parent) {
    impl.held_by_mounts.insert(at);
  }
}

std::vector<DirectoryEntry> Volume::known_entries(Ino directory) const {
  const Tree& tree = impl_->volatile_view;
  SF_CHECK(tree.directory(directory) != nullptr);
  std::vector<DirectoryEntry> known;
  for (const auto& [slot, entry] : tree.directory(directory)->entries) {
    known.push_back({entry.name, entry.ino, tree.find(entry.ino)->type, 0});
  }
  return known;
}

Errno Volume::may_read(Ino ino) const {
  const Inode* inode = impl_->volatile_view.find(ino);
  SF_CHECK(inode != nullptr);
  if (inode->lower == 0) return Errno::kOk;
  const bool is_cut_off = inode->lower_bytes == 0 && lower_state(ino).changed;
  return is_cut_off ? Errno::kOk : impl_->lower->may_read(inode->lower);
}

Volume::LowerState Volume::lower_state(Ino ino) const {
  const Inode* inode = impl_->volatile_view.find(ino);
  SF_CHECK(inode != nullptr);
  const OpSeq last = std::max(inode->changed.seq, inode->modified.seq);
  return {.lower = inode->lower,
          .mounted = impl_->mounts.contains(inode->lower),
          .changed = last >= impl_->watched_from,
          .listed = !inode->unlisted};
}

void Volume::watch_changes() { impl_->watched_from = impl_->next_seq; }

void Volume::add_device(Ino directory, const std::string& name, Device device) {
  Impl& impl = *impl_;
  SF_CHECK(impl.log.empty() && impl.check_new_name(directory, name) == Errno::kOk);
  const Ino ino = impl.next_ino++;
  impl.for_each_view([&](Tree& view) { view.add_device(directory, name, device, ino); });
}

LowerLayer* Volume::lower_layer() const { return impl_->lower.get(); }

std::vector<std::pair<std::uint64_t, std::uint64_t>> Volume::data_ranges(Ino ino) const {
  const Inode* inode = impl_->volatile_view.find(ino);
  SF_CHECK(inode != nullptr && inode->type == NodeType::kFile);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    to = std::min(to, inode->size);
    if (from >= to) return;
    if (!ranges.empty() && ranges.back().first + ranges.back().second >= from) {
      from = ranges.back().first;
      ranges.pop_back();
    }
    ranges.emplace_back(from, to - from);
  };
  // Beneath the file's own pages lies one stretch from its start.
  add(0, inode->lower_bytes);
  inode->pages.for_each([&](std::uint64_t page, const PageRef&) {
    const std::uint64_t from = page * kPageBytes;
    if (from + kPageBytes > inode->lower_bytes) add(from, from + kPageBytes);
  });
  return ranges;
}

namespace {

// Numbers of what is taken over depend on nothing but where it lies, so that a run is the same
// whatever else lies beneath. They have 62 bits and this one above; those of the volume's own
// inodes are counted from 1.
constexpr Ino kLowerInos = 1ULL << 62;

Ino lower_number(Ino directory, std::string_view name) {
  return kLowerInos | (mix_into(hash64(name), directory) >> 2);
}

}  // namespace

Ino Volume::Impl::take_over(Ino directory, const LowerEntry& entry) {
  if (const Ino known = volatile_view.entry(directory, entry.name); known != 0) return known;
  Ino ino = lower_number(directory, entry.name);
  while (volatile_view.find(ino) != nullptr || durable_view.find(ino) != nullptr) ++ino;
  for_each_view([&](Tree& view) {
    // One that is missing here was removed, or made by the program; neither is unlisted.
    SF_CHECK(view.directory(directory) != nullptr);
    view.take_over(directory, entry, ino);
  });
  return ino;
}

Errno Volume::Impl::reveal(Ino directory) {
  const Inode* holder = volatile_view.directory(directory);
  if (holder == nullptr || !holder->unlisted) return Errno::kOk;
  const Outcome<std::vector<LowerEntry>> entries = lower->list(holder->lower);
  if (!entries) return entries.error();
  for (const LowerEntry& entry : *entries) take_over(directory, entry);
  for_each_view([&](Tree& view) { view.edit(directory).unlisted = false; });
  return Errno::kOk;
}

Outcome<Ino> Volume::Impl::entry(Ino directory, std::string_view name) {
  const Inode* holder = volatile_view.directory(directory);
  SF_CHECK(holder != nullptr);
  const Ino known = holder->entries.find(name);
  if (known != 0 || !holder->unlisted) return known;
  const Outcome<std::optional<LowerEntry>> beneath = lower->find(holder->lower, name);
  if (!beneath) return fail(beneath.error());
  return *beneath ? take_over(directory, **beneath) : Ino{0};
}

bool Volume::Impl::shows_lower(const Tree& view, Ino ino, std::uint64_t page) const {
  const Inode* inode = view.find(ino);
  return inode != nullptr && page * kPageBytes < inode->lower_bytes &&
         inode->pages.find(page) == nullptr;
}

Errno Volume::Impl::copy_up(Ino ino, std::uint64_t page) {
  PageRef image;
  Errno error = Errno::kOk;
  for_each_view([&](Tree& view) {
    if (error != Errno::kOk || !shows_lower(view, ino, page)) return;
    const Inode& inode = *view.find(ino);
    const std::uint64_t at = page * kPageBytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(kPageBytes, inode.lower_bytes - at);
    PageRef own = arena->copy(nullptr);
    error = lower->read(inode.lower, at, std::span(own.fill(), bytes));
    if (error == Errno::kOk) view.set_page(ino, page, std::move(own));
  });
  return error;
}

Errno Volume::Impl::read_lower(const Inode& file, std::uint64_t offset,
                               std::span<std::byte> into) const {
  const std::uint64_t covered =
      offset < file.lower_bytes
          ? std::min<std::uint64_t>(into.size(), file.lower_bytes - offset)
          : 0;
  std::memset(into.data() + covered, 0, into.size() - covered);
  if (covered == 0) return Errno::kOk;
  return lower->read(file.lower, offset, into.first(covered));
}

}  // namespace sf::kernel::disk
