// Names and addresses: of a socket's two ends, and of hosts.
//
// sock_getaddrinfo fills a chain of results that the guest has made; a name has one address here,
// so the first of them is filled. An element is {flags u16, family u8, type u8, protocol u32,
// size of the address u32, address, canonical name, its size, next}; an address {family u32, size
// of the bytes u32, bytes}, and its bytes are the port in network order and then the IP.
#include <cstring>

#include <fmt/format.h>

#include "abi/wasi/calls.h"
#include "abi/wasi/socket_addresses.h"
#include "abi/wasm_guest.h"
#include "base/strings.h"
#include "kernel/net/network.h"
#include "kernel/room.h"

namespace sf::abi::wasi {
namespace {

using kernel::Address;
using kernel::Description;

// WasmEdge's first version says which bytes they are: 4 or 6, for IPv4 and IPv6.
constexpr std::uint32_t kBytesAreInet4 = 4;

Answer tell_address(Frame& frame, Address address) {
  const bool tells_type = frame.argument_count == 4;
  const std::uint32_t port = frame.u32(tells_type ? 3 : 2);
  SF_CALL_CHECK(frame.put(port, std::uint32_t{address.port}));
  if (tells_type) SF_CALL_CHECK(frame.put(frame.u32(2), kBytesAreInet4));
  return Answer::done(put_address(frame, frame.u32(1), address));
}

struct AddressInfo {
  std::uint16_t flags;
  std::uint8_t family;
  std::uint8_t type;
  std::uint32_t protocol;
  std::uint32_t address_size;
  std::uint32_t address;
  std::uint32_t name;
  std::uint32_t name_size;
  std::uint32_t next;
};
static_assert(sizeof(AddressInfo) == 28);

struct SocketAddress {
  std::uint32_t family;   // WasmEdge has one byte here; the others are padding to it
  std::uint32_t size;
  std::uint32_t bytes;
};
static_assert(sizeof(SocketAddress) == 12);

enum InfoFlag : std::uint16_t {
  kPassive = 1, kCanonicalName = 2, kNumericHost = 4, kNumericService = 8, kV4Mapped = 16,
  kAllAddresses = 32, kAddressConfigured = 64,
};
constexpr std::uint16_t kKnownFlags = 127;
constexpr std::uint32_t kNameBytesMax = 512;

// Some callers count a closing zero, some do not.
Outcome<std::string> name_argument(Frame& frame, std::size_t argument) {
  const std::uint32_t size = frame.u32(argument + 1);
  if (size > kNameBytesMax) return kernel::fail(Errno::kNameTooLong);
  const auto text = frame.text(frame.u32(argument), size);
  if (!text) return kernel::fail(text.error());
  frame.note_data(hash64(*text));
  return std::string(text->substr(0, text->find('\0')));
}

// A decimal port, or one of the few names that programs use.
Outcome<std::uint16_t> port_of(const std::string& service, bool numeric_only) {
  if (service.empty()) return 0;
  if (!numeric_only && service == "http") return 80;
  if (!numeric_only && service == "https") return 443;
  std::uint32_t port = 0;
  if (service.size() > 5) return kernel::fail(Errno::kNoEnt);
  for (const char c : service) {
    if (c < '0' || c > '9') return kernel::fail(Errno::kNoEnt);
    port = port * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (port > 65535) return kernel::fail(Errno::kNoEnt);
  return static_cast<std::uint16_t>(port);
}

bool is_numeric(std::string_view host) {
  return !host.empty() && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

struct Found {
  std::uint32_t ip = 0;
  std::uint16_t port = 0;
};

constexpr std::uint32_t kLoopback = 0x7f000001;

Outcome<Found> look_up(Frame& frame, const std::string& host, std::uint16_t port,
                       std::uint16_t flags) {
  if (host.empty()) return Found{(flags & kPassive) != 0 ? 0 : kLoopback, port};
  if (host == "localhost" || host == "127.0.0.1") return Found{kLoopback, port};
  if ((flags & kNumericHost) != 0 && !is_numeric(host)) return kernel::fail(Errno::kNoEnt);
  if (host.find(':') != std::string::npos) return kernel::fail(Errno::kNoEnt);
  const auto address = frame.process().room().network().resolve(
      frame.process(), fmt::format("{}:{}", host, port));
  if (!address) return kernel::fail(Errno::kNoEnt);
  return Found{kernel::Network::ip_of(address->host), port};
}

// Writes the first element of the chain, the address it points to, and the name if it is wanted.
Errno put_result(Frame& frame, std::uint32_t at, const AddressInfo& hints, const Found& found,
                 std::string_view host) {
  const auto info = frame.get<AddressInfo>(at);
  if (!info) return info.error();
  const auto address = frame.get<SocketAddress>(info->address);
  if (!address) return address.error();
  const std::uint8_t bytes[] = {
      static_cast<std::uint8_t>(found.port >> 8), static_cast<std::uint8_t>(found.port),
      static_cast<std::uint8_t>(found.ip >> 24), static_cast<std::uint8_t>(found.ip >> 16),
      static_cast<std::uint8_t>(found.ip >> 8), static_cast<std::uint8_t>(found.ip)};
  const auto room = frame.bytes(address->bytes, address->size);
  if (!room) return room.error();
  if (room->size() < sizeof bytes) return Errno::kInval;
  AddressInfo out = *info;
  if ((hints.flags & kCanonicalName) != 0) {
    const auto name = frame.bytes(info->name, info->name_size);
    if (!name) return name.error();
    if (name->size() <= host.size()) return Errno::kOverflow;
    std::memcpy(name->data(), host.data(), host.size());
    (*name)[host.size()] = std::byte{0};
    out.name_size = static_cast<std::uint32_t>(host.size());
  }
  std::memcpy(room->data(), bytes, sizeof bytes);
  out.flags = hints.flags;
  out.family = kFamilyInet4;
  out.type = kSocketStream;
  out.protocol = kProtocolTcp;
  out.address_size = sizeof(SocketAddress);
  // `next` stays as it is: the number of results says where the chain ends.
  const SocketAddress told{kFamilyInet4, sizeof bytes, address->bytes};
  const Errno error = frame.put(info->address, told);
  return error != Errno::kOk ? error : frame.put(at, out);
}

// Whether what is asked for exists here: TCP over IPv4.
Errno check_hints(const AddressInfo& hints) {
  if ((hints.flags & ~kKnownFlags) != 0 || hints.family > kFamilyInet6 ||
      hints.type > kSocketStream || (hints.protocol & 0xff) > kProtocolUdp) {
    return Errno::kInval;
  }
  if (hints.family == kFamilyInet6 && (hints.flags & kV4Mapped) == 0) return Errno::kNoEnt;
  const bool datagram = hints.type == kSocketDatagram || (hints.protocol & 0xff) == kProtocolUdp;
  return datagram ? Errno::kProtoNoSupport : Errno::kOk;
}

}  // namespace

Answer sock_getlocaladdr(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> socket, any_socket_argument(frame));
  return tell_address(frame, frame.process().room().network().addresses(socket->socket).first);
}

Answer sock_getpeeraddr(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> socket, any_socket_argument(frame));
  const kernel::Network& network = frame.process().room().network();
  if (!network.is_established(socket->socket)) return Answer::done(Errno::kNotConn);
  return tell_address(frame, network.addresses(socket->socket).second);
}

Answer sock_getaddrinfo(Frame& frame) {
  SF_CALL_TRY(const std::string host, name_argument(frame, 0));
  SF_CALL_TRY(const std::string service, name_argument(frame, 2));
  SF_CALL_TRY(const AddressInfo hints, frame.get<AddressInfo>(frame.u32(4)));
  SF_CALL_TRY(const std::uint32_t first, frame.get<std::uint32_t>(frame.u32(5)));
  SF_CALL_CHECK(frame.put(frame.u32(7), std::uint32_t{0}));
  if (frame.wants_text()) frame.what("look up " + excerpt(host, 200));
  if ((host.empty() && service.empty()) || frame.u32(6) == 0) return Answer::done(Errno::kInval);
  SF_CALL_CHECK(check_hints(hints));
  SF_CALL_TRY(const std::uint16_t port,
              port_of(service, (hints.flags & kNumericService) != 0));
  SF_CALL_TRY(const Found found, look_up(frame, host, port, hints.flags));
  SF_CALL_CHECK(put_result(frame, first, hints, found, host));
  if (frame.wants_text()) {
    frame.outcome(fmt::format("{}.{}.{}.{}", found.ip >> 24, found.ip >> 16 & 0xff,
                              found.ip >> 8 & 0xff, found.ip & 0xff));
  }
  return Answer::done(frame.put(frame.u32(7), std::uint32_t{1}));
}

}  // namespace sf::abi::wasi
