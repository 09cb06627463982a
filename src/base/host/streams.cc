#include "base/host/streams.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace sf::host {

void reserve_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is this one. For reading: writes to it give EBADF, as before.
    if (::open("/dev/null", O_RDONLY) != stream) return;
  }
}

namespace {

// A stream that another process made non-blocking is waited for like any other. False: not to be
// waited for.
bool wait_for(int stream, short events) {
  pollfd one{.fd = stream, .events = events, .revents = 0};
  return ::poll(&one, 1, -1) >= 0 || errno == EINTR;
}

bool is_not_ready(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

bool write_stream(std::uint8_t stream, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(stream, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && is_not_ready(errno) && wait_for(stream, POLLOUT)) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::size_t> read_stdin(std::span<std::byte> into) {
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    if (!is_not_ready(errno) || !wait_for(STDIN_FILENO, POLLIN)) return std::nullopt;
  }
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

}  // namespace sf::host
