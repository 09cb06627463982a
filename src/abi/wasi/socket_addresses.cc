#include "abi/wasi/socket_addresses.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "kernel/room.h"

namespace sf::abi::wasi {
namespace {

using kernel::Address;

constexpr std::uint32_t kInet4Bytes = 4, kInet6Bytes = 16, kStorageBytes = 128;
constexpr std::uint32_t kFamilyBytes = 2;   // in front of the bytes in a storage
constexpr std::uint32_t kPortMax = 65535;

struct AddressBuffer {
  std::uint32_t bytes;   // where they lie
  std::uint32_t size;
};

using Inet4 = std::array<std::uint8_t, kInet4Bytes>;

// "10.0.0.1:7000" for the network's own resolver.
Outcome<Address> resolve_inet4(Frame& frame, const Inet4& ip, std::uint32_t port) {
  const auto found = frame.process().room().network().resolve(
      frame.process(), fmt::format("{}.{}.{}.{}:{}", ip[0], ip[1], ip[2], ip[3], port));
  if (!found) return kernel::fail(Errno::kHostUnreach);
  return found;
}

Outcome<Address> resolve_inet6(Frame& frame, std::span<const std::byte> bytes,
                               std::uint32_t port) {
  std::array<std::uint8_t, kInet6Bytes> ip{};
  std::memcpy(ip.data(), bytes.data(), ip.size());
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), ip.begin())) {
    return resolve_inet4(frame, {ip[12], ip[13], ip[14], ip[15]}, port);
  }
  const bool front_is_zero = std::all_of(ip.begin(), ip.end() - 1, [](auto b) { return b == 0; });
  if (front_is_zero && ip.back() == 0) return resolve_inet4(frame, {0, 0, 0, 0}, port);
  if (front_is_zero && ip.back() == 1) return resolve_inet4(frame, {127, 0, 0, 1}, port);
  return kernel::fail(Errno::kHostUnreach);
}

bool is_size(std::uint32_t size) {
  return size == kInet4Bytes || size == kInet6Bytes || size == kStorageBytes;
}

}  // namespace

Outcome<Address> get_address(Frame& frame, std::uint32_t pointer, std::uint32_t port) {
  const auto buffer = frame.get<AddressBuffer>(pointer);
  if (!buffer) return kernel::fail(buffer.error());
  const auto found = frame.bytes(buffer->bytes, buffer->size);
  if (!found) return kernel::fail(found.error());
  if (!is_size(buffer->size) || port > kPortMax) return kernel::fail(Errno::kInval);
  std::span<const std::byte> bytes = *found;
  std::uint32_t family = bytes.size() == kInet4Bytes ? kFamilyInet4 : kFamilyInet6;
  if (bytes.size() == kStorageBytes) {
    std::uint16_t named = 0;
    std::memcpy(&named, bytes.data(), sizeof named);
    family = named;
    bytes = bytes.subspan(kFamilyBytes);
  }
  frame.note_data(hash64(bytes.first(family == kFamilyInet4 ? kInet4Bytes : kInet6Bytes)));
  if (family == kFamilyInet6) return resolve_inet6(frame, bytes, port);
  if (family != kFamilyInet4) return kernel::fail(Errno::kAfNoSupport);
  Inet4 ip{};
  std::memcpy(ip.data(), bytes.data(), ip.size());
  return resolve_inet4(frame, ip, port);
}

Errno check_address_room(Frame& frame, std::uint32_t pointer) {
  const auto buffer = frame.get<AddressBuffer>(pointer);
  if (!buffer) return buffer.error();
  const auto bytes = frame.bytes(buffer->bytes, buffer->size);
  if (!bytes) return bytes.error();
  return is_size(buffer->size) ? Errno::kOk : Errno::kInval;
}

Errno put_address(Frame& frame, std::uint32_t pointer, Address address) {
  if (const Errno error = check_address_room(frame, pointer); error != Errno::kOk) return error;
  const auto buffer = frame.get<AddressBuffer>(pointer);
  const auto found = frame.bytes(buffer->bytes, buffer->size);
  std::span<std::byte> bytes = *found;
  if (bytes.size() == kStorageBytes) {
    constexpr std::uint16_t kFamily = kFamilyInet4;
    std::memcpy(bytes.data(), &kFamily, sizeof kFamily);
    bytes = bytes.subspan(kFamilyBytes);
  }
  const std::uint32_t ip = kernel::Network::ip_of(address.host);
  const Inet4 in_order = {static_cast<std::uint8_t>(ip >> 24), static_cast<std::uint8_t>(ip >> 16),
                          static_cast<std::uint8_t>(ip >> 8), static_cast<std::uint8_t>(ip)};
  std::memcpy(bytes.data(), in_order.data(), in_order.size());
  return Errno::kOk;
}

}  // namespace sf::abi::wasi
