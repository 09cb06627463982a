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
namespace {

namespace files = kernel::files;
using kernel::Description;
using kernel::disk::FinalSymlink;

// EINVAL for flags that preview 1 does not have.
Errno check_lookup_flags(std::uint32_t lookup_flags) {
  return (lookup_flags & ~kLookupFollow) == 0 ? Errno::kOk : Errno::kInval;
}

FinalSymlink final_symlink(std::uint32_t lookup_flags) {
  return (lookup_flags & kLookupFollow) != 0 ? FinalSymlink::kFollow : FinalSymlink::kKeep;
}

// A path argument: two slots, address and size. A NUL inside ends no path in WASI: EINVAL.
Outcome<std::string> path_argument(Frame& frame, std::size_t index) {
  if (frame.u32(index + 1) > kernel::disk::kPathBytesMax) return kernel::fail(Errno::kNameTooLong);
  const auto text = frame.text(frame.u32(index), frame.u32(index + 1));
  if (!text) return kernel::fail(text.error());
  if (text->find('\0') != std::string_view::npos) return kernel::fail(Errno::kInval);
  frame.note_data(hash64(*text));
  return std::string(*text);
}

void describe(Frame& frame, std::string_view verb, const Description& directory,
              std::string_view path) {
  if (frame.wants_text()) {
    frame.what(fmt::format("{} {}", verb, files::display_path(directory, path)));
  }
}

using OnePathCall = Errno (*)(kernel::Process&, const Description&, std::string_view);

Answer one_path(Frame& frame, std::string_view verb, OnePathCall call) {
  SF_CALL_TRY(const std::shared_ptr<Description> directory, description(frame, 0));
  SF_CALL_TRY(const std::string path, path_argument(frame, 1));
  describe(frame, verb, *directory, path);
  return Answer::done(call(frame.process(), *directory, path));
}

}  // namespace

Answer path_create_directory(Frame& frame) {
  return one_path(frame, "mkdir", files::make_directory);
}
Answer path_remove_directory(Frame& frame) {
  return one_path(frame, "rmdir", files::remove_directory);
}
Answer path_unlink_file(Frame& frame) { return one_path(frame, "unlink", files::unlink); }

Answer path_filestat_get(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> directory, description(frame, 0));
  SF_CALL_CHECK(check_lookup_flags(frame.u32(1)));
  SF_CALL_TRY(const std::string path, path_argument(frame, 2));
  describe(frame, "stat", *directory, path);
  SF_CALL_TRY(const kernel::disk::Stat stat,
              files::stat_path(frame.process(), *directory, path, final_symlink(frame.u32(1))));
  SF_CALL_CHECK(put_filestat(frame, frame.u32(4), stat));
  return Answer::done();
}

Answer path_filestat_set_times(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> directory, description(frame, 0));
  SF_CALL_CHECK(check_lookup_flags(frame.u32(1)));
  SF_CALL_TRY(const std::string path, path_argument(frame, 2));
  describe(frame, "utimes", *directory, path);
  SF_CALL_TRY(const kernel::disk::Stat stat,
              files::stat_path(frame.process(), *directory, path, final_symlink(frame.u32(1))));
  return set_times(frame, stat.ino, frame.u32(6), 4);
}

Answer path_link(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> from_directory, description(frame, 0));
  SF_CALL_CHECK(check_lookup_flags(frame.u32(1)));
  SF_CALL_TRY(const std::string from, path_argument(frame, 2));
  SF_CALL_TRY(const std::shared_ptr<Description> to_directory, description(frame, 4));
  SF_CALL_TRY(const std::string to, path_argument(frame, 5));
  describe(frame, "link", *to_directory, to);
  return Answer::done(files::link(frame.process(), *from_directory, from, *to_directory, to,
                                  final_symlink(frame.u32(1))));
}

namespace {

// wasi-libc and Go make rights of O_RDONLY, O_WRONLY and O_RDWR; here they are made of rights
// again. Who asks for neither may still use what is opened as O_PATH would.
Outcome<files::OpenHow> open_how(Frame& frame) {
  const std::uint32_t open_flags = frame.u32(4);
  const std::uint64_t rights = frame.u64(5);
  const std::uint32_t fd_flags = frame.u32(7);
  if ((open_flags & ~kOpenFlagsKnown) != 0 || (fd_flags & ~kFdFlagsKnown) != 0) {
    return kernel::fail(Errno::kInval);
  }
  files::OpenHow how;
  how.create = (open_flags & kOpenCreate) != 0;
  how.directory = (open_flags & kOpenDirectory) != 0;
  how.exclusive = (open_flags & kOpenExclusive) != 0;
  how.truncate = (open_flags & kOpenTruncate) != 0;
  how.final_symlink = final_symlink(frame.u32(1));
  // Writing does not apply to a directory: preview 1 then gives fewer rights than were asked for.
  how.flags.write = (rights & kRightWrite) != 0 && !how.directory;
  how.flags.read = (rights & kRightRead) != 0 || !how.flags.write;
  how.flags.append = (fd_flags & kFdAppend) != 0;
  how.flags.non_blocking = (fd_flags & kFdNonblock) != 0;
  how.flags.read_through = (fd_flags & kFdRsync) != 0;
  using kernel::disk::SyncKind;
  if ((fd_flags & (kFdSync | kFdRsync)) != 0) {
    how.flags.write_through = SyncKind::kFull;
  } else if ((fd_flags & kFdDsync) != 0) {
    how.flags.write_through = SyncKind::kDataOnly;
  }
  return how;
}

}  // namespace

Answer path_open(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> directory, description(frame, 0));
  SF_CALL_CHECK(check_lookup_flags(frame.u32(1)));
  SF_CALL_TRY(const std::string path, path_argument(frame, 2));
  SF_CALL_TRY(const files::OpenHow how, open_how(frame));
  const OpenRights rights{.open_flags = frame.u32(4),
                          .fd_flags = frame.u32(7),
                          .base = frame.u64(5),
                          .inheriting = frame.u64(6)};
  if (!may_open(*directory, rights)) return Answer::done(Errno::kNotCapable);
  describe(frame, how.create ? "create" : "open", *directory, path);
  // The place for the result is checked first: a descriptor nobody learns of would leak.
  SF_CALL_CHECK(frame.put(frame.u32(8), std::uint32_t{0}));
  SF_CALL_TRY(std::shared_ptr<Description> file,
              files::open(frame.process(), *directory, path, how));
  const auto fd = frame.process().fds().add(file);
  if (!fd) {
    files::close(frame.process(), std::move(file));
    return Answer::done(fd.error());
  }
  file->dropped_rights = kAllRights & ~rights.base;
  file->dropped_inheriting = kAllRights & ~rights.inheriting;
  if (frame.wants_text()) frame.outcome(fmt::format("fd {}", *fd));
  SF_CALL_CHECK(frame.put(frame.u32(8), *fd));
  return Answer::done();
}

Answer path_readlink(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> directory, description(frame, 0));
  SF_CALL_TRY(const std::string path, path_argument(frame, 1));
  describe(frame, "readlink", *directory, path);
  if (frame.u32(4) == 0) return Answer::done(Errno::kInval);   // readlink(2)
  SF_CALL_TRY(const std::string target, files::read_link(frame.process(), *directory, path));
  const std::size_t take = std::min<std::size_t>(target.size(), frame.u32(4));
  SF_CALL_TRY(const std::span<std::byte> to, frame.bytes(frame.u32(3), take));
  std::memcpy(to.data(), target.data(), take);
  SF_CALL_CHECK(frame.put(frame.u32(5), static_cast<std::uint32_t>(take)));
  return Answer::done();
}

Answer path_rename(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> from_directory, description(frame, 0));
  SF_CALL_TRY(const std::string from, path_argument(frame, 1));
  SF_CALL_TRY(const std::shared_ptr<Description> to_directory, description(frame, 3));
  SF_CALL_TRY(const std::string to, path_argument(frame, 4));
  if (frame.wants_text()) {
    frame.what(fmt::format("rename {} -> {}", files::display_path(*from_directory, from),
                           files::display_path(*to_directory, to)));
  }
  return Answer::done(files::rename(frame.process(), *from_directory, from, *to_directory, to));
}

Answer path_symlink(Frame& frame) {
  SF_CALL_TRY(const std::string target, path_argument(frame, 0));
  SF_CALL_TRY(const std::shared_ptr<Description> directory, description(frame, 2));
  SF_CALL_TRY(const std::string path, path_argument(frame, 3));
  describe(frame, "symlink", *directory, path);
  return Answer::done(files::symlink(frame.process(), target, *directory, path));
}

}  // namespace sf::abi::wasi
