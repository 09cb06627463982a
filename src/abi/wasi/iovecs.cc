#include "abi/wasi/iovecs.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "abi/wasi/layout.h"
#include "abi/wasm_guest.h"

namespace sf::abi::wasi {
namespace {

constexpr std::uint32_t kIovecsMax = 1024;   // IOV_MAX, limits.h
// readv and writev return at most this many bytes (MAX_RW_COUNT of Linux, 2^31 minus a page).
constexpr std::uint64_t kTransferMax = 0x7ffff000;

}  // namespace

Outcome<Buffers> buffers(Frame& frame, std::uint32_t address, std::uint32_t count) {
  if (count > kIovecsMax) return kernel::fail(Errno::kInval);
  Buffers out;
  out.reserve(count);
  std::uint64_t left = std::min<std::uint64_t>(kTransferMax, frame.guest().memory().size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = std::uint64_t{address} + std::uint64_t{i} * sizeof(Iovec);
    if (at > std::numeric_limits<std::uint32_t>::max()) return kernel::fail(Errno::kFault);
    const auto vector = frame.get<Iovec>(static_cast<std::uint32_t>(at));
    if (!vector) return kernel::fail(vector.error());
    const auto range = frame.bytes(vector->address, vector->size);
    if (!range) return kernel::fail(range.error());
    const std::uint64_t take = std::min<std::uint64_t>(left, range->size());
    left -= take;
    out.push_back(range->first(take));
  }
  return out;
}

std::uint64_t total_size(const Buffers& parts) {
  std::uint64_t total = 0;
  for (const auto& part : parts) total += part.size();
  return total;
}

std::string gather(const Buffers& from, const Part& part) {
  std::string data;
  std::uint64_t skip = part.skip;
  for (const auto& piece : from) {
    const std::uint64_t behind = std::min<std::uint64_t>(skip, piece.size());
    skip -= behind;
    const std::uint64_t take =
        std::min<std::uint64_t>(piece.size() - behind, part.bytes_max - data.size());
    data.append(reinterpret_cast<const char*>(piece.data()) + behind, take);
  }
  return data;
}

void scatter(std::span<const std::byte> data, const Buffers& to, std::uint64_t skip) {
  for (const auto& part : to) {
    const std::uint64_t from = std::min<std::uint64_t>(skip, part.size());
    skip -= from;
    const std::size_t take = std::min<std::size_t>(part.size() - from, data.size());
    if (take == 0) continue;
    std::memcpy(part.data() + from, data.data(), take);
    data = data.subspan(take);
  }
}

}  // namespace sf::abi::wasi
