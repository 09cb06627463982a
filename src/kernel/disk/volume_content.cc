// Content: reads, and writes cut into one operation per page and one per step of growth.
//
// A write of the bytes [offset, end) becomes, page by page and in this order,
//   DATA(page)           the page's new image
//   EXT(page, size)      if the page was a hole: it gets a block, and the size grows with it
//   SIZE(size)           if it had a block and the file ends inside it
// so that a power loss between two of them never shows a size whose data is not there yet.
// fault-models.md 2.2; Bornholt et al., "Specifying and Checking File System Crash-Consistency
// Models", for why the growth inside a block and the growth by a block are different things.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {
namespace {

// Of a file; the error that a call on something else gets.
Errno check_file(const Inode* inode) {
  if (inode == nullptr) return Errno::kNoEnt;
  switch (inode->type) {
    case NodeType::kFile: return Errno::kOk;
    case NodeType::kDirectory: return Errno::kIsDir;
    case NodeType::kSymlink:
    case NodeType::kDevice: return Errno::kInval;
  }
  return Errno::kInval;
}

}  // namespace

Outcome<Stat> Volume::stat(Ino ino) const {
  const Inode* inode = impl_->volatile_view.find(ino);
  if (inode == nullptr) return fail(Errno::kNoEnt);
  if (inode->unlisted) {
    // Its links count folders; of one that may not be read, those that are known.
    impl_->reveal(ino);
    inode = impl_->volatile_view.find(ino);
  }
  const std::uint64_t size =
      inode->type == NodeType::kSymlink ? inode->target.size() : inode->size;
  return Stat{ino, inode->type, size, inode->links, inode->accessed.time, inode->modified.time,
              inode->changed.time, inode->device};
}

Outcome<NodeType> Volume::type(Ino ino) const {
  const Inode* inode = impl_->volatile_view.find(ino);
  if (inode == nullptr) return fail(Errno::kNoEnt);
  return inode->type;
}

Outcome<std::size_t> Volume::read(Ino ino, std::uint64_t offset, std::span<std::byte> into) const {
  const Inode* inode = impl_->volatile_view.find(ino);
  if (const Errno bad = check_file(inode); bad != Errno::kOk) return fail(bad);
  if (offset >= inode->size) return std::size_t{0};
  const std::size_t total = std::min<std::uint64_t>(into.size(), inode->size - offset);
  for (std::size_t done = 0; done < total;) {
    const std::uint64_t at = offset + done;
    const std::size_t in_page = at % kPageBytes;
    const std::size_t count = std::min<std::size_t>(kPageBytes - in_page, total - done);
    if (const PageRef* image = inode->pages.find(at / kPageBytes)) {
      std::memcpy(into.data() + done, image->bytes() + in_page, count);
    } else if (at < inode->lower_bytes) {
      const Errno error = impl_->read_lower(*inode, at, into.subspan(done, count));
      if (error != Errno::kOk) return fail(error);
    } else {
      std::memset(into.data() + done, 0, count);
    }
    done += count;
  }
  return total;
}

// ---- write

namespace {

// The part of a write that falls into one page.
struct Piece {
  std::uint64_t page = 0;
  std::uint32_t from = 0;
  Bytes data;
  std::uint32_t to() const { return from + static_cast<std::uint32_t>(data.size()); }
  std::uint64_t end() const { return page * kPageBytes + to(); }
};

Piece first_piece(std::uint64_t offset, Bytes data) {
  const auto from = static_cast<std::uint32_t>(offset % kPageBytes);
  return {offset / kPageBytes, from, data.first(std::min<std::size_t>(kPageBytes - from,
                                                                      data.size()))};
}

PageRef patched(PageArena& arena, const PageRef* old, const Piece& piece) {
  const bool whole = piece.data.size() == kPageBytes;
  PageRef image = whole ? arena.allocate() : arena.copy(old);
  std::memcpy(image.fill() + piece.from, piece.data.data(), piece.data.size());
  return image;
}

void write_piece(Volume::Impl& impl, Ino ino, const Piece& piece, SimTime now) {
  const Inode& before = *impl.volatile_view.find(ino);
  const std::uint64_t old_size = before.size;
  const PageRef* old = before.pages.find(piece.page);
  const bool allocates = old == nullptr;
  ContentOp data = impl.content_op(ContentOp::Kind::kData, ino, now);
  data.page = piece.page;
  data.from = piece.from;
  data.to = piece.to();
  data.grows = piece.end() > old_size;
  data.image = patched(*impl.arena, old, piece);
  const bool grows = data.grows;
  impl.perform(std::move(data));
  impl.heal(ino, piece.page);
  if (!allocates && !grows) return;
  ContentOp growth = impl.content_op(
      allocates ? ContentOp::Kind::kExtend : ContentOp::Kind::kSize, ino, now);
  growth.page = piece.page;
  growth.size = std::max(old_size, piece.end());
  impl.perform(std::move(growth));
}

void remember(Volume::Impl& impl, Ino ino, std::uint64_t page) {
  const Inode& inode = *impl.volatile_view.find(ino);
  const PageRef* image = inode.pages.find(page);
  const auto state = impl.writeback.find(ino);
  const bool lost = state != impl.writeback.end() && state->second.lost.contains(page);
  impl.last_write->pages.push_back(
      {page, image != nullptr ? *image : PageRef(), lost, inode.size, impl.next_seq});
}

}  // namespace

Outcome<std::size_t> Volume::write(Ino ino, std::uint64_t offset, Bytes data, SimTime now) {
  Impl& impl = *impl_;
  impl.begin_operation();
  const Inode* inode = impl.volatile_view.find(ino);
  if (const Errno bad = check_file(inode); bad != Errno::kOk) return fail(bad);
  if (data.empty()) return std::size_t{0};
  if (offset >= kFileBytesMax) return fail(Errno::kFBig);
  data = data.first(std::min<std::uint64_t>(data.size(), kFileBytesMax - offset));
  impl.last_write = LastWrite{ino, inode->modified, inode->changed, 0, {}};
  const bool several = first_piece(offset, data).data.size() < data.size();
  std::size_t done = 0;
  while (done < data.size()) {
    const Piece piece = first_piece(offset + done, data.subspan(done));
    const bool has_block = impl.volatile_view.find(ino)->pages.find(piece.page) != nullptr;
    if (!has_block && !impl.may_allocate_page()) break;
    if (const Errno error = impl.copy_up(ino, piece.page); error != Errno::kOk) {
      if (done > 0) break;
      impl.last_write.reset();
      return fail(error);
    }
    if (several) remember(impl, ino, piece.page);
    write_piece(impl, ino, piece, now);
    ++impl.last_write->page_count;
    done += piece.data.size();
  }
  if (done > 0) return done;
  impl.last_write.reset();
  return fail(Errno::kNoSpc);
}

std::uint32_t Volume::last_write_pages() const {
  return impl_->last_write ? impl_->last_write->page_count : 0;
}

// ---- other changes

Errno Volume::allocate(Ino ino, std::uint64_t offset, std::uint64_t length, SimTime now) {
  Impl& impl = *impl_;
  impl.begin_operation();
  const Inode* inode = impl.volatile_view.find(ino);
  if (const Errno bad = check_file(inode); bad != Errno::kOk) return bad;
  if (length == 0) return Errno::kInval;
  if (offset > kFileBytesMax || length > kFileBytesMax - offset) return Errno::kFBig;
  const std::uint64_t end = offset + length;
  const PageRef zeros = impl.arena->copy(nullptr);
  for (std::uint64_t page = offset / kPageBytes; page * kPageBytes < end; ++page) {
    const Inode& file = *impl.volatile_view.find(ino);
    if (file.pages.find(page) != nullptr || impl.shows_lower(impl.volatile_view, ino, page)) {
      continue;
    }
    if (!impl.may_allocate_page()) return Errno::kNoSpc;
    ContentOp data = impl.content_op(ContentOp::Kind::kData, ino, now);
    data.page = page;
    data.to = kPageBytes;
    data.image = zeros;
    const std::uint64_t size = std::max(file.size, std::min(end, (page + 1) * kPageBytes));
    data.grows = size > file.size;
    impl.perform(std::move(data));
    ContentOp growth = impl.content_op(ContentOp::Kind::kExtend, ino, now);
    growth.page = page;
    growth.size = size;
    impl.perform(std::move(growth));
  }
  if (impl.volatile_view.find(ino)->size < end) {
    ContentOp growth = impl.content_op(ContentOp::Kind::kSize, ino, now);
    growth.page = (end - 1) / kPageBytes;
    growth.size = end;
    impl.perform(std::move(growth));
  }
  if (impl.next_seq == impl.operation_start) {
    // All of it was there: Linux sets the times all the same (file_modified() in ext4_fallocate,
    // fs/ext4/extents.c; tmpfs does the same).
    ContentOp times = impl.content_op(ContentOp::Kind::kTimes, ino, now);
    times.modified = now;
    impl.perform(std::move(times));
  }
  return Errno::kOk;
}

Errno Volume::truncate(Ino ino, std::uint64_t size, SimTime now) {
  Impl& impl = *impl_;
  impl.begin_operation();
  const Inode* inode = impl.volatile_view.find(ino);
  if (const Errno bad = check_file(inode); bad != Errno::kOk) return bad;
  if (size > kFileBytesMax) return Errno::kFBig;
  const std::uint64_t cut_page = size / kPageBytes;
  const std::uint32_t tail_from = size % kPageBytes;
  if (size < inode->size && tail_from != 0) {
    if (const Errno error = impl.copy_up(ino, cut_page); error != Errno::kOk) return error;
    inode = impl.volatile_view.find(ino);
  }
  ContentOp op = impl.content_op(ContentOp::Kind::kTruncate, ino, now);
  op.size = size;
  const PageRef* cut = inode->pages.find(cut_page);
  const bool cuts = size < inode->size && tail_from != 0 && cut != nullptr;
  const bool apart = impl.rules.cut_page == ProfileRules::CutPage::kOnItsOwn;
  if (cuts && !apart) op.image = cut->cut_copy(tail_from);
  op.cuts_what_it_finds = apart;
  impl.heal_truncated(op);
  impl.perform(std::move(op));
  if (!cuts || !apart) return Errno::kOk;
  ContentOp data = impl.content_op(ContentOp::Kind::kData, ino, now);
  data.page = cut_page;
  data.from = tail_from;
  data.to = kPageBytes;
  data.image = *impl.volatile_view.find(ino)->pages.find(cut_page);
  impl.perform(std::move(data));
  impl.heal(ino, cut_page);
  return Errno::kOk;
}

Errno Volume::set_times(Ino ino, std::optional<SimTime> accessed, std::optional<SimTime> modified,
                        SimTime now) {
  Impl& impl = *impl_;
  impl.begin_operation();
  if (impl.volatile_view.find(ino) == nullptr) return Errno::kNoEnt;
  ContentOp op = impl.content_op(ContentOp::Kind::kTimes, ino, now);
  op.accessed = accessed;
  op.modified = modified;
  impl.perform(std::move(op));
  return Errno::kOk;
}

}  // namespace sf::kernel::disk
