// Addresses and numbers of WasmEdge's socket extension, as its host functions and the libraries
// over them (the crate wasmedge_wasi_socket, Go's dispatchrun/net) have them.
//
// An address in guest memory is {pointer to the bytes, their number}: 4 bytes are IPv4, 16 are IPv6
// (::, ::1 and IPv4-mapped ones exist here), and 128 are a family and then the bytes. The port goes
// apart, in host order.
#pragma once

#include <cstdint>

#include "abi/frame.h"
#include "kernel/net/network.h"

namespace sf::abi::wasi {

inline constexpr std::uint32_t kFamilyUnspecified = 0, kFamilyInet4 = 1, kFamilyInet6 = 2;
inline constexpr std::uint32_t kSocketAny = 0, kSocketDatagram = 1, kSocketStream = 2;
inline constexpr std::uint32_t kProtocolIp = 0, kProtocolTcp = 1, kProtocolUdp = 2;

// The address that an argument points to, at a port. EFAULT, EINVAL for a length or a port that
// does not exist, EAFNOSUPPORT for a family that does not, EHOSTUNREACH for an address that no node
// has.
Outcome<kernel::Address> get_address(Frame& frame, std::uint32_t pointer, std::uint32_t port);

// Whether the address that an argument points to could be written to: EFAULT, EINVAL.
Errno check_address_room(Frame& frame, std::uint32_t pointer);
// Writes an address there, as its length asks for.
Errno put_address(Frame& frame, std::uint32_t pointer, kernel::Address address);

}  // namespace sf::abi::wasi
