// WASI rights: what a descriptor may be used for.
//
// A right is asked for at path_open, can be given up, and never comes back. Some do not apply to
// what a descriptor is (reading a directory's bytes, writing through a reader): those are not
// reported, and what needs them answers as Linux does (EISDIR, EBADF), not ENOTCAPABLE.
// docs/design/wasi.md says what we decided where preview 1 is silent.
#pragma once

#include <cstdint>

#include "abi/frame.h"
#include "kernel/fd_table.h"

namespace sf::abi::wasi {

// What fd_fdstat_get reports.
std::uint64_t base_rights(const kernel::Description& file);
std::uint64_t inheriting_rights(const kernel::Description& file);

// Whether the call may use the descriptor that this argument of it names.
bool has_rights_for(const Frame& frame, std::size_t argument, const kernel::Description& file);
// To look at a descriptor in poll_oneoff; `to_write`: for room to write instead of data.
bool may_poll(const kernel::Description& file, bool to_write);
// To open with these witx `oflags` and `fdflags` through this directory, and `base` and
// `inheriting` for what is opened.
struct OpenRights {
  std::uint32_t open_flags = 0;
  std::uint32_t fd_flags = 0;
  std::uint64_t base = 0;
  std::uint64_t inheriting = 0;
};
bool may_open(const kernel::Description& directory, const OpenRights& asked);

}  // namespace sf::abi::wasi
