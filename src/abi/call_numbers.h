// Numbers of host calls in traces and hashes. Append only: they are part of the trace format
// (docs/formats/trace.md), and equal runs must give equal hashes across versions where possible.
#pragma once

#include <cstdint>
#include <string_view>

namespace sf::abi {

enum class CallNumber : std::uint16_t {
  kArgsGet = 1,
  kArgsSizesGet,
  kEnvironGet,
  kEnvironSizesGet,
  kClockResGet,
  kClockTimeGet,
  kFdAdvise,
  kFdAllocate,
  kFdClose,
  kFdDatasync,
  kFdFdstatGet,
  kFdFdstatSetFlags,
  kFdFdstatSetRights,
  kFdFilestatGet,
  kFdFilestatSetSize,
  kFdFilestatSetTimes,
  kFdPread,
  kFdPrestatGet,
  kFdPrestatDirName,
  kFdPwrite,
  kFdRead,
  kFdReaddir,
  kFdRenumber,
  kFdSeek,
  kFdSync,
  kFdTell,
  kFdWrite,
  kPathCreateDirectory,
  kPathFilestatGet,
  kPathFilestatSetTimes,
  kPathLink,
  kPathOpen,
  kPathReadlink,
  kPathRemoveDirectory,
  kPathRename,
  kPathSymlink,
  kPathUnlinkFile,
  kPollOneoff,
  kProcExit,
  kProcRaise,
  kRandomGet,
  kSchedYield,
  kSockAccept,
  kSockRecv,
  kSockSend,
  kSockShutdown,
  kSdkAbiVersion = 100,
  kSdkCall,
  kSdkSetupComplete,
  kSyncStart,
  kSyncResult,
  kSignalStart,
  // The socket extension (abi/wasi/socket_extension.cc).
  kSockOpen = 200,
  kSockBind,
  kSockListen,
  kSockConnect,
  kSockRecvFrom,
  kSockSendTo,
  kSockGetsockopt,
  kSockSetsockopt,
  kSockGetlocaladdr,
  kSockGetpeeraddr,
  kSockGetaddrinfo,
};

// "fd_write"; "seedfall.call" for the SDK's.
std::string_view call_name(CallNumber number);

}  // namespace sf::abi
