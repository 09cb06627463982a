#include "world/prepare_disk.h"

#include "base/host/file.h"
#include "kernel/choices.h"

namespace sf::world {
namespace {

using kernel::disk::Ino;
using kernel::disk::Volume;

tl::unexpected<Error> refused(const std::string& place, const std::string& path,
                              kernel::Errno error) {
  return cannot_run(place, path + " does not fit on the simulated disk: " +
                               std::string(kernel::errno_name(error)));
}

Result<void> copy_file(const std::string& from, const std::string& name, const std::string& place,
                       Volume& volume, Ino directory) {
  SF_TRY(const std::string content, host::read_file(from));
  const auto ino = volume.create_file(directory, name, SimTime::zero());
  if (!ino) return refused(place, from, ino.error());
  const auto written = volume.write(*ino, 0, as_bytes(content), SimTime::zero());
  if (!written) return refused(place, from, written.error());
  if (*written != content.size()) return refused(place, from, kernel::Errno::kNoSpc);
  return {};
}

Result<void> copy_level(const std::string& folder, const std::string& place, Volume& volume,
                        Ino directory) {
  for (const std::string& name : host::list_directory(folder)) {
    const std::string path = folder + "/" + name;
    if (!host::is_directory(path)) {
      SF_TRY_VOID(copy_file(path, name, place, volume, directory));
      continue;
    }
    const auto made = volume.make_directory(directory, name, SimTime::zero());
    if (!made) return refused(place, path, made.error());
    SF_TRY_VOID(copy_level(path, place, volume, *made));
  }
  return {};
}

}  // namespace

Result<void> prepare_disk(const std::string& host_folder, const std::string& place,
                          Volume& volume) {
  if (!host_folder.empty()) SF_TRY_VOID(copy_level(host_folder, place, volume, volume.root()));
  if (!volume.lookup(volume.root(), "tmp")) {
    const auto made = volume.make_directory(volume.root(), "tmp", SimTime::zero());
    if (!made) return refused(place, "/tmp", made.error());
  }
  // Everything pending survives this power loss, so the copy is what the first boot finds for sure.
  kernel::disk::Survivors all;
  all.pending = volume.pending_operations();
  all.kept = all.pending;
  volume.power_loss(kernel::disk::InFlight{}, all);
  return {};
}

}  // namespace sf::world
