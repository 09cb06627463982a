// Guest-visible errors. The values are Linux's numbers on x86-64 (errno(3)); abi/ translates them
// to the numbers of its own interface. Produced only in kernel/ and abi/.
#pragma once

#include <cstdint>
#include <string_view>
#include <tl/expected.hpp>

namespace sf::kernel {

enum class Errno : std::uint16_t {
  kOk = 0, kPerm = 1, kNoEnt = 2, kIntr = 4, kIo = 5, kNxio = 6, k2Big = 7, kBadF = 9, kChild = 10,
  kAgain = 11, kNoMem = 12, kAcces = 13, kFault = 14, kBusy = 16, kExist = 17, kXDev = 18,
  kNoDev = 19, kNotDir = 20, kIsDir = 21, kInval = 22, kNFile = 23, kMFile = 24, kNoTty = 25,
  kFBig = 27, kNoSpc = 28, kSPipe = 29, kRoFs = 30, kMLink = 31, kPipe = 32, kRange = 34,
  kNameTooLong = 36, kNoSys = 38, kNotEmpty = 39, kLoop = 40, kOverflow = 75, kIlSeq = 84,
  kNotSock = 88, kDestAddrReq = 89, kMsgSize = 90, kProtoType = 91, kNoProtoOpt = 92,
  kProtoNoSupport = 93, kNotSup = 95, kAfNoSupport = 97, kAddrInUse = 98, kAddrNotAvail = 99,
  kNetDown = 100, kNetUnreach = 101, kConnAborted = 103, kConnReset = 104, kNoBufs = 105,
  kIsConn = 106, kNotConn = 107, kTimedOut = 110, kConnRefused = 111, kHostUnreach = 113,
  kAlready = 114, kInProgress = 115, kDQuot = 122, kCanceled = 125,
  // No number of Linux's: a WASI capability that the descriptor does not have.
  kNotCapable = 1000,
};

// "EIO", "ok" for kOk.
std::string_view errno_name(Errno error);

template <class T>
using Outcome = tl::expected<T, Errno>;

inline tl::unexpected<Errno> fail(Errno error) { return tl::make_unexpected(error); }

}  // namespace sf::kernel
