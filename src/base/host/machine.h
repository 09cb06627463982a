// What the host allows and has, for `seedfall doctor`; never asked inside a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sf::host {

struct Machine {
  std::string kernel;                              // release: "6.1.0-18-amd64"
  std::uint64_t open_files_max = 0;                // descriptors of one process (RLIMIT_NOFILE)
  std::optional<std::uint64_t> address_space_max;  // bytes (RLIMIT_AS); nothing: unlimited
  // What is free now, or less when the control group allows less. Nothing: the host does not say.
  std::optional<std::uint64_t> memory_available;
  std::string huge_pages;                          // "always", "madvise", "never"; "" unknown
};

Machine look_at_machine();

// ---- for look_at_machine and its tests
// "always [madvise] never" -> "madvise".
std::string chosen_word(std::string_view text);
// The bytes of a line "MemAvailable:  123 kB".
std::optional<std::uint64_t> meminfo_bytes(std::string_view text, std::string_view name);
// "6.1.0-18-amd64" is at least (6, 1).
struct KernelVersion {
  int major = 0;
  int minor = 0;
};
bool kernel_at_least(std::string_view release, KernelVersion wanted);

}  // namespace sf::host
