#include "world/prepare_disk.h"

#include "base/host/file.h"

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

kernel::Outcome<Ino> directory_named(const std::string& name, Volume& volume) {
  const auto known = volume.lookup(volume.root(), name);
  return known ? known : volume.make_directory(volume.root(), name, SimTime::zero());
}

// What every program may expect, unless the folder that was copied has something there.
Result<void> add_system_files(const std::string& place, Volume& volume) {
  if (const auto made = directory_named("tmp", volume); !made) {
    return refused(place, "/tmp", made.error());
  }
  // Without it a resolver asks a name server for localhost.
  constexpr std::string_view kHosts = "127.0.0.1 localhost\n::1 localhost\n";
  const auto etc = directory_named("etc", volume);
  if (!etc) return refused(place, "/etc", etc.error());
  if (const auto hosts = volume.create_file(*etc, "hosts", SimTime::zero())) {
    const auto written = volume.write(*hosts, 0, as_bytes(kHosts), SimTime::zero());
    if (!written) return refused(place, "/etc/hosts", written.error());
  } else if (hosts.error() != kernel::Errno::kExist) {
    return refused(place, "/etc/hosts", hosts.error());
  }
  const auto devices = directory_named("dev", volume);
  if (!devices) return refused(place, "/dev", devices.error());
  settle(volume);
  for (const auto& [name, device] : {std::pair("null", kernel::disk::Device::kNull),
                                     std::pair("random", kernel::disk::Device::kRandom),
                                     std::pair("urandom", kernel::disk::Device::kRandom),
                                     std::pair("zero", kernel::disk::Device::kZero)}) {
    const auto known = volume.lookup(*devices, name);
    if (!known && known.error() == kernel::Errno::kNoEnt) {
      volume.add_device(*devices, name, device);
    }
  }
  return {};
}

}  // namespace

Result<void> prepare_disk(const std::string& host_folder, const std::string& place,
                          Volume& volume) {
  if (!host_folder.empty()) SF_TRY_VOID(copy_level(host_folder, place, volume, volume.root()));
  return add_system_files(place, volume);
}

void settle(Volume& volume) {
  // Everything pending survives this power loss, so the copy is what the first boot finds for sure.
  kernel::disk::Survivors all;
  all.pending = volume.pending_operations();
  all.kept = all.pending;
  volume.power_loss(kernel::disk::InFlight{}, all);
}

}  // namespace sf::world
