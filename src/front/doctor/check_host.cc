// The numbers here are those below which a sweep is known to get into trouble.
#include <cstdlib>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/machine.h"
#include "base/host/subprocess.h"
#include "base/strings.h"
#include "engine/compile.h"
#include "front/doctor/check.h"
#include "world/guest_build.h"

namespace sf::front::doctor {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
// Pipes of the workers, code files, capsules: far below it, but a shell that allows less is odd.
constexpr std::uint64_t kOpenFilesLeast = 256;
// A node reserves 4 GiB of address space for its memory, and guards around it.
constexpr std::uint64_t kAddressSpaceLeast = 64 * kGiB;
constexpr std::uint64_t kMemoryLeast = kGiB;

Check check_cache() {
  const auto cache = host::cache_directory();
  if (!cache) {
    return {"cache", Level::kProblem, cache.error().text(),
            "set SEEDFALL_CACHE to a folder that can be written"};
  }
  const std::string probe = *cache + "/doctor";
  if (const auto written = host::write_file(probe, "doctor"); !written) {
    return {"cache", Level::kProblem, written.error().text(),
            "make it writable, or set SEEDFALL_CACHE to another folder"};
  }
  host::remove_file(probe);
  return {"cache", Level::kOk, fmt::format("cache folder {} can be written", *cache), ""};
}

Check check_sdk() {
  const std::string sdk = world::find_sdk_directory();
  if (sdk.empty() || !host::exists(sdk + "/go.mod")) {
    return {"sdk", Level::kProblem, "the Go SDK that is shipped with seedfall was not found",
            "set SEEDFALL_SDK_DIR to the folder sdk/go of seedfall's sources"};
  }
  return {"sdk", Level::kOk, fmt::format("Go SDK in {}", host::absolute_path(sdk).value_or(sdk)),
          ""};
}

Check check_huge_pages(const host::Machine& machine) {
  constexpr const char* kId = "huge-pages";
  if (machine.huge_pages == "never") {
    return {kId, Level::kAdvice, "huge pages are off: `run -fanout` is slower",
            "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  }
  if (machine.huge_pages.empty()) {
    return {kId, Level::kAdvice, "this kernel has no huge pages: `run -fanout` is slower",
            "use a kernel with CONFIG_TRANSPARENT_HUGEPAGE"};
  }
  if (!host::kernel_at_least(machine.kernel, {6, 1})) {   // MADV_COLLAPSE
    return {kId, Level::kAdvice,
            fmt::format("Linux {} cannot gather huge pages: `run -fanout` is slower",
                        machine.kernel),
            "use Linux 6.1 or newer"};
  }
  return {kId, Level::kOk, fmt::format("huge pages: {}", machine.huge_pages), ""};
}

Check check_open_files(const host::Machine& machine) {
  if (machine.open_files_max < kOpenFilesLeast) {
    return {"limits.files", Level::kProblem,
            fmt::format("a process may open only {} files", machine.open_files_max),
            "ulimit -n 1024"};
  }
  return {"limits.files", Level::kOk,
          machine.open_files_max == UINT64_MAX
              ? "open files: unlimited"
              : fmt::format("open files: {}", with_thousands(machine.open_files_max)),
          ""};
}

Check check_address_space(const host::Machine& machine) {
  constexpr const char* kId = "limits.address-space";
  if (!machine.address_space_max) return {kId, Level::kOk, "address space: unlimited", ""};
  const std::string size = format_size(*machine.address_space_max);
  if (*machine.address_space_max < kAddressSpaceLeast) {
    return {kId, Level::kProblem,
            fmt::format("a process may reserve only {} of address space; each node takes about "
                        "4 GiB of it", size),
            "ulimit -v unlimited"};
  }
  return {kId, Level::kOk, "address space: " + size, ""};
}

Check check_memory(const host::Machine& machine) {
  constexpr const char* kId = "memory";
  const unsigned workers = host::processor_count();
  if (!machine.memory_available) return {kId, Level::kOk, "memory: the host does not say", ""};
  const std::string text =
      fmt::format("{} of memory are free, for {} {} (one per processor)",
                  format_size(*machine.memory_available), workers,
                  workers == 1 ? "worker" : "workers");
  if (*machine.memory_available < kMemoryLeast * workers) {
    return {kId, Level::kAdvice, text, "use fewer workers when memory runs out: -workers 1"};
  }
  return {kId, Level::kOk, text, ""};
}

}  // namespace

std::vector<Check> check_host() {
  const host::Machine machine = host::look_at_machine();
  return {{"seedfall", Level::kOk,
           fmt::format("seedfall {}, engine {}", SEEDFALL_VERSION, engine::engine_fingerprint()),
           ""},
          check_cache(),
          check_sdk(),
          check_open_files(machine),
          check_address_space(machine),
          check_memory(machine),
          check_huge_pages(machine)};
}

}  // namespace sf::front::doctor
