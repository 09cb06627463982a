#include "base/host/machine.h"

#include <algorithm>
#include <charconv>

#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/host/file.h"
#include "base/strings.h"

namespace sf::host {
namespace {

std::optional<std::uint64_t> number_at(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> limit(decltype(RLIMIT_AS) which) {
  struct rlimit value {};
  if (::getrlimit(which, &value) != 0 || value.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return value.rlim_cur;
}

}  // namespace

std::string chosen_word(std::string_view text) {
  const std::size_t begin = text.find('['), end = text.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return "";
  return std::string(text.substr(begin + 1, end - begin - 1));
}

std::optional<std::uint64_t> meminfo_bytes(std::string_view text, std::string_view name) {
  for (std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    const auto kibibytes = number_at(line.substr(name.size() + 1));
    if (kibibytes) return *kibibytes << 10;
  }
  return std::nullopt;
}

bool kernel_at_least(std::string_view release, KernelVersion wanted) {
  const auto major = number_at(release);
  const std::size_t dot = release.find('.');
  const auto minor =
      dot == std::string_view::npos ? std::nullopt : number_at(release.substr(dot + 1));
  if (!major) return false;
  const auto wanted_major = static_cast<std::uint64_t>(wanted.major);
  if (*major != wanted_major) return *major > wanted_major;
  return minor.value_or(0) >= static_cast<std::uint64_t>(wanted.minor);
}

Machine look_at_machine() {
  Machine machine;
  struct utsname names {};
  if (::uname(&names) == 0) machine.kernel = names.release;
  machine.open_files_max = limit(RLIMIT_NOFILE).value_or(UINT64_MAX);
  machine.address_space_max = limit(RLIMIT_AS);
  if (const auto text = read_file("/proc/meminfo")) {
    machine.memory_available = meminfo_bytes(*text, "MemAvailable");
  }
  // Of the control group that a container sees as the root; "max" is no number.
  if (const auto text = read_file("/sys/fs/cgroup/memory.max")) {
    const auto most = number_at(*text);
    if (most) machine.memory_available = std::min(machine.memory_available.value_or(*most), *most);
  }
  if (const auto text = read_file("/sys/kernel/mm/transparent_hugepage/enabled")) {
    machine.huge_pages = chosen_word(*text);
  }
  return machine;
}

}  // namespace sf::host
