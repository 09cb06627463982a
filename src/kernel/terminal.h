// Where the consoles of a run lead, beside the trace: to a person, for `exec`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernel/errno.h"
#include "kernel/ids.h"

namespace sf::kernel {

class Terminal {
 public:
  virtual ~Terminal() = default;
  // What a program wrote to stream 1 or 2 (stdout, stderr), as it was written.
  virtual void write(NodeId node, std::uint8_t stream, std::string_view bytes) = 0;
  // What there is for its stdin, at least one byte unless at the end: read(2). Simulated time
  // stands still meanwhile.
  virtual Outcome<std::size_t> read(NodeId node, std::span<std::byte> into) = 0;
};

}  // namespace sf::kernel
