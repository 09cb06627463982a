#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "abi/sockets.h"
#include "abi/wasi/calls.h"
#include "abi/wasi/iovecs.h"
#include "abi/wasi/layout.h"
#include "abi/wasm_guest.h"
#include "kernel/file_calls.h"
#include "kernel/net/network.h"
#include "kernel/room.h"

namespace sf::abi::wasi {

using kernel::Description;
using kernel::DescriptionKind;

Outcome<std::shared_ptr<Description>> any_socket_argument(Frame& frame) {
  auto found = description(frame, 0);
  if (!found) return found;
  const bool socket = (*found)->kind == DescriptionKind::kListener ||
                      (*found)->kind == DescriptionKind::kStream;
  if (!socket) return kernel::fail(Errno::kNotSock);
  return found;
}

Outcome<std::shared_ptr<Description>> socket_argument(Frame& frame, DescriptionKind kind) {
  auto found = any_socket_argument(frame);
  if (!found || (*found)->kind == kind) return found;
  // accept(2) of what does not listen; for the others tcp(7), where a listener is not connected.
  return kernel::fail(kind == DescriptionKind::kListener ? Errno::kInval : Errno::kNotConn);
}

// With the flags of preview 1, or without them as WasmEdge has it.
Answer sock_accept(Frame& frame) {
  const bool has_flags = frame.argument_count == 3;
  const std::uint32_t flags = has_flags ? frame.u32(1) : 0;
  const std::uint32_t result = frame.u32(has_flags ? 2 : 1);
  SF_CALL_TRY(const std::shared_ptr<Description> listener,
              socket_argument(frame, DescriptionKind::kListener));
  if ((flags & ~kFdFlagsKnown) != 0) return Answer::done(Errno::kInval);
  if (frame.wants_text()) frame.what("accept " + listener->path);
  SF_CALL_CHECK(frame.put(result, std::uint32_t{0}));
  kernel::Process& process = frame.process();
  SF_CALL_CHECK(process.may_open_descriptor());
  const auto accepted = process.room().network().accept(process, listener->socket);
  if (!accepted && accepted.error() == Errno::kAgain) return would_block(*listener);
  if (!accepted) return Answer::done(accepted.error());
  // On Linux an accepted socket has no flag of its listener's (accept(2)).
  const bool non_blocking = (flags & kFdNonblock) != 0;
  SF_CALL_TRY(const kernel::Fd fd,
              add_socket(process, *accepted, DescriptionKind::kStream, non_blocking));
  if (frame.wants_text()) frame.outcome(fmt::format("fd {}", fd));
  SF_CALL_CHECK(frame.put(result, fd));
  return Answer::done();
}

namespace {

// A peek that waits for everything would wait for ever for more than a window has room for while
// nothing is taken out.
constexpr std::uint64_t kPeekMax = kernel::kWindowBytes / 4 * 3;

struct Receive {
  std::shared_ptr<Description> stream;
  Buffers parts;
  std::uint64_t wanted = 0;
  bool peek = false;
  bool all = false;            // wait for everything, unless non-blocking
};

Answer received(Frame& frame, const Receive& how) {
  const std::uint64_t taken = frame.state.value;
  if (frame.wants_text() && taken != how.wanted) frame.outcome(fmt::format("{} B", taken));
  SF_CALL_CHECK(frame.put(frame.u32(4), static_cast<std::uint32_t>(taken)));
  // No datagram, so nothing of it was cut off.
  return Answer::done(frame.put(frame.u32(5), std::uint16_t{0}));
}

// One try: what is there, behind what earlier tries took.
Answer receive(Frame& frame, const Receive& how) {
  kernel::Process& process = frame.process();
  kernel::Network& network = process.room().network();
  const kernel::Readiness ready = network.readiness(how.stream->socket);
  std::uint64_t& taken = frame.state.value;
  const bool more = how.all && !ready.hangup;
  const bool too_few = ready.bytes > 0 && ready.bytes < std::min(how.wanted, kPeekMax);
  if (how.peek && more && too_few) return Answer::wait();
  // What ended the stream after some bytes is for the next call to learn.
  if (taken > 0 && ready.bytes == 0) return ready.readable ? received(frame, how) : Answer::wait();
  std::vector<std::byte> staging(
      std::min<std::uint64_t>(how.wanted - taken, kernel::kWindowBytes));
  const auto count = network.receive(
      process, how.stream->socket, staging,
      how.peek ? kernel::ReceiveHow::kPeek : kernel::ReceiveHow::kTake);
  if (!count && count.error() == Errno::kAgain) return would_block(*how.stream);
  if (!count) return Answer::done(count.error());
  const std::span<const std::byte> data = std::span(staging).first(*count);
  frame.note_data(hash64(data));
  scatter(data, how.parts, taken);
  taken += *count;
  if (more && !how.peek && *count > 0 && taken < how.wanted) return Answer::wait();
  return received(frame, how);
}

}  // namespace

Answer sock_recv(Frame& frame) {
  Receive how;
  SF_CALL_TRY(how.stream, socket_argument(frame, DescriptionKind::kStream));
  if ((frame.u32(3) & ~(kReceivePeek | kReceiveWaitAll)) != 0) return Answer::done(Errno::kInval);
  SF_CALL_TRY(how.parts, buffers(frame, frame.u32(1), frame.u32(2)));
  // Places for results are checked before anything is taken.
  SF_CALL_CHECK(frame.put(frame.u32(4), std::uint32_t{0}));
  SF_CALL_CHECK(frame.put(frame.u32(5), std::uint16_t{0}));
  how.wanted = total_size(how.parts);
  how.peek = (frame.u32(3) & kReceivePeek) != 0;
  how.all = (frame.u32(3) & kReceiveWaitAll) != 0 && !how.stream->flags.non_blocking;
  if (frame.wants_text()) {
    frame.what(fmt::format("{} {} {} B", how.peek ? "peek" : "read", how.stream->path, how.wanted));
  }
  return receive(frame, how);
}

// fd_write; preview 1 has no flag for sending.
Answer sock_send(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> stream, description(frame, 0));
  const bool socket = stream->kind == DescriptionKind::kListener ||
                      stream->kind == DescriptionKind::kStream;
  if (!socket) return Answer::done(Errno::kNotSock);
  if (frame.u32(3) != 0) return Answer::done(Errno::kInval);
  return write_call(frame, 4);
}

Answer sock_shutdown(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> socket, any_socket_argument(frame));
  constexpr std::uint32_t kRead = 1, kWrite = 2;
  const std::uint32_t how = frame.u32(1);
  if (how == 0 || how > (kRead | kWrite)) return Answer::done(Errno::kInval);
  if (frame.wants_text()) frame.what("shutdown " + socket->path);
  const auto what = how == kRead    ? kernel::ShutdownHow::kRead
                    : how == kWrite ? kernel::ShutdownHow::kWrite
                                    : kernel::ShutdownHow::kBoth;
  kernel::Process& process = frame.process();
  SF_CALL_CHECK(process.room().network().shutdown(process, socket->socket, what));
  const bool listened = socket->kind == DescriptionKind::kListener;
  if (listened && what != kernel::ShutdownHow::kWrite) socket->kind = DescriptionKind::kStream;
  return Answer::done();
}

}  // namespace sf::abi::wasi
