#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "abi/wasi/calls.h"
#include "abi/wasi/layout.h"
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
  }
  return FileType::kUnknown;
}

FileType file_type(const Description& description) {
  switch (description.kind) {
    case DescriptionKind::kConsole: return FileType::kCharacterDevice;
    case DescriptionKind::kFile: return FileType::kRegularFile;
    case DescriptionKind::kDirectory: return FileType::kDirectory;
    case DescriptionKind::kListener:
    case DescriptionKind::kStream: return FileType::kSocketStream;
  }
  return FileType::kUnknown;
}

Outcome<std::shared_ptr<Description>> description(Frame& frame, std::size_t argument) {
  return frame.process().fds().get(frame.u32(argument));
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

std::uint16_t write_through_flag(const Description& file) {
  if (!file.flags.write_through) return 0;
  return *file.flags.write_through == kernel::disk::SyncKind::kFull ? kFdSync : kFdDsync;
}

}  // namespace

Answer fd_fdstat_get(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  Fdstat out{};
  out.type = static_cast<std::uint8_t>(file_type(*file));
  out.flags = static_cast<std::uint16_t>((file->flags.append ? kFdAppend : 0) |
                                         (file->flags.non_blocking ? kFdNonblock : 0) |
                                         write_through_flag(*file));
  out.rights = kAllRights;
  out.inheriting = kAllRights;
  SF_CALL_CHECK(frame.put(frame.u32(1), out));
  return Answer::done();
}

Answer fd_fdstat_set_flags(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  const std::uint32_t flags = frame.u32(1);
  constexpr std::uint32_t kKnown = kFdAppend | kFdDsync | kFdNonblock | kFdRsync | kFdSync;
  if ((flags & ~kKnown) != 0) return Answer::done(Errno::kInval);
  file->flags.append = (flags & kFdAppend) != 0;
  file->flags.non_blocking = (flags & kFdNonblock) != 0;
  // O_SYNC cannot be changed after open on Linux (fcntl(2)); F_SETFL ignores it.
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
  return Answer::done(files::truncate(frame.process(), *file, frame.u64(1)));
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

Answer not_built(Frame& frame) {
  if (frame.wants_text()) frame.what(std::string(call_name(frame.number())) + " (not built)");
  return Answer::done(Errno::kNoSys);
}

}  // namespace sf::abi::wasi
