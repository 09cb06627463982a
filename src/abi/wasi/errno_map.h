// The kernel's errors as WASI preview 1 numbers (witx: typenames.witx, enum errno).
#pragma once

#include <cstdint>

#include "kernel/errno.h"

namespace sf::abi::wasi {

// Errors that WASI has no number for become EIO.
std::uint32_t number_of(kernel::Errno error);

}  // namespace sf::abi::wasi
