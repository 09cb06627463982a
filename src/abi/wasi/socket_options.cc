// Options of sockets. What would change nothing on the simulated network is accepted when it is set
// and answered with the usual default; what would change something and is not built is refused, so
// that no program relies on it.
#include <cstring>

#include "abi/wasi/calls.h"
#include "abi/wasi/errno_map.h"
#include "abi/wasi/socket_addresses.h"
#include "abi/wasm_guest.h"
#include "kernel/net/network.h"
#include "kernel/room.h"

namespace sf::abi::wasi {
namespace {

using kernel::Description;
using kernel::DescriptionKind;

constexpr std::uint32_t kLevelSocket = 0;   // WasmEdge's SOL_SOCKET

enum class Option : std::uint32_t {
  kReuseAddress = 0, kType, kError, kDontRoute, kBroadcast, kSendBuffer, kReceiveBuffer, kKeepAlive,
  kOutOfBandInline, kLinger, kReceiveLowWater, kReceiveTimeout, kSendTimeout, kAcceptsConnections,
};

struct OptionArguments {
  std::uint32_t level, option, value, size;
};

OptionArguments option_arguments(const Frame& frame) {
  return {frame.u32(1), frame.u32(2), frame.u32(3), frame.u32(4)};
}

// The value of an option that is an integer.
Outcome<std::uint32_t> integer_option(Frame& frame, const Description& socket, Option option) {
  kernel::Network& network = frame.process().room().network();
  switch (option) {
    case Option::kType: return kSocketStream;
    case Option::kError: {
      const Errno status = network.connect_status(socket.socket);
      return number_of(status == Errno::kInProgress ? Errno::kOk : status);
    }
    case Option::kAcceptsConnections: return socket.kind == DescriptionKind::kListener ? 1U : 0U;
    case Option::kSendBuffer:
    case Option::kReceiveBuffer: return kernel::kWindowBytes;
    case Option::kReceiveLowWater: return 1U;
    case Option::kReuseAddress:
    case Option::kDontRoute:
    case Option::kBroadcast:
    case Option::kKeepAlive:
    case Option::kOutOfBandInline: return 0U;
    default: return kernel::fail(Errno::kNoProtoOpt);
  }
}

// WasmEdge passes the address of the size, dispatchrun/net the size itself. No program keeps
// anything in the first bytes of its memory, so a small number is a size.
constexpr std::uint32_t kLargestSize = 64;

Outcome<std::uint32_t> option_size(Frame& frame, std::uint32_t argument) {
  if (argument <= kLargestSize) return argument;
  return frame.get<std::uint32_t>(argument);
}

bool is_two_words(Option option) {   // linger {on, seconds}
  return option == Option::kLinger;
}
bool is_time(Option option) {        // {seconds i64, microseconds}
  return option == Option::kReceiveTimeout || option == Option::kSendTimeout;
}

Errno set_option(Frame& frame, Option option, std::uint32_t value, std::uint32_t size) {
  constexpr std::uint32_t kTimeSize = 12;   // what of a timeval says something
  const auto bytes = frame.bytes(value, size);
  if (!bytes) return bytes.error();
  if (size < (is_time(option) ? kTimeSize : is_two_words(option) ? 8U : 4U)) return Errno::kInval;
  const auto all_zero = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if ((*bytes)[i] != std::byte{0}) return false;
    }
    return true;
  };
  switch (option) {
    case Option::kReuseAddress:
    case Option::kDontRoute:
    case Option::kBroadcast:
    case Option::kSendBuffer:
    case Option::kReceiveBuffer:
    case Option::kKeepAlive:
    case Option::kOutOfBandInline: return Errno::kOk;
    case Option::kLinger: return all_zero(4) ? Errno::kOk : Errno::kNoProtoOpt;
    case Option::kReceiveTimeout:
    case Option::kSendTimeout: return all_zero(kTimeSize) ? Errno::kOk : Errno::kNoProtoOpt;
    default: return Errno::kNoProtoOpt;
  }
}

}  // namespace

Answer sock_getsockopt(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> socket, any_socket_argument(frame));
  const OptionArguments in = option_arguments(frame);
  SF_CALL_TRY(const std::uint32_t size, option_size(frame, in.size));
  if (size < sizeof(std::uint32_t)) return Answer::done(Errno::kInval);
  SF_CALL_CHECK(frame.put(in.value, std::uint32_t{0}));   // SO_ERROR is told once: not to nobody
  if (in.level != kLevelSocket) return Answer::done(Errno::kNoProtoOpt);
  SF_CALL_TRY(const std::uint32_t value,
              integer_option(frame, *socket, static_cast<Option>(in.option)));
  frame.note_data(value);
  SF_CALL_CHECK(frame.put(in.value, value));
  if (in.size <= kLargestSize) return Answer::done();
  return Answer::done(frame.put(in.size, static_cast<std::uint32_t>(sizeof value)));
}

Answer sock_setsockopt(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> socket, any_socket_argument(frame));
  const OptionArguments in = option_arguments(frame);
  if (in.level != kLevelSocket) return Answer::done(Errno::kNoProtoOpt);
  return Answer::done(set_option(frame, static_cast<Option>(in.option), in.value, in.size));
}

}  // namespace sf::abi::wasi
