#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "abi/wasi/calls.h"
#include "abi/wasi/layout.h"
#include "abi/wasi/rights.h"
#include "abi/wasm_guest.h"
#include "kernel/file_calls.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::abi::wasi {

namespace files = kernel::files;
using kernel::Description;
using kernel::DescriptionKind;

FileType file_type(kernel::disk::NodeType type) {
  switch (type) {
    case kernel::disk::NodeType::kFile: return FileType::kRegularFile;
    case kernel::disk::NodeType::kDirectory: return FileType::kDirectory;
    case kernel::disk::NodeType::kSymlink: return FileType::kSymbolicLink;
    case kernel::disk::NodeType::kDevice: return FileType::kCharacterDevice;
  }
  return FileType::kUnknown;
}

FileType file_type(const Description& description) {
  switch (description.kind) {
    case DescriptionKind::kConsole:
    case DescriptionKind::kDevice: return FileType::kCharacterDevice;
    case DescriptionKind::kFile: return FileType::kRegularFile;
    case DescriptionKind::kDirectory: return FileType::kDirectory;
    case DescriptionKind::kListener:
    case DescriptionKind::kStream: return FileType::kSocketStream;
  }
  return FileType::kUnknown;
}

Outcome<std::shared_ptr<Description>> description(Frame& frame, std::size_t argument) {
  auto found = frame.process().fds().get(frame.u32(argument));
  if (found && !has_rights_for(frame, argument, **found)) {
    return kernel::fail(Errno::kNotCapable);
  }
  return found;
}

Answer set_times(Frame& frame, kernel::disk::Ino ino, std::uint32_t flags, std::size_t first) {
  constexpr std::uint32_t kKnown = kSetAccess | kSetAccessNow | kSetModify | kSetModifyNow;
  if ((flags & ~kKnown) != 0) return Answer::done(Errno::kInval);
  const auto both = [flags](std::uint32_t a, std::uint32_t b) {
    return (flags & a) != 0 && (flags & b) != 0;
  };
  if (both(kSetAccess, kSetAccessNow) || both(kSetModify, kSetModifyNow)) {
    return Answer::done(Errno::kInval);
  }
  const std::int64_t epoch = frame.process().room().settings().wall_epoch_ns;
  const auto stamp = [&](std::size_t argument, std::uint16_t set,
                         std::uint16_t set_now) -> std::optional<SimTime> {
    if ((flags & set_now) != 0) return frame.process().now();
    if ((flags & set) == 0) return {};
    std::int64_t since_start = 0;
    const auto wall = static_cast<std::int64_t>(frame.u64(argument));
    if (__builtin_sub_overflow(wall, epoch, &since_start)) since_start = -epoch;
    return SimTime(since_start);
  };
  return Answer::done(files::set_times(frame.process(), ino,
                                       stamp(first, kSetAccess, kSetAccessNow),
                                       stamp(first + 1, kSetModify, kSetModifyNow)));
}

Errno put_filestat(Frame& frame, std::uint32_t address, const kernel::disk::Stat& stat) {
  const std::int64_t epoch = frame.process().room().settings().wall_epoch_ns;
  Filestat out{};
  out.device = 1;
  out.ino = stat.ino;
  out.type = static_cast<std::uint8_t>(file_type(stat.type));
  out.links = stat.links;
  out.size = stat.size;
  out.accessed = epoch + stat.accessed.ns();
  out.modified = epoch + stat.modified.ns();
  out.changed = epoch + stat.changed.ns();
  frame.note_data(mix_into(stat.ino, stat.size));
  if (frame.wants_text()) frame.outcome(fmt::format("inode {} {} B", stat.ino, stat.size));
  return frame.put(address, out);
}

Answer fd_close(Frame& frame) {
  SF_CALL_TRY(std::shared_ptr<Description> closed, frame.process().fds().remove(frame.u32(0)));
  if (frame.wants_text()) frame.what("close " + closed->path);
  files::close(frame.process(), std::move(closed));
  return Answer::done();
}

namespace {

std::uint16_t write_through_flags(const kernel::OpenFlags& flags) {
  std::uint16_t out = 0;
  if (flags.read_through) out |= kFdRsync;
  if (!flags.write_through) return out;
  if (*flags.write_through == kernel::disk::SyncKind::kDataOnly) return out | kFdDsync;
  return flags.read_through ? out : out | kFdSync;
}

}  // namespace

Answer fd_fdstat_get(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  Fdstat out{};
  out.type = static_cast<std::uint8_t>(file_type(*file));
  out.flags = static_cast<std::uint16_t>((file->flags.append ? kFdAppend : 0) |
                                         (file->flags.non_blocking ? kFdNonblock : 0) |
                                         write_through_flags(file->flags));
  out.rights = base_rights(*file);
  out.inheriting = inheriting_rights(*file);
  SF_CALL_CHECK(frame.put(frame.u32(1), out));
  return Answer::done();
}

Answer fd_fdstat_set_flags(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  const std::uint32_t flags = frame.u32(1);
  if ((flags & ~kFdFlagsKnown) != 0) return Answer::done(Errno::kInval);
  file->flags.append = (flags & kFdAppend) != 0;
  file->flags.non_blocking = (flags & kFdNonblock) != 0;
  // O_SYNC cannot be changed after open on Linux (fcntl(2)); F_SETFL ignores it.
  return Answer::done();
}

// Rights can only be given up.
Answer fd_fdstat_set_rights(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  const std::uint64_t base = base_rights(*file);
  const std::uint64_t inheriting = inheriting_rights(*file);
  if ((frame.u64(1) & ~base) != 0 || (frame.u64(2) & ~inheriting) != 0) {
    return Answer::done(Errno::kNotCapable);
  }
  file->dropped_rights |= base & ~frame.u64(1);
  file->dropped_inheriting |= inheriting & ~frame.u64(2);
  return Answer::done();
}

Answer fd_filestat_get(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  if (frame.wants_text()) frame.what("fstat " + file->path);
  if (file->ino == 0) {
    Filestat out{};
    out.type = static_cast<std::uint8_t>(file_type(*file));
    SF_CALL_CHECK(frame.put(frame.u32(1), out));
    return Answer::done();
  }
  SF_CALL_TRY(const kernel::disk::Stat stat, frame.process().node().volume().stat(file->ino));
  SF_CALL_CHECK(put_filestat(frame, frame.u32(1), stat));
  return Answer::done();
}

Answer fd_filestat_set_size(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  if (frame.wants_text()) frame.what(fmt::format("truncate {} to {} B", file->path, frame.u64(1)));
  if (is_negative(frame.u64(1))) return Answer::done(Errno::kInval);
  return Answer::done(files::truncate(frame.process(), *file, frame.u64(1)));
}

Answer fd_filestat_set_times(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  if (frame.wants_text()) frame.what("utimes " + file->path);
  if (file->ino == 0) return Answer::done(Errno::kBadF);
  return set_times(frame, file->ino, frame.u32(3), 1);
}

// Advice changes nothing here: the page cache holds everything.
Answer fd_advise(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  if (frame.u32(3) > kAdviceMax || is_negative(frame.u64(2))) return Answer::done(Errno::kInval);
  const bool on_disk =
      file->kind == DescriptionKind::kFile || file->kind == DescriptionKind::kDirectory;
  return Answer::done(on_disk ? Errno::kOk : Errno::kSPipe);
}

Answer fd_allocate(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  if (frame.wants_text()) {
    frame.what(fmt::format("allocate {} +{} {} B", file->path, frame.u64(1), frame.u64(2)));
  }
  if (is_negative(frame.u64(1)) || is_negative(frame.u64(2))) return Answer::done(Errno::kInval);
  return Answer::done(files::allocate(frame.process(), *file, frame.u64(1), frame.u64(2)));
}

Answer fd_renumber(Frame& frame) {
  SF_CALL_TRY(std::shared_ptr<Description> closed,
              frame.process().fds().move(frame.u32(0), frame.u32(1)));
  if (frame.wants_text()) frame.what(fmt::format("renumber {} to {}", frame.u32(0), frame.u32(1)));
  if (closed) files::close(frame.process(), std::move(closed));
  return Answer::done();
}

Answer fd_prestat_get(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  if (!file->preopened) return Answer::done(Errno::kBadF);
  Prestat out{};
  out.name_size = static_cast<std::uint32_t>(file->path.size());
  SF_CALL_CHECK(frame.put(frame.u32(1), out));
  return Answer::done();
}

Answer fd_prestat_dir_name(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  if (!file->preopened) return Answer::done(Errno::kBadF);
  if (frame.u32(2) < file->path.size()) return Answer::done(Errno::kNameTooLong);
  SF_CALL_TRY(const std::span<std::byte> to, frame.bytes(frame.u32(1), file->path.size()));
  std::memcpy(to.data(), file->path.data(), to.size());
  return Answer::done();
}

namespace {

// Listing takes time; that of a few entries is within the cost of any host call.
constexpr std::size_t kFreeEntries = 512;
constexpr Duration kEntryCost = nanoseconds(50);

// Appends what fits of one entry; false when the buffer is full (a cut entry tells the reader that
// there is more).
bool put_entry(std::span<std::byte>& room, const kernel::disk::DirectoryEntry& entry) {
  Dirent head{};
  head.next = entry.cookie;
  head.ino = entry.ino;
  head.name_size = static_cast<std::uint32_t>(entry.name.size());
  head.type = static_cast<std::uint8_t>(file_type(entry.type));
  const auto append = [&room](const void* from, std::size_t size) {
    const std::size_t take = std::min(size, room.size());
    std::memcpy(room.data(), from, take);
    room = room.subspan(take);
    return take == size;
  };
  return append(&head, sizeof head) && append(entry.name.data(), entry.name.size());
}

}  // namespace

Answer fd_readdir(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> directory, description(frame, 0));
  if (directory->kind != DescriptionKind::kDirectory) return Answer::done(Errno::kNotDir);
  if (frame.wants_text()) frame.what("readdir " + directory->path);
  SF_CALL_TRY(const std::span<std::byte> buffer, frame.bytes(frame.u32(1), frame.u32(2)));
  // Each entry takes at least its head, so this many are enough to fill the buffer.
  const std::size_t limit = buffer.size() / sizeof(Dirent) + 1;
  SF_CALL_TRY(const std::vector<kernel::disk::DirectoryEntry> entries,
              frame.process().node().volume().list(directory->ino, frame.u64(3), limit));
  if (entries.size() > kFreeEntries) {
    const auto more = static_cast<std::int64_t>(entries.size() - kFreeEntries);
    frame.process().spend(kEntryCost * more);
  }
  std::span<std::byte> room = buffer;
  for (const auto& entry : entries) {
    if (!put_entry(room, entry)) break;
  }
  const auto used = static_cast<std::uint32_t>(buffer.size() - room.size());
  frame.note_data(hash64(buffer.first(used)));
  SF_CALL_CHECK(frame.put(frame.u32(4), used));
  return Answer::done();
}

Answer fd_seek(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  if (frame.u32(2) > 2) return Answer::done(Errno::kInval);
  SF_CALL_TRY(const std::uint64_t offset,
              files::seek(frame.process(), *file, static_cast<std::int64_t>(frame.u64(1)),
                          static_cast<files::Whence>(frame.u32(2))));
  if (frame.wants_text()) frame.what(fmt::format("seek {} +{}", file->path, offset));
  SF_CALL_CHECK(frame.put(frame.u32(3), offset));
  return Answer::done();
}

Answer fd_tell(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  SF_CALL_TRY(const std::uint64_t offset,
              files::seek(frame.process(), *file, 0, files::Whence::kCurrent));
  SF_CALL_CHECK(frame.put(frame.u32(1), offset));
  return Answer::done();
}

}  // namespace sf::abi::wasi
