#include "kernel/errno.h"

namespace sf::kernel {

std::string_view errno_name(Errno error) {
  switch (error) {
    case Errno::kOk: return "ok";
    case Errno::kPerm: return "EPERM";
    case Errno::kNoEnt: return "ENOENT";
    case Errno::kIntr: return "EINTR";
    case Errno::kIo: return "EIO";
    case Errno::kNxio: return "ENXIO";
    case Errno::k2Big: return "E2BIG";
    case Errno::kBadF: return "EBADF";
    case Errno::kChild: return "ECHILD";
    case Errno::kAgain: return "EAGAIN";
    case Errno::kNoMem: return "ENOMEM";
    case Errno::kAcces: return "EACCES";
    case Errno::kFault: return "EFAULT";
    case Errno::kBusy: return "EBUSY";
    case Errno::kExist: return "EEXIST";
    case Errno::kXDev: return "EXDEV";
    case Errno::kNoDev: return "ENODEV";
    case Errno::kNotDir: return "ENOTDIR";
    case Errno::kIsDir: return "EISDIR";
    case Errno::kInval: return "EINVAL";
    case Errno::kNFile: return "ENFILE";
    case Errno::kMFile: return "EMFILE";
    case Errno::kNoTty: return "ENOTTY";
    case Errno::kFBig: return "EFBIG";
    case Errno::kNoSpc: return "ENOSPC";
    case Errno::kSPipe: return "ESPIPE";
    case Errno::kRoFs: return "EROFS";
    case Errno::kMLink: return "EMLINK";
    case Errno::kPipe: return "EPIPE";
    case Errno::kRange: return "ERANGE";
    case Errno::kNameTooLong: return "ENAMETOOLONG";
    case Errno::kNoSys: return "ENOSYS";
    case Errno::kNotEmpty: return "ENOTEMPTY";
    case Errno::kLoop: return "ELOOP";
    case Errno::kOverflow: return "EOVERFLOW";
    case Errno::kIlSeq: return "EILSEQ";
    case Errno::kNotSock: return "ENOTSOCK";
    case Errno::kDestAddrReq: return "EDESTADDRREQ";
    case Errno::kMsgSize: return "EMSGSIZE";
    case Errno::kProtoType: return "EPROTOTYPE";
    case Errno::kNoProtoOpt: return "ENOPROTOOPT";
    case Errno::kProtoNoSupport: return "EPROTONOSUPPORT";
    case Errno::kNotSup: return "ENOTSUP";
    case Errno::kAfNoSupport: return "EAFNOSUPPORT";
    case Errno::kAddrInUse: return "EADDRINUSE";
    case Errno::kAddrNotAvail: return "EADDRNOTAVAIL";
    case Errno::kNetDown: return "ENETDOWN";
    case Errno::kNetUnreach: return "ENETUNREACH";
    case Errno::kConnAborted: return "ECONNABORTED";
    case Errno::kConnReset: return "ECONNRESET";
    case Errno::kNoBufs: return "ENOBUFS";
    case Errno::kIsConn: return "EISCONN";
    case Errno::kNotConn: return "ENOTCONN";
    case Errno::kTimedOut: return "ETIMEDOUT";
    case Errno::kConnRefused: return "ECONNREFUSED";
    case Errno::kHostUnreach: return "EHOSTUNREACH";
    case Errno::kAlready: return "EALREADY";
    case Errno::kInProgress: return "EINPROGRESS";
    case Errno::kDQuot: return "EDQUOT";
    case Errno::kCanceled: return "ECANCELED";
    case Errno::kNotCapable: return "ENOTCAPABLE";
  }
  return "EUNKNOWN";
}

}  // namespace sf::kernel
