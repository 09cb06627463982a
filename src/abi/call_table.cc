#include "abi/call_table.h"

#include <iterator>

#include "abi/call_numbers.h"
#include "abi/sdk/library_calls.h"
#include "abi/sdk/sdk_calls.h"
#include "abi/wasi/calls.h"
#include "abi/wasm_guest.h"

namespace sf::abi {
namespace {

using engine::HostFunction;
using engine::Slot;

// The engine's plain function pointer for one call.
template <CallNumber number, WasmGuest::CallCode code, std::size_t argument_count>
engine::CallOutcome thunk(engine::HostEnvironment& environment, const Slot* arguments,
                          Slot* result) {
  return static_cast<WasmGuest&>(environment)
      .call(number, code, argument_count, arguments, result);
}

engine::CallOutcome abi_version(engine::HostEnvironment&, const Slot*, Slot* result) {
  *result = sdk::kAbiVersion;
  return engine::CallOutcome::kReturn;
}

constexpr std::string_view kWasi = "wasi_snapshot_preview1";
constexpr std::string_view kSdk = "seedfall";

constexpr std::size_t length(const char* text) { return std::string_view(text).size(); }

// Calls that may suspend the program are marked: each of their calls costs a little more.
#define SF_WASI(number, function, parameters)                                          \
  HostFunction{kWasi, #function, parameters, "i", false,                               \
               thunk<CallNumber::number, wasi::function, length(parameters)>}
#define SF_WASI_WAITS(number, function, parameters)                                    \
  HostFunction{kWasi, #function, parameters, "i", true,                                \
               thunk<CallNumber::number, wasi::function, length(parameters)>}

constexpr HostFunction kFunctions[] = {
    SF_WASI(kArgsGet, args_get, "ii"),
    SF_WASI(kArgsSizesGet, args_sizes_get, "ii"),
    SF_WASI(kEnvironGet, environ_get, "ii"),
    SF_WASI(kEnvironSizesGet, environ_sizes_get, "ii"),
    SF_WASI(kClockResGet, clock_res_get, "ii"),
    SF_WASI(kClockTimeGet, clock_time_get, "iIi"),
    SF_WASI(kFdAdvise, fd_advise, "iIIi"),
    SF_WASI(kFdAllocate, fd_allocate, "iII"),
    SF_WASI(kFdClose, fd_close, "i"),
    SF_WASI_WAITS(kFdDatasync, fd_datasync, "i"),
    SF_WASI(kFdFdstatGet, fd_fdstat_get, "ii"),
    SF_WASI(kFdFdstatSetFlags, fd_fdstat_set_flags, "ii"),
    SF_WASI(kFdFdstatSetRights, fd_fdstat_set_rights, "iII"),
    SF_WASI(kFdFilestatGet, fd_filestat_get, "ii"),
    SF_WASI(kFdFilestatSetSize, fd_filestat_set_size, "iI"),
    SF_WASI(kFdFilestatSetTimes, fd_filestat_set_times, "iIIi"),
    SF_WASI_WAITS(kFdPread, fd_pread, "iiiIi"),
    SF_WASI(kFdPrestatGet, fd_prestat_get, "ii"),
    SF_WASI(kFdPrestatDirName, fd_prestat_dir_name, "iii"),
    SF_WASI_WAITS(kFdPwrite, fd_pwrite, "iiiIi"),
    SF_WASI_WAITS(kFdRead, fd_read, "iiii"),
    SF_WASI(kFdReaddir, fd_readdir, "iiiIi"),
    SF_WASI(kFdRenumber, fd_renumber, "ii"),
    SF_WASI(kFdSeek, fd_seek, "iIii"),
    SF_WASI_WAITS(kFdSync, fd_sync, "i"),
    SF_WASI(kFdTell, fd_tell, "ii"),
    SF_WASI_WAITS(kFdWrite, fd_write, "iiii"),
    SF_WASI(kPathCreateDirectory, path_create_directory, "iii"),
    SF_WASI(kPathFilestatGet, path_filestat_get, "iiiii"),
    SF_WASI(kPathFilestatSetTimes, path_filestat_set_times, "iiiiIIi"),
    SF_WASI(kPathLink, path_link, "iiiiiii"),
    SF_WASI(kPathOpen, path_open, "iiiiiIIii"),
    SF_WASI(kPathReadlink, path_readlink, "iiiiii"),
    SF_WASI(kPathRemoveDirectory, path_remove_directory, "iii"),
    SF_WASI(kPathRename, path_rename, "iiiiii"),
    SF_WASI(kPathSymlink, path_symlink, "iiiii"),
    SF_WASI(kPathUnlinkFile, path_unlink_file, "iii"),
    SF_WASI_WAITS(kPollOneoff, poll_oneoff, "iiii"),
    HostFunction{kWasi, "proc_exit", "i", "", false,
                 thunk<CallNumber::kProcExit, wasi::proc_exit, 1>},
    SF_WASI(kProcRaise, proc_raise, "i"),
    SF_WASI(kRandomGet, random_get, "ii"),
    SF_WASI_WAITS(kSchedYield, sched_yield, ""),
    SF_WASI_WAITS(kSockAccept, sock_accept, "iii"),
    SF_WASI_WAITS(kSockRecv, sock_recv, "iiiiii"),
    SF_WASI_WAITS(kSockSend, sock_send, "iiiii"),
    SF_WASI(kSockShutdown, sock_shutdown, "ii"),
    HostFunction{kSdk, "abi_version", "", "i", false, abi_version},
    HostFunction{kSdk, "call", "iiiii", "i", false,
                 thunk<CallNumber::kSdkCall, sdk::call, 5>},
    HostFunction{kSdk, "setup_complete", "", "i", false,
                 thunk<CallNumber::kSdkSetupComplete, sdk::setup_complete, 0>},
    HostFunction{kSdk, "sync_start", "ii", "i", false,
                 thunk<CallNumber::kSyncStart, sdk::sync_start, 2>},
    HostFunction{kSdk, "sync_result", "i", "i", false,
                 thunk<CallNumber::kSyncResult, sdk::sync_result, 1>},
    HostFunction{kSdk, "signal_start", "i", "i", false,
                 thunk<CallNumber::kSignalStart, sdk::signal_start, 1>},
    // WasmEdge's socket extension. Its versions differ in their parameters; a module gets the form
    // that it imports. So sock_accept without flags does not clash with that of preview 1.
    SF_WASI_WAITS(kSockAccept, sock_accept, "ii"),
    SF_WASI(kSockOpen, sock_open, "iii"),
    SF_WASI(kSockBind, sock_bind, "iii"),
    SF_WASI(kSockListen, sock_listen, "ii"),
    SF_WASI_WAITS(kSockConnect, sock_connect, "iii"),
    SF_WASI_WAITS(kSockRecvFrom, sock_recv_from, "iiiiiiii"),
    SF_WASI_WAITS(kSockRecvFrom, sock_recv_from, "iiiiiii"),
    SF_WASI_WAITS(kSockSendTo, sock_send_to, "iiiiiii"),
    SF_WASI(kSockGetsockopt, sock_getsockopt, "iiiii"),
    SF_WASI(kSockSetsockopt, sock_setsockopt, "iiiii"),
    SF_WASI(kSockGetlocaladdr, sock_getlocaladdr, "iii"),
    SF_WASI(kSockGetlocaladdr, sock_getlocaladdr, "iiii"),
    SF_WASI(kSockGetpeeraddr, sock_getpeeraddr, "iii"),
    SF_WASI(kSockGetpeeraddr, sock_getpeeraddr, "iiii"),
    SF_WASI(kSockGetaddrinfo, sock_getaddrinfo, "iiiiiiii"),
};

#undef SF_WASI
#undef SF_WASI_WAITS

std::string_view extension_name(CallNumber number) {
  constexpr std::string_view kNames[] = {
      "sock_open",       "sock_bind",       "sock_listen",       "sock_connect",
      "sock_recv_from",  "sock_send_to",    "sock_getsockopt",   "sock_setsockopt",
      "sock_getlocaladdr", "sock_getpeeraddr", "sock_getaddrinfo"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(CallNumber::kSockGetaddrinfo) -
                                         static_cast<std::size_t>(CallNumber::kSockOpen) + 1);
  if (number < CallNumber::kSockOpen || number > CallNumber::kSockGetaddrinfo) return "";
  return kNames[static_cast<std::size_t>(number) - static_cast<std::size_t>(CallNumber::kSockOpen)];
}

}  // namespace

std::span<const HostFunction> host_functions() { return kFunctions; }

std::string_view call_name(CallNumber number) {
  switch (number) {
    case CallNumber::kSdkAbiVersion: return "seedfall.abi_version";
    case CallNumber::kSdkCall: return "seedfall.call";
    case CallNumber::kSdkSetupComplete: return "seedfall.setup_complete";
    case CallNumber::kSyncStart: return "seedfall.sync_start";
    case CallNumber::kSyncResult: return "seedfall.sync_result";
    case CallNumber::kSignalStart: return "seedfall.signal_start";
    default: break;
  }
  if (const auto name = extension_name(number); !name.empty()) return name;
  // The table lists preview 1 in the order of its numbers.
  const auto index = static_cast<std::size_t>(number) - 1;
  if (index >= static_cast<std::size_t>(CallNumber::kSockShutdown)) return "unknown";
  return kFunctions[index].name;
}

}  // namespace sf::abi
