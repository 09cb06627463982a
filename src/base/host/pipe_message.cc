#include "base/host/pipe_message.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace sf::host {
namespace {

constexpr std::uint64_t kMessageBytesMax = 1ULL << 30;

bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(fd, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int fd, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::read(fd, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

bool send_message(int fd, const std::string& text) {
  const std::uint64_t size = text.size();
  return write_all(fd, reinterpret_cast<const char*>(&size), sizeof size) &&
         write_all(fd, text.data(), text.size());
}

std::optional<std::string> receive_message(int fd) {
  std::uint64_t size = 0;
  if (!read_all(fd, reinterpret_cast<char*>(&size), sizeof size) || size > kMessageBytesMax) {
    return {};
  }
  std::string text(size, '\0');
  if (!read_all(fd, text.data(), text.size())) return {};
  return text;
}

std::string describe_death(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(wait_status));
}

}  // namespace sf::host
