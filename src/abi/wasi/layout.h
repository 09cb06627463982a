// Layouts and constants of WASI preview 1 (witx/typenames.witx; checked against Go's
// syscall/fs_wasip1.go). All integers are little endian, as on every host we run on.
#pragma once

#include <bit>
#include <cstdint>

#include "kernel/disk/volume.h"
#include "kernel/fd_table.h"

namespace sf::abi::wasi {

static_assert(std::endian::native == std::endian::little);

enum class FileType : std::uint8_t {
  kUnknown = 0, kBlockDevice = 1, kCharacterDevice = 2, kDirectory = 3, kRegularFile = 4,
  kSocketDatagram = 5, kSocketStream = 6, kSymbolicLink = 7,
};
FileType file_type(kernel::disk::NodeType type);
FileType file_type(const kernel::Description& description);

inline constexpr std::uint16_t kFdAppend = 1, kFdDsync = 2, kFdNonblock = 4, kFdRsync = 8,
                               kFdSync = 16;
inline constexpr std::uint32_t kFdFlagsKnown =
    kFdAppend | kFdDsync | kFdNonblock | kFdRsync | kFdSync;
inline constexpr std::uint16_t kOpenCreate = 1, kOpenDirectory = 2, kOpenExclusive = 4,
                               kOpenTruncate = 8;
inline constexpr std::uint32_t kOpenFlagsKnown =
    kOpenCreate | kOpenDirectory | kOpenExclusive | kOpenTruncate;
inline constexpr std::uint32_t kLookupFollow = 1;
inline constexpr std::uint32_t kReceivePeek = 1, kReceiveWaitAll = 2;   // witx `riflags`
// Bits of `rights`.
enum Right : std::uint64_t {
  kRightDatasync = 1ULL << 0,
  kRightRead = 1ULL << 1,
  kRightSeek = 1ULL << 2,
  kRightSetFlags = 1ULL << 3,
  kRightSync = 1ULL << 4,
  kRightTell = 1ULL << 5,
  kRightWrite = 1ULL << 6,
  kRightAdvise = 1ULL << 7,
  kRightAllocate = 1ULL << 8,
  kRightPathCreateDirectory = 1ULL << 9,
  kRightPathCreateFile = 1ULL << 10,
  kRightPathLinkSource = 1ULL << 11,
  kRightPathLinkTarget = 1ULL << 12,
  kRightPathOpen = 1ULL << 13,
  kRightReaddir = 1ULL << 14,
  kRightPathReadlink = 1ULL << 15,
  kRightPathRenameSource = 1ULL << 16,
  kRightPathRenameTarget = 1ULL << 17,
  kRightPathFilestatGet = 1ULL << 18,
  kRightPathFilestatSetSize = 1ULL << 19,
  kRightPathFilestatSetTimes = 1ULL << 20,
  kRightFilestatGet = 1ULL << 21,
  kRightFilestatSetSize = 1ULL << 22,
  kRightFilestatSetTimes = 1ULL << 23,
  kRightPathSymlink = 1ULL << 24,
  kRightPathRemoveDirectory = 1ULL << 25,
  kRightPathUnlinkFile = 1ULL << 26,
  kRightPoll = 1ULL << 27,
  kRightShutdown = 1ULL << 28,
  kRightAccept = 1ULL << 29,
};
inline constexpr std::uint64_t kAllRights = (1ULL << 30) - 1;
inline constexpr std::uint16_t kSetAccess = 1, kSetAccessNow = 2, kSetModify = 4,
                               kSetModifyNow = 8;

inline constexpr std::uint8_t kAdviceMax = 5;   // noreuse

// Offsets and lengths are unsigned here and signed for Linux, which answers EINVAL below zero.
constexpr bool is_negative(std::uint64_t offset) { return (offset >> 63) != 0; }

struct Iovec {
  std::uint32_t address;
  std::uint32_t size;
};

struct Fdstat {
  std::uint8_t type;
  std::uint8_t padding1;
  std::uint16_t flags;
  std::uint32_t padding2;
  std::uint64_t rights;
  std::uint64_t inheriting;
};
static_assert(sizeof(Fdstat) == 24);

struct Filestat {
  std::uint64_t device;
  std::uint64_t ino;
  std::uint8_t type;
  std::uint8_t padding[7];
  std::uint64_t links;
  std::uint64_t size;
  std::int64_t accessed;
  std::int64_t modified;
  std::int64_t changed;
};
static_assert(sizeof(Filestat) == 64);

struct Dirent {
  std::uint64_t next;
  std::uint64_t ino;
  std::uint32_t name_size;
  std::uint8_t type;
  std::uint8_t padding[3];
};
static_assert(sizeof(Dirent) == 24);

struct Prestat {
  std::uint8_t tag;          // 0: directory
  std::uint8_t padding[3];
  std::uint32_t name_size;
};
static_assert(sizeof(Prestat) == 8);

struct Subscription {
  std::uint64_t userdata;
  std::uint8_t tag;          // 0 clock, 1 fd_read, 2 fd_write
  std::uint8_t padding1[7];
  std::uint32_t clock_or_fd;
  std::uint32_t padding2;
  std::uint64_t timeout;
  std::uint64_t precision;
  std::uint16_t clock_flags; // 1: absolute
  std::uint16_t padding3[3];
};
static_assert(sizeof(Subscription) == 48);

struct Event {
  std::uint64_t userdata;
  std::uint16_t error;
  std::uint8_t type;
  std::uint8_t padding1[5];
  std::uint64_t bytes;
  std::uint16_t flags;       // 1: hang-up
  std::uint16_t padding2[3];
};
static_assert(sizeof(Event) == 32);

}  // namespace sf::abi::wasi
