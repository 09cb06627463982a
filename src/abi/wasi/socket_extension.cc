// WasmEdge's socket extension: the calls that WASI preview 1 lacks, for guests without our SDK. The
// sockets are those of the simulated network: TCP over IPv4. What has several forms in different
// versions of WasmEdge is told apart by the number of its arguments.
#include <fmt/format.h>

#include "abi/sockets.h"
#include "abi/wasi/calls.h"
#include "abi/wasi/socket_addresses.h"
#include "abi/wasm_guest.h"
#include "kernel/net/network.h"
#include "kernel/room.h"

namespace sf::abi::wasi {
namespace {

using kernel::Description;
using kernel::DescriptionKind;

kernel::Network& network_of(Frame& frame) { return frame.process().room().network(); }

// Results that cannot be written must not cost the data that was read.
Errno check_results(Frame& frame, std::size_t length, std::size_t flags) {
  const Errno error = frame.put(frame.u32(length), std::uint32_t{0});
  return error != Errno::kOk ? error : frame.put(frame.u32(flags), std::uint16_t{0});
}

}  // namespace

Answer sock_open(Frame& frame) {
  SF_CALL_CHECK(frame.put(frame.u32(2), std::uint32_t{0}));
  const std::uint32_t family = frame.u32(0), type = frame.u32(1);
  if (family != kFamilyInet4 && family != kFamilyInet6) return Answer::done(Errno::kAfNoSupport);
  if (type == kSocketDatagram) return Answer::done(Errno::kProtoNoSupport);
  if (type != kSocketStream) return Answer::done(Errno::kInval);
  kernel::Process& process = frame.process();
  SF_CALL_CHECK(process.may_open_descriptor());
  SF_CALL_TRY(const kernel::Fd fd, add_socket(process, network_of(frame).open(process),
                                              DescriptionKind::kStream, false));
  if (frame.wants_text()) {
    frame.what("socket");
    frame.outcome(fmt::format("fd {}", fd));
  }
  return Answer::done(frame.put(frame.u32(2), fd));
}

Answer sock_bind(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> socket, any_socket_argument(frame));
  const auto address = get_address(frame, frame.u32(1), frame.u32(2));
  if (!address) {
    const bool unknown = address.error() == Errno::kHostUnreach;
    return Answer::done(unknown ? Errno::kAddrNotAvail : address.error());
  }
  if (frame.wants_text()) frame.what("bind " + network_of(frame).format(*address));
  const Errno error = network_of(frame).bind(frame.process(), socket->socket, *address);
  if (error == Errno::kOk) name_socket(frame.process(), *socket);
  return Answer::done(error);
}

// The backlog has the network's own length whatever is asked for, as many systems have it.
Answer sock_listen(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> socket, any_socket_argument(frame));
  SF_CALL_CHECK(network_of(frame).start_listening(frame.process(), socket->socket));
  socket->kind = DescriptionKind::kListener;
  name_socket(frame.process(), *socket);
  if (frame.wants_text()) frame.what("listen " + socket->path);
  return Answer::done();
}

// Blocking sockets wait until the connection stands or has failed.
Answer sock_connect(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> socket, any_socket_argument(frame));
  if (frame.state.stage == 0) {
    SF_CALL_TRY(const kernel::Address address, get_address(frame, frame.u32(1), frame.u32(2)));
    if (frame.wants_text()) frame.what("connect " + network_of(frame).format(address));
    SF_CALL_CHECK(network_of(frame).start_connecting(frame.process(), socket->socket, address));
    name_socket(frame.process(), *socket);
    if (socket->flags.non_blocking) return Answer::done(Errno::kInProgress);
    frame.state.stage = 1;
  }
  const Errno status = network_of(frame).connect_status(socket->socket);
  return status == Errno::kInProgress ? Answer::wait() : Answer::done(status);
}

// Streams only, so the sender is always the peer. The older form does not tell its port.
Answer sock_recv_from(Frame& frame) {
  const bool tells_port = frame.argument_count == 8;
  const std::size_t length = tells_port ? 6 : 5;
  SF_CALL_TRY(const std::shared_ptr<Description> stream,
              socket_argument(frame, DescriptionKind::kStream));
  if (frame.u32(4) != 0) return Answer::done(Errno::kNotSup);
  SF_CALL_CHECK(check_results(frame, length, length + 1));
  SF_CALL_CHECK(check_address_room(frame, frame.u32(3)));
  const kernel::Address peer = network_of(frame).addresses(stream->socket).second;
  if (tells_port) SF_CALL_CHECK(frame.put(frame.u32(5), peer.port));
  const Answer answer = read_call(frame, length);
  if (answer.kind == Answer::Kind::kDone && answer.error == Errno::kOk) {
    SF_CALL_CHECK(put_address(frame, frame.u32(3), peer));
  }
  return answer;
}

// send(2) on a connected stream takes no notice of an address.
Answer sock_send_to(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> stream,
              socket_argument(frame, DescriptionKind::kStream));
  if (frame.u32(5) != 0) return Answer::done(Errno::kInval);
  SF_CALL_CHECK(check_address_room(frame, frame.u32(3)));
  return write_call(frame, 6);
}

}  // namespace sf::abi::wasi
