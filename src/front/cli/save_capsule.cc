#include "front/cli/save_capsule.h"

#include "base/host/file.h"
#include "engine/compile.h"
#include "search/capsule.h"

namespace sf::front {
namespace {

std::string shown_path(const std::string& path) {
  const auto here = host::absolute_path(".");
  if (here && path.starts_with(*here + "/")) return path.substr(here->size() + 1);
  return path;
}

search::Capsule capsule_of(const world::World& world, const CapsuleContent& content) {
  search::Capsule capsule;
  const std::string& path = world.config().path;
  const std::size_t slash = path.rfind('/');
  capsule.world = world.config().name;
  capsule.config = "../" + (slash == std::string::npos ? path : path.substr(slash + 1));
  capsule.identity = world.identity();
  capsule.made_by = "seedfall " SEEDFALL_VERSION ", engine " + engine::engine_fingerprint();
  capsule.seed = content.seed;
  capsule.faults = content.faults;
  capsule.preemptions = content.preemptions;
  capsule.fingerprint = content.fingerprint;
  capsule.message = content.message;
  capsule.hash = content.hash;
  return capsule;
}

}  // namespace

Result<std::string> save_capsule(const world::World& world, const std::string& run,
                                 const CapsuleContent& content) {
  const std::string path = search::capsule_path(world.config(), run);
  SF_TRY_VOID(host::make_directories(path.substr(0, path.rfind('/'))));
  SF_TRY_VOID(host::write_file(path, search::to_json(capsule_of(world, content)).dump_pretty() +
                                         "\n"));
  return shown_path(path);
}

}  // namespace sf::front
