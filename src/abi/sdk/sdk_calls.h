// The calls of the SDK (import module `seedfall`): properties, lifecycle, randomness, sockets.
//
// abi_version() -> i32
// setup_complete() -> i32 errno; an import of its own, so that the host can see whether a program
//   will ever call it
// call(nr, in, in_len, out, out_len) -> i32 errno; numbers are never reused, an unknown one gives
//   ENOSYS. The table with all layouts is sdk/go/sim/abi.go.
#pragma once

#include <cstdint>

#include "abi/frame.h"

namespace sf::abi::sdk {

inline constexpr std::uint32_t kAbiVersion = 1;

enum class SdkCall : std::uint32_t {
  kProperty = 1, kSetupComplete = 2, kQuietFor = 3, kNodeName = 4, kRandom = 5, kNetListen = 6,
  kNetDial = 7, kNetConnectStatus = 8, kNetAddresses = 9,
};

Answer call(Frame& frame);
Answer setup_complete(Frame& frame);

}  // namespace sf::abi::sdk
