#include "abi/sdk/sdk_calls.h"

#include <cstring>

#include <fmt/format.h>

#include "abi/sockets.h"
#include "abi/wasi/errno_map.h"
#include "abi/wasm_guest.h"
#include "base/strings.h"
#include "kernel/net/network.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::abi::sdk {
namespace {

using kernel::DescriptionKind;
using kernel::Process;

constexpr std::uint32_t kMessageBytesMax = 4096;
constexpr std::uint32_t kAddressBytesMax = 512;

// The call's input and output areas, at the arguments 1-2 and 3-4.
template <class T>
Outcome<T> input(Frame& frame) {
  if (frame.u32(2) < sizeof(T)) return kernel::fail(Errno::kInval);
  return frame.get<T>(frame.u32(1));
}

template <class T>
Errno output(Frame& frame, const T& value) {
  if (frame.u32(4) < sizeof(T)) return Errno::kInval;
  return frame.put(frame.u32(3), value);
}

Errno output_bytes(Frame& frame, std::size_t offset, std::string_view data) {
  if (data.empty()) return Errno::kOk;
  if (offset + data.size() > frame.u32(4)) return Errno::kRange;
  const std::uint64_t at = std::uint64_t{frame.u32(3)} + offset;
  if (at > UINT32_MAX) return Errno::kFault;
  const auto to = frame.bytes(static_cast<std::uint32_t>(at), data.size());
  if (!to) return to.error();
  std::memcpy(to->data(), data.data(), data.size());
  return Errno::kOk;
}

struct PropertyInput {
  std::uint32_t kind, condition, message, message_size, site, site_size;
};

// A property is its kind and message if the message is a constant of the program, else its call
// site: a message made at run time ("entry 27 lost") names an instance, not a property.
std::string identity_of(Frame& frame, const PropertyInput& in, std::string_view message,
                        std::string_view site) {
  const bool constant =
      !message.empty() && frame.guest().program().in_data_segment(in.message, in.message_size);
  const auto kind = static_cast<kernel::PropertyKind>(in.kind);
  return fmt::format("{}: {}", property_kind_name(kind), constant ? message : site);
}

void fail_run(Process& process, const kernel::PropertyHit& hit) {
  kernel::Finding finding;
  finding.kind = kernel::FindingKind::kAssertion;
  finding.node = process.node_id();
  finding.incarnation = process.incarnation();
  finding.message = hit.message;
  finding.site = hit.site;
  if (hit.kind != kernel::PropertyKind::kAssert) {
    finding.message = fmt::format("{}: {}", property_kind_name(hit.kind), hit.message);
  }
  if (!process.room().settings().keep_going) process.freeze();
  process.room().report(process.now(), std::move(finding));
}

Answer property(Frame& frame) {
  SF_CALL_TRY(const PropertyInput in, input<PropertyInput>(frame));
  if (in.kind < 1 || in.kind > 5) return Answer::done(Errno::kInval);
  if (in.message_size > kMessageBytesMax || in.site_size > kMessageBytesMax) {
    return Answer::done(Errno::kMsgSize);
  }
  SF_CALL_TRY(const std::string_view message, frame.text(in.message, in.message_size));
  SF_CALL_TRY(const std::string_view site, frame.text(in.site, in.site_size));
  kernel::PropertyHit hit;
  hit.kind = static_cast<kernel::PropertyKind>(in.kind);
  hit.held = hit.kind == kernel::PropertyKind::kReachable ||
             (hit.kind != kernel::PropertyKind::kUnreachable && in.condition != 0);
  hit.identity = identity_of(frame, in, message, site);
  hit.message = excerpt(message, 1000);
  hit.site = excerpt(site, 300);
  Process& process = frame.process();
  process.property(hit);
  const bool must_hold = hit.kind == kernel::PropertyKind::kAssert ||
                         hit.kind == kernel::PropertyKind::kAlways ||
                         hit.kind == kernel::PropertyKind::kUnreachable;
  if (must_hold && !hit.held) fail_run(process, hit);
  frame.already_recorded();
  return Answer::done();
}

Answer quiet_for(Frame& frame) {
  SF_CALL_TRY(const std::int64_t length, input<std::int64_t>(frame));
  if (length < 0) return Answer::done(Errno::kInval);
  if (frame.wants_text()) frame.what("quiet for " + format_duration(Duration(length)));
  frame.note_data(static_cast<std::uint64_t>(length));
  frame.process().room().request_quiet(frame.process(), Duration(length));
  return Answer::done();
}

Answer node_name(Frame& frame) {
  const std::string& name = frame.process().node().name();
  SF_CALL_CHECK(output(frame, static_cast<std::uint32_t>(name.size())));
  return Answer::done(output_bytes(frame, 4, name));
}

Answer random_word(Frame& frame) {
  if (frame.u32(4) < sizeof(std::uint64_t)) return Answer::done(Errno::kInval);
  const std::uint64_t word = frame.process().sdk_random();
  frame.note_data(word);
  return Answer::done(output(frame, word));
}

struct AddressInput {
  std::uint32_t text, size;
};

Outcome<kernel::Address> address_input(Frame& frame) {
  const auto in = input<AddressInput>(frame);
  if (!in) return kernel::fail(in.error());
  if (in->size > kAddressBytesMax) return kernel::fail(Errno::kInval);
  const auto text = frame.text(in->text, in->size);
  if (!text) return kernel::fail(text.error());
  frame.note_data(hash64(*text));
  return frame.process().room().network().resolve(frame.process(), *text);
}

Answer give_socket(Frame& frame, kernel::SocketId socket, DescriptionKind kind,
                   std::string_view verb) {
  SF_CALL_TRY(const kernel::Fd fd, add_socket(frame.process(), socket, kind, true));
  if (frame.wants_text()) {
    frame.what(fmt::format("{} {}", verb, (*frame.process().fds().get(fd))->path));
    frame.outcome(fmt::format("fd {}", fd));
  }
  return Answer::done(output(frame, fd));
}

Answer net_listen(Frame& frame) {
  SF_CALL_CHECK(output(frame, std::uint32_t{0}));
  SF_CALL_TRY(const kernel::Address address, address_input(frame));
  SF_CALL_TRY(const kernel::SocketId socket,
              frame.process().room().network().listen(frame.process(), address));
  return give_socket(frame, socket, DescriptionKind::kListener, "listen");
}

Answer net_dial(Frame& frame) {
  SF_CALL_CHECK(output(frame, std::uint32_t{0}));
  SF_CALL_TRY(const kernel::Address address, address_input(frame));
  SF_CALL_TRY(const kernel::SocketId socket,
              frame.process().room().network().connect(frame.process(), address));
  return give_socket(frame, socket, DescriptionKind::kStream, "dial");
}

Outcome<kernel::SocketId> socket_input(Frame& frame) {
  const auto fd = input<std::uint32_t>(frame);
  if (!fd) return kernel::fail(fd.error());
  const auto file = frame.process().fds().get(*fd);
  if (!file) return kernel::fail(file.error());
  if ((*file)->socket == 0) return kernel::fail(Errno::kNotSock);
  return (*file)->socket;
}

Answer net_connect_status(Frame& frame) {
  SF_CALL_TRY(const kernel::SocketId socket, socket_input(frame));
  const Errno status = frame.process().room().network().connect_status(socket);
  if (frame.wants_text()) {
    frame.what("connect status");
    frame.outcome(std::string(kernel::errno_name(status)));
  }
  frame.note_data(static_cast<std::uint64_t>(status));
  return Answer::done(output(frame, wasi::number_of(status)));
}

Answer net_addresses(Frame& frame) {
  SF_CALL_TRY(const kernel::SocketId socket, socket_input(frame));
  const kernel::Network& network = frame.process().room().network();
  const auto [local, remote] = network.addresses(socket);
  const std::string local_text = network.format(local);
  const std::string remote_text = remote.port == 0 ? std::string() : network.format(remote);
  const struct {
    std::uint32_t local_size, remote_size;
  } sizes{static_cast<std::uint32_t>(local_text.size()),
          static_cast<std::uint32_t>(remote_text.size())};
  SF_CALL_CHECK(output(frame, sizes));
  SF_CALL_CHECK(output_bytes(frame, sizeof sizes, local_text));
  return Answer::done(output_bytes(frame, sizeof sizes + local_text.size(), remote_text));
}

}  // namespace

Answer setup_complete(Frame& frame) {
  if (frame.wants_text()) frame.what("setup complete");
  frame.process().room().request_setup_complete(frame.process());
  return Answer::done();
}

Answer call(Frame& frame) {
  frame.note_data(frame.u32(0));
  switch (static_cast<SdkCall>(frame.u32(0))) {
    case SdkCall::kProperty: return property(frame);
    case SdkCall::kSetupComplete: return setup_complete(frame);
    case SdkCall::kQuietFor: return quiet_for(frame);
    case SdkCall::kNodeName: return node_name(frame);
    case SdkCall::kRandom: return random_word(frame);
    case SdkCall::kNetListen: return net_listen(frame);
    case SdkCall::kNetDial: return net_dial(frame);
    case SdkCall::kNetConnectStatus: return net_connect_status(frame);
    case SdkCall::kNetAddresses: return net_addresses(frame);
  }
  if (frame.wants_text()) frame.what(fmt::format("seedfall.call {} (unknown)", frame.u32(0)));
  return Answer::done(Errno::kNoSys);
}

}  // namespace sf::abi::sdk
