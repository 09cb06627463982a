#include "front/cli/exec_results.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/strings.h"
#include "front/cli/complain.h"
#include "front/cli/output.h"
#include "kernel/disk/path.h"
#include "world/host_layer.h"

namespace sf::front {
namespace {

using kernel::disk::Volume;

// Flags of package testing that name a file to write, relative to -test.outputdir.
constexpr std::string_view kFileFlags[] = {"coverprofile", "cpuprofile",   "memprofile",
                                           "blockprofile", "mutexprofile", "trace"};

std::string flag_value(const std::vector<std::string>& command, std::string_view name) {
  const std::string head = fmt::format("-test.{}=", name);
  for (const std::string& argument : command) {
    if (argument.starts_with(head)) return argument.substr(head.size());
    if (argument.starts_with("-" + head)) return argument.substr(head.size() + 1);
  }
  return {};
}

// Nothing when the program did not make it.
Result<void> copy_out(const std::string& path, Volume& volume) {
  const auto found = kernel::disk::resolve_path(volume, volume.root(), path,
                                                kernel::disk::FinalSymlink::kFollow);
  if (!found || found->ino == 0) return {};
  const auto stat = volume.stat(found->ino);
  const Volume::LowerState state = volume.lower_state(found->ino);
  const bool is_new = state.lower == 0 || state.changed;
  if (!stat || stat->type != kernel::disk::NodeType::kFile || !is_new) return {};
  constexpr std::uint64_t kBytesMax = 1ULL << 30;
  if (stat->size > kBytesMax) return cannot_run(path, "too large to copy out of the simulation");
  std::string content(stat->size, '\0');
  const auto count = volume.read(found->ino, 0, std::as_writable_bytes(std::span(content)));
  if (!count) return cannot_run(path, "cannot be read in the simulation");
  return host::write_file(path, content);
}

Result<void> copy_profiles(const std::vector<std::string>& command, Volume& volume) {
  const std::string folder = flag_value(command, "outputdir");
  SF_TRY(const std::string here, host::absolute_path("."));
  for (const std::string_view name : kFileFlags) {
    std::string path = flag_value(command, name);
    if (path.empty()) continue;
    if (!path.starts_with('/')) path = (folder.empty() ? here : folder) + "/" + path;
    SF_TRY_VOID(copy_out(path, volume));
  }
  return {};
}

}  // namespace

Result<void> keep_results(const std::vector<std::string>& command, Volume& volume,
                          const std::string& out) {
  SF_TRY_VOID(copy_profiles(command, volume));
  if (out.empty()) return {};
  SF_TRY(const world::SavedChanges saved, world::save_changes(volume, out));
  complain("seedfall exec: saved {} file{} to {}\n", with_thousands(saved.saved),
           saved.saved == 1 ? "" : "s", out);
  constexpr std::size_t kNamesMax = 20;
  for (std::size_t i = 0; i < std::min(saved.removed.size(), kNamesMax); ++i) {
    complain("  removed {}\n", printable(saved.removed[i]));
  }
  if (saved.removed.size() > kNamesMax) {
    complain("  and {} more removed\n", saved.removed.size() - kNamesMax);
  }
  return {};
}

}  // namespace sf::front
