#include "abi/wasi/errno_map.h"

namespace sf::abi::wasi {

std::uint32_t number_of(kernel::Errno error) {
  using kernel::Errno;
  switch (error) {
    case Errno::kOk: return 0;
    case Errno::k2Big: return 1;
    case Errno::kAcces: return 2;
    case Errno::kAddrInUse: return 3;
    case Errno::kAddrNotAvail: return 4;
    case Errno::kAfNoSupport: return 5;
    case Errno::kAgain: return 6;
    case Errno::kAlready: return 7;
    case Errno::kBadF: return 8;
    case Errno::kBusy: return 10;
    case Errno::kCanceled: return 11;
    case Errno::kChild: return 12;
    case Errno::kConnAborted: return 13;
    case Errno::kConnRefused: return 14;
    case Errno::kConnReset: return 15;
    case Errno::kDestAddrReq: return 17;
    case Errno::kDQuot: return 19;
    case Errno::kExist: return 20;
    case Errno::kFault: return 21;
    case Errno::kFBig: return 22;
    case Errno::kHostUnreach: return 23;
    case Errno::kIlSeq: return 25;
    case Errno::kInProgress: return 26;
    case Errno::kIntr: return 27;
    case Errno::kInval: return 28;
    case Errno::kIo: return 29;
    case Errno::kIsConn: return 30;
    case Errno::kIsDir: return 31;
    case Errno::kLoop: return 32;
    case Errno::kMFile: return 33;
    case Errno::kMLink: return 34;
    case Errno::kMsgSize: return 35;
    case Errno::kNameTooLong: return 37;
    case Errno::kNetDown: return 38;
    case Errno::kNetUnreach: return 40;
    case Errno::kNFile: return 41;
    case Errno::kNoBufs: return 42;
    case Errno::kNoDev: return 43;
    case Errno::kNoEnt: return 44;
    case Errno::kNoMem: return 48;
    case Errno::kNoProtoOpt: return 50;
    case Errno::kNoSpc: return 51;
    case Errno::kNoSys: return 52;
    case Errno::kNotConn: return 53;
    case Errno::kNotDir: return 54;
    case Errno::kNotEmpty: return 55;
    case Errno::kNotSock: return 57;
    case Errno::kNotSup: return 58;
    case Errno::kNoTty: return 59;
    case Errno::kNxio: return 60;
    case Errno::kOverflow: return 61;
    case Errno::kPerm: return 63;
    case Errno::kPipe: return 64;
    case Errno::kProtoNoSupport: return 66;
    case Errno::kProtoType: return 67;
    case Errno::kRange: return 68;
    case Errno::kRoFs: return 69;
    case Errno::kSPipe: return 70;
    case Errno::kTimedOut: return 73;
    case Errno::kXDev: return 75;
    case Errno::kNotCapable: return 76;
  }
  return 29;   // EIO
}

}  // namespace sf::abi::wasi
