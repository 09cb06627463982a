#include <vector>

#include <fmt/format.h>

#include "abi/sockets.h"
#include "abi/wasi/calls.h"
#include "abi/wasi/layout.h"
#include "abi/wasm_guest.h"
#include "kernel/file_calls.h"
#include "kernel/net/network.h"
#include "kernel/room.h"

namespace sf::abi::wasi {
namespace {

using kernel::Description;
using kernel::DescriptionKind;

Outcome<std::shared_ptr<Description>> socket_argument(Frame& frame, DescriptionKind kind) {
  auto found = description(frame, 0);
  if (!found) return found;
  const bool socket = (*found)->kind == DescriptionKind::kListener ||
                      (*found)->kind == DescriptionKind::kStream;
  if (!socket) return kernel::fail(Errno::kNotSock);
  if ((*found)->kind != kind) return kernel::fail(Errno::kInval);
  return found;
}

}  // namespace

Answer sock_accept(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> listener,
              socket_argument(frame, DescriptionKind::kListener));
  if (frame.wants_text()) frame.what("accept " + listener->path);
  SF_CALL_CHECK(frame.put(frame.u32(2), std::uint32_t{0}));
  kernel::Process& process = frame.process();
  SF_CALL_CHECK(process.may_open_descriptor());
  const auto accepted = process.room().network().accept(process, listener->socket);
  if (!accepted && accepted.error() == Errno::kAgain) return would_block(*listener);
  if (!accepted) return Answer::done(accepted.error());
  const bool non_blocking = (frame.u32(1) & kFdNonblock) != 0 || listener->flags.non_blocking;
  SF_CALL_TRY(const kernel::Fd fd,
              add_socket(process, *accepted, DescriptionKind::kStream, non_blocking));
  if (frame.wants_text()) frame.outcome(fmt::format("fd {}", fd));
  SF_CALL_CHECK(frame.put(frame.u32(2), fd));
  return Answer::done();
}

// sock_recv and sock_send are fd_read and fd_write with flags; no flag is built yet.
Answer sock_recv(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> stream,
              socket_argument(frame, DescriptionKind::kStream));
  if (frame.u32(3) != 0) return Answer::done(Errno::kNotSup);
  SF_CALL_CHECK(frame.put(frame.u32(5), std::uint16_t{0}));
  return read_call(frame, 4);
}

Answer sock_send(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> stream,
              socket_argument(frame, DescriptionKind::kStream));
  if (frame.u32(3) != 0) return Answer::done(Errno::kInval);
  return write_call(frame, 4);
}

Answer sock_shutdown(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> stream,
              socket_argument(frame, DescriptionKind::kStream));
  constexpr std::uint32_t kRead = 1, kWrite = 2;
  const std::uint32_t how = frame.u32(1);
  if (how == 0 || how > (kRead | kWrite)) return Answer::done(Errno::kInval);
  if (frame.wants_text()) frame.what("shutdown " + stream->path);
  const auto what = how == kRead    ? kernel::ShutdownHow::kRead
                    : how == kWrite ? kernel::ShutdownHow::kWrite
                                    : kernel::ShutdownHow::kBoth;
  kernel::Process& process = frame.process();
  return Answer::done(process.room().network().shutdown(process, stream->socket, what));
}

}  // namespace sf::abi::wasi
