// Standard streams and environment of this process, for programs that are shown ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sf::host {

// Before anything is opened: no file of ours may get the number of a standard stream that our
// caller closed. stdin is then empty; writing to the others still fails.
void reserve_streams();
// All of it, at once and unbuffered, to descriptor 1 or 2. False when that failed.
bool write_stream(std::uint8_t stream, std::string_view bytes);
// read(2) of stdin: waits until there is something; 0 at its end. Nothing on an error.
std::optional<std::size_t> read_stdin(std::span<std::byte> into);
std::optional<std::string> environment_variable(const std::string& name);

}  // namespace sf::host
