#include "front/doctor/try_program.h"

#include <utility>

#include "base/host/file.h"
#include "base/json.h"
#include "world/config.h"
#include "world/run.h"

namespace sf::front::doctor {
namespace {

Result<std::string> make_scratch() {
  SF_TRY(const std::string path, host::make_temporary_directory("seedfall-doctor-"));
  return host::absolute_path(path);
}

}  // namespace

Scratch::Scratch() : path_(make_scratch()) {}
Scratch::~Scratch() {
  if (path_) static_cast<void>(host::remove_tree(*path_));
}

Result<std::unique_ptr<world::World>> build_program(const std::string& key,
                                                    const std::string& source,
                                                    const std::string& folder) {
  const Json node = Json::object().set("name", "probe").set(key, source);
  const Json text = Json::object()
                        .set("nodes", Json::array().push(node))
                        .set("cpu", Json::object().set("preempt", "off"));
  SF_TRY(world::WorldConfig config, world::decode_config(text.dump(), "probe"));
  config.workloads = std::move(config.nodes);   // the run ends when it exits
  config.nodes.clear();
  for (world::NodeConfig& probe : config.workloads) probe.source_place.clear();
  config.directory = folder;
  const Scratch scratch;   // a world has a file, whose text identifies it
  SF_TRY(const std::string own, scratch.path());
  config.path = own + "/probe.json";
  SF_TRY_VOID(host::write_file(config.path, text.dump()));
  world::PrepareOptions options;
  options.trust_go = true;   // preemption is off
  return world::World::prepare(std::move(config), options);
}

Result<Tried> try_program(const std::string& key, const std::string& source,
                          const std::string& folder) {
  SF_TRY(const std::unique_ptr<world::World> world, build_program(key, source, folder));
  SF_TRY(const world::RunResult result, world::run(*world, world::RunSpec{}));
  if (result.findings.empty()) return Tried{};
  return Tried{result.findings.front().message, result.findings.front().site};
}

}  // namespace sf::front::doctor
