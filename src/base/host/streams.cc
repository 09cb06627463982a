#include "base/host/streams.h"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>

namespace sf::host {

bool write_stream(std::uint8_t stream, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(stream, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::size_t> read_stdin(std::span<std::byte> into) {
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return std::nullopt;
  }
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

}  // namespace sf::host
