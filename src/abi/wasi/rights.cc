#include "abi/wasi/rights.h"

#include "abi/wasi/layout.h"

namespace sf::abi::wasi {
namespace {

using kernel::Description;
using kernel::DescriptionKind;

// All of one mask and, unless it is empty, at least one of the other.
struct Need {
  std::uint64_t all = 0;
  std::uint64_t one_of = 0;
};

// witx, `rights`. Where one right implies another the stronger one is enough: seek for tell, and,
// which preview 1 does not say, sync for datasync. wasi-libc asks for datasync only with O_WRONLY,
// and fdatasync(2) works through a reader.
Need need_of(const Frame& frame, std::size_t argument) {
  constexpr std::uint32_t kCurrent = 1;   // witx `whence`
  switch (frame.number()) {
    case CallNumber::kFdAdvise: return {kRightAdvise};
    case CallNumber::kFdAllocate: return {kRightAllocate};
    case CallNumber::kFdDatasync: return {.one_of = kRightDatasync | kRightSync};
    case CallNumber::kFdFdstatSetFlags: return {kRightSetFlags};
    case CallNumber::kFdFilestatGet: return {kRightFilestatGet};
    case CallNumber::kFdFilestatSetSize: return {kRightFilestatSetSize};
    case CallNumber::kFdFilestatSetTimes: return {kRightFilestatSetTimes};
    case CallNumber::kFdPread: return {kRightRead | kRightSeek};
    case CallNumber::kFdPwrite: return {kRightWrite | kRightSeek};
    case CallNumber::kFdRead:
    case CallNumber::kSockRecv:
    case CallNumber::kSockRecvFrom: return {kRightRead};
    case CallNumber::kFdReaddir: return {kRightReaddir};
    case CallNumber::kFdSeek:
      if (frame.u64(1) == 0 && frame.u32(2) == kCurrent) return {.one_of = kRightSeek | kRightTell};
      return {kRightSeek};
    case CallNumber::kFdSync: return {kRightSync};
    case CallNumber::kFdTell: return {.one_of = kRightSeek | kRightTell};
    case CallNumber::kFdWrite:
    case CallNumber::kSockSend:
    case CallNumber::kSockSendTo: return {kRightWrite};
    case CallNumber::kPathCreateDirectory: return {kRightPathCreateDirectory};
    case CallNumber::kPathFilestatGet: return {kRightPathFilestatGet};
    case CallNumber::kPathFilestatSetTimes: return {kRightPathFilestatSetTimes};
    case CallNumber::kPathLink:
      return {argument == 0 ? kRightPathLinkSource : kRightPathLinkTarget};
    case CallNumber::kPathOpen: return {kRightPathOpen};
    case CallNumber::kPathReadlink: return {kRightPathReadlink};
    case CallNumber::kPathRemoveDirectory: return {kRightPathRemoveDirectory};
    case CallNumber::kPathRename:
      return {argument == 0 ? kRightPathRenameSource : kRightPathRenameTarget};
    case CallNumber::kPathSymlink: return {kRightPathSymlink};
    case CallNumber::kPathUnlinkFile: return {kRightPathUnlinkFile};
    case CallNumber::kSockAccept: return {kRightAccept};
    case CallNumber::kSockShutdown: return {kRightShutdown};
    default: return {};
  }
}

constexpr std::uint64_t kEverywhere =
    kRightSetFlags | kRightFilestatGet | kRightPoll | kRightSync | kRightDatasync | kRightAdvise;
constexpr std::uint64_t kOfFiles = kEverywhere | kRightRead | kRightWrite | kRightSeek |
                                   kRightTell | kRightAllocate | kRightFilestatSetSize |
                                   kRightFilestatSetTimes;
constexpr std::uint64_t kOfDirectories =
    kEverywhere | kRightSeek | kRightTell | kRightReaddir | kRightFilestatSetTimes |
    kRightPathCreateDirectory | kRightPathCreateFile | kRightPathLinkSource |
    kRightPathLinkTarget | kRightPathOpen | kRightPathReadlink | kRightPathRenameSource |
    kRightPathRenameTarget | kRightPathFilestatGet | kRightPathFilestatSetSize |
    kRightPathFilestatSetTimes | kRightPathSymlink | kRightPathRemoveDirectory |
    kRightPathUnlinkFile;
// With the right to seek, which then fails as on a pipe: wasi-libc takes a character device that
// can never seek for a terminal, and the console is none.
constexpr std::uint64_t kOfConsoles =
    kEverywhere | kRightRead | kRightWrite | kRightSeek | kRightTell;
constexpr std::uint64_t kOfSockets =
    kEverywhere | kRightRead | kRightWrite | kRightShutdown | kRightAccept;
constexpr std::uint64_t kWriting = kRightWrite | kRightAllocate | kRightFilestatSetSize;

std::uint64_t of_kind(DescriptionKind kind) {
  switch (kind) {
    case DescriptionKind::kConsole: return kOfConsoles;
    case DescriptionKind::kFile:
    case DescriptionKind::kDevice: return kOfFiles;
    case DescriptionKind::kDirectory: return kOfDirectories;
    case DescriptionKind::kListener:
    case DescriptionKind::kStream: return kOfSockets;
  }
  return 0;
}

// The rights that mean something for this descriptor.
std::uint64_t applicable(const Description& file) {
  std::uint64_t rights = of_kind(file.kind);
  if (file.kind == DescriptionKind::kDirectory) return rights;
  if (!file.flags.read) rights &= ~std::uint64_t{kRightRead};
  if (!file.flags.write) rights &= ~kWriting;
  return rights;
}

bool fulfils(const Description& file, const Need& need) {
  const std::uint64_t missing = file.dropped_rights & applicable(file);
  return (missing & need.all) == 0 &&
         (need.one_of == 0 || (missing & need.one_of) != need.one_of);
}

}  // namespace

std::uint64_t base_rights(const Description& file) {
  return applicable(file) & ~file.dropped_rights;
}

std::uint64_t inheriting_rights(const Description& file) {
  if (file.kind == DescriptionKind::kDirectory) return kAllRights & ~file.dropped_inheriting;
  return 0;
}

bool has_rights_for(const Frame& frame, std::size_t argument, const Description& file) {
  return fulfils(file, need_of(frame, argument));
}

bool may_poll(const Description& file, bool to_write) {
  return fulfils(file, {kRightPoll | (to_write ? kRightWrite : kRightRead)});
}

bool may_open(const Description& directory, const OpenRights& asked) {
  // What is opened has no right that its directory may not pass on.
  const std::uint64_t passed_on = (asked.base | asked.inheriting) & kAllRights;
  if ((passed_on & directory.dropped_inheriting) != 0) return false;
  Need need;
  if ((asked.open_flags & kOpenCreate) != 0) need.all |= kRightPathCreateFile;
  // Who may open a file for writing may empty it: Go opens the directory of an os.Root without
  // the right to change sizes, and then creates files in it.
  const bool writes = (asked.base & kRightWrite) != 0;
  if ((asked.open_flags & kOpenTruncate) != 0 && !writes) need.all |= kRightPathFilestatSetSize;
  if ((asked.fd_flags & (kFdSync | kFdRsync)) != 0) need.all |= kRightSync;
  if ((asked.fd_flags & kFdDsync) != 0) need.one_of |= kRightDatasync | kRightSync;
  return fulfils(directory, need);
}

}  // namespace sf::abi::wasi
