// What a device that fails does to a volume: writebacks with an error, the cache that drops, rot.
//
// A failed writeback takes the page's data operations out of the log and leaves the volatile view
// alone: from then on no fold can bring these bytes to the disk, which is all that "turned clean"
// means. The operations that only grow the file stay, so the size becomes durable with the next
// sync that succeeds while the page keeps the disk's bytes. The set of lost pages is kept for the
// one thing that needs it: to show what the disk really holds when the cache is dropped.
//
// Errors follow lib/errseq.c of Linux: a counter per inode, and one bit that says whether somebody
// was told about its present value. An error on top of one that nobody saw does not count anew, and
// who opens the file while nobody saw the error starts before it.
#include "kernel/disk/writeback.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {

// ---- the error sequence

ErrorCursor Volume::open_cursor(Ino ino) const {
  const auto found = impl_->writeback.find(ino);
  if (found == impl_->writeback.end() || !found->second.seen) return {};
  return {found->second.raised};
}

Errno Volume::Impl::report(Ino ino, ErrorCursor& cursor) {
  const auto found = writeback.find(ino);
  if (found == writeback.end() || found->second.raised == cursor.seen) return Errno::kOk;
  found->second.seen = true;
  cursor.seen = found->second.raised;
  return found->second.error;
}

// ---- pages that fail

PageSet Volume::Impl::dirty_pages(Ino ino) const {
  PageSet pages;
  const std::vector<ContentOp>* content = log.content_of(ino);
  if (content == nullptr) return pages;
  for (const ContentOp& op : *content) {
    if (op.kind == ContentOp::Kind::kData) pages.insert(op.page);
    if (op.kind != ContentOp::Kind::kTruncate) continue;
    // What it cut off needs no writing any more; the page that it cut does.
    pages.erase(pages.lower_bound((op.size + kPageBytes - 1) / kPageBytes), pages.end());
    if (op.image) pages.insert(op.size / kPageBytes);
  }
  return pages;
}

std::vector<std::uint64_t> Volume::dirty_pages(Ino ino) const {
  const PageSet pages = impl_->dirty_pages(ino);
  return {pages.begin(), pages.end()};
}

void Volume::Impl::lose(Ino ino, const PageSet& pages, Errno error) {
  WritebackState& state = writeback[ino];
  if (state.raised == 0 || state.seen || state.error != error) ++state.raised;
  state.seen = false;
  state.error = error;
  log.drop_data(ino, pages);
  state.lost.insert(pages.begin(), pages.end());
  last_write.reset();
}

void Volume::Impl::fail_bad_pages() {
  for (auto& [ino, state] : writeback) {
    if (state.bad.empty()) continue;
    PageSet failing;
    for (const std::uint64_t page : dirty_pages(ino)) {
      if (state.bad.contains(page)) failing.insert(page);
    }
    if (!failing.empty()) lose(ino, failing, state.bad_error);
  }
}

void Volume::heal_bad_pages() {
  for (auto& [ino, state] : impl_->writeback) state.bad.clear();
}

std::string Volume::Impl::name_of(Ino ino) const {
  const std::string path = volatile_view.path_of(ino);
  return path.empty() ? fmt::format("a removed file ({})", ino) : path;
}

namespace {

std::string pages_text(const PageSet& pages) {
  constexpr std::size_t kNamedMax = 8;
  std::string text = pages.size() == 1 ? "page " : "pages ";
  std::size_t named = 0;
  for (const std::uint64_t page : pages) {
    if (named == kNamedMax) return text + fmt::format(" and {} more", pages.size() - named);
    text += fmt::format("{}{}", named++ == 0 ? "" : ", ", page);
  }
  return text;
}

}  // namespace

WritebackEffect Volume::fail_writeback(Ino ino, const WritebackFault& fault) {
  SF_CHECK(fault.error != Errno::kOk);
  Impl& impl = *impl_;
  if (impl.volatile_view.find(ino) == nullptr) return {0, "the file is gone"};
  const PageSet dirty = impl.dirty_pages(ino);
  PageSet named(fault.pages.begin(), fault.pages.end());
  if (named.empty()) named = dirty;
  PageSet failing;
  std::set_intersection(named.begin(), named.end(), dirty.begin(), dirty.end(),
                        std::inserter(failing, failing.end()));
  const std::string file = impl.name_of(ino);
  if (fault.persistence == BadPage::kSticky && !named.empty()) {
    WritebackState& state = impl.writeback[ino];
    state.bad.insert(named.begin(), named.end());
    state.bad_error = fault.error;
  }
  if (failing.empty()) return {0, "nothing of " + file + " that fails was waiting to be written"};
  impl.lose(ino, failing, fault.error);
  return {static_cast<std::uint32_t>(failing.size()),
          fmt::format("{} of {} turned clean; the disk keeps the old bytes", pages_text(failing),
                      file)};
}

// ---- pages that heal

void Volume::Impl::heal(Ino ino, std::uint64_t page) {
  const auto found = writeback.find(ino);
  if (found != writeback.end()) found->second.lost.erase(page);
}

void Volume::Impl::heal_truncated(const ContentOp& truncate) {
  const auto found = writeback.find(truncate.ino);
  if (found == writeback.end()) return;
  PageSet& lost = found->second.lost;
  lost.erase(lost.lower_bound((truncate.size + kPageBytes - 1) / kPageBytes), lost.end());
  if (truncate.image) lost.erase(truncate.size / kPageBytes);
}

// ---- the cache drops

FilePages Volume::Impl::pages_on_disk(Ino ino) const {
  Tree disk;
  const Inode* durable = durable_view.find(ino);
  disk.adopt(ino, durable != nullptr ? *durable : Inode{});
  if (const auto* content = log.content_of(ino)) {
    for (const ContentOp& op : *content) disk.apply(op);
  }
  return disk.find(ino)->pages;
}

EvictEffect Volume::evict() {
  Impl& impl = *impl_;
  EvictEffect effect;
  std::string shown;
  for (auto& [ino, state] : impl.writeback) {
    if (state.lost.empty()) continue;
    const FilePages disk = impl.pages_on_disk(ino);
    for (const std::uint64_t page : state.lost) {
      const PageRef* image = disk.find(page);
      impl.volatile_view.set_page(ino, page, image != nullptr ? *image : PageRef());
    }
    effect.revealed += static_cast<std::uint32_t>(state.lost.size());
    shown += fmt::format("{}{} of {}", shown.empty() ? "" : "; ", pages_text(state.lost),
                         impl.name_of(ino));
    state.lost.clear();
  }
  impl.last_write.reset();
  std::uint64_t dirty = 0;
  for (const Ino ino : impl.log.inodes_with_content()) dirty += impl.dirty_pages(ino).size();
  const std::uint64_t cached = impl.volatile_view.pages();
  effect.pages = static_cast<std::uint32_t>(cached - std::min(cached, dirty));
  constexpr std::size_t kShownBytesMax = 300;
  effect.description = fmt::format("{} clean pages dropped", effect.pages);
  if (effect.revealed > 0) {
    effect.description += excerpt("; the disk's bytes show in " + shown, kShownBytesMax);
  }
  return effect;
}

// ---- rot

bool Volume::Impl::changes_page(Ino ino, std::uint64_t page) const {
  const std::vector<ContentOp>* content = log.content_of(ino);
  if (content == nullptr) return false;
  return std::any_of(content->begin(), content->end(), [page](const ContentOp& op) {
    return (op.kind == ContentOp::Kind::kData && op.page == page) ||
           (op.kind == ContentOp::Kind::kTruncate && page >= op.size / kPageBytes);
  });
}

std::optional<RotEffect> Volume::rot(Dice dice) {
  Impl& impl = *impl_;
  // Nothing is ever pending under control: there the one view is the disk.
  const bool one_view = impl.rules.uncertain == ProfileRules::Uncertain::kNothing;
  Tree& disk = one_view ? impl.volatile_view : impl.durable_view;
  struct Place {
    Ino ino = 0;
    std::uint64_t page = 0;
  };
  std::vector<Place> places;
  disk.for_each_file([&](Ino ino, const Inode& file) {
    if (impl.volatile_view.find(ino) == nullptr) return;   // nobody could read it
    file.pages.for_each([&](std::uint64_t page, const PageRef&) {
      if (page * kPageBytes < file.size) places.push_back({ino, page});
    });
  });
  if (places.empty()) return std::nullopt;
  const Place place = places[dice.below(places.size())];
  const Inode& file = *disk.find(place.ino);
  const std::uint32_t sector_bytes = impl.options.sector_bytes;
  const std::uint64_t used = std::min<std::uint64_t>(kPageBytes,
                                                     file.size - place.page * kPageBytes);
  const std::uint64_t sector = dice.below((used + sector_bytes - 1) / sector_bytes);
  const std::uint64_t bytes = std::min<std::uint64_t>(sector_bytes, used - sector * sector_bytes);
  constexpr std::uint64_t kBitsMax = 8;
  PageSet bits;   // within the sector; a set, so that no flip takes another one back
  for (std::uint64_t left = 1 + dice.below(kBitsMax); left > 0; --left) {
    bits.insert(dice.below(bytes * 8));
  }
  const PageRef before = *file.pages.find(place.page);
  PageRef after = impl.arena->copy(&before);
  for (const std::uint64_t bit : bits) {
    after.fill()[sector * sector_bytes + bit / 8] ^= std::byte{1} << (bit % 8);
  }
  const auto state = impl.writeback.find(place.ino);
  const bool lost = state != impl.writeback.end() && state->second.lost.contains(place.page);
  const bool clean = !lost && !impl.changes_page(place.ino, place.page);
  disk.set_page(place.ino, place.page, after);
  if (clean && !one_view) impl.volatile_view.set_page(place.ino, place.page, after);
  impl.last_write.reset();
  return RotEffect{fmt::format("{} bit{} of sector {} of page {} of {} flipped", bits.size(),
                               bits.size() == 1 ? "" : "s", sector, place.page,
                               impl.name_of(place.ino))};
}

void Volume::set_full(bool full) { impl_->full = full; }

}  // namespace sf::kernel::disk
