// The guest's buffers for one call that moves data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/frame.h"

namespace sf::abi::wasi {

using Buffers = std::vector<std::span<std::byte>>;

// The buffers that an array of iovecs names, checked: EFAULT, and EINVAL for more than IOV_MAX. The
// views are good until the program runs again. They may overlap and so ask for more than the whole
// memory: then that much is transferred (POSIX allows a part), and no call makes us hold more than
// the guest may.
Outcome<Buffers> buffers(Frame& frame, std::uint32_t address, std::uint32_t count);
std::uint64_t total_size(const Buffers& parts);
// One contiguous copy of at most so many bytes, behind the first `skip` ones: a writev is one
// operation.
struct Part {
  std::uint64_t skip = 0;
  std::uint64_t bytes_max = 0;
};
std::string gather(const Buffers& from, const Part& part);
// Spreads data over them in order, behind their first `skip` bytes; later ones win where they
// overlap.
void scatter(std::span<const std::byte> data, const Buffers& to, std::uint64_t skip = 0);

}  // namespace sf::abi::wasi
