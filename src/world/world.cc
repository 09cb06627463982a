#include "world/world.h"

#include <utility>

#include <fmt/format.h>

#include "abi/call_table.h"
#include "base/hash.h"
#include "base/host/file.h"
#include "engine/compile.h"
#include "world/host_layer.h"
#include "world/prepare_disk.h"
#include "world/guest_build.h"
#include "world/guest_build_c.h"
#include "world/preempt_probe.h"
#include "world/settings_of.h"

namespace sf::world {
namespace {

// What a Go or C program expects to find; the config's `env` is added to it.
std::vector<std::string> environment_of(const NodeConfig& node) {
  std::vector<std::string> environment = {"PWD=/", "HOME=/", "TMPDIR=/tmp"};
  for (const auto& [key, value] : node.env) {
    std::erase_if(environment, [&key](const std::string& entry) {
      return entry.starts_with(key + "=");
    });
    environment.push_back(key + "=" + value);
  }
  return environment;
}

abi::GuestSpec guest_spec_of(const NodeConfig& node) {
  abi::GuestSpec spec;
  spec.arguments.push_back(node.program_name.empty() ? node.name : node.program_name);
  spec.arguments.insert(spec.arguments.end(), node.args.begin(), node.args.end());
  spec.environment = environment_of(node);
  spec.memory_bytes_max = node.memory_bytes;
  return spec;
}

// Nodes with equal keys run one program. A zero byte occurs in no text of a config.
std::string program_key(const NodeConfig& node) {
  if (node.guest != GuestKind::kCSources) return node.source;
  std::string key;
  for (const std::string& file : node.c.files) key += file + '\0';
  key += '\0';
  for (const std::string& flag : node.c.flags) key += flag + '\0';
  return key;
}

// An error of the node's program, with the place that names it.
tl::unexpected<Error> of_program(const NodeConfig& node, Error error) {
  error.where = node.source_place.empty() ? node.source : node.source_place + ": " + node.source;
  return tl::make_unexpected(std::move(error));
}

std::string absolute(const WorldConfig& config, const std::string& path) {
  return path.starts_with('/') ? path : config.directory + "/" + path;
}

}  // namespace

Result<std::unique_ptr<World>> World::prepare(WorldConfig config, const PrepareOptions& options) {
  std::unique_ptr<World> world(new World());
  world->config_ = std::move(config);
  world->settings_ = settings_of(world->config_);
  world->rates_ = rates_of(world->config_.faults);
  const auto offered = abi::host_functions();
  world->functions_.assign(offered.begin(), offered.end());
  world->functions_.insert(world->functions_.end(), options.extra_functions.begin(),
                           options.extra_functions.end());
  SF_TRY(world->engine_, engine::Engine::create(options.engine));
  SF_TRY_VOID(world->load_guests(options));
  return world;
}

Result<void> World::load_guests(const PrepareOptions& options) {
  const auto add = [&](const NodeConfig& node, kernel::NodeRole role) -> Result<void> {
    SF_TRY(const engine::Program* program, load_guest(node, options));
    // What would fail at each start must be said once, before the first run.
    if (auto checked = engine::Instance::check(*program, node.memory_bytes); !checked) {
      return of_program(node, checked.error());
    }
    if (program->imports("seedfall", "setup_complete")) rates_.wait_for_setup = true;
    Member member;
    member.spec = node_spec_of(node, role, config_.faults);
    abi::GuestSpec spec = guest_spec_of(node);
    spec.preemptible = preemptible_.at(program_key(node));
    member.factory = std::make_unique<abi::WasmGuestFactory>(*program, std::move(spec));
    if (!node.files.empty()) member.files = absolute(config_, node.files);
    member.files_place = node.files_place;
    member.folders = node.folders;
    members_.push_back(std::move(member));
    names_.push_back(node.name);
    identity_.guest_hashes.emplace_back(node.name, hashes_.at(program_key(node)));
    return {};
  };
  const auto role = config_.solo ? kernel::NodeRole::kSolo : kernel::NodeRole::kService;
  for (const NodeConfig& node : config_.nodes) SF_TRY_VOID(add(node, role));
  for (const NodeConfig& node : config_.workloads) {
    SF_TRY_VOID(add(node, kernel::NodeRole::kWorkload));
  }
  std::string text;   // a world without a file has the hash of nothing
  if (!config_.path.empty()) {
    SF_TRY(text, host::read_file(config_.path));
  }
  identity_.world_hash = hash128(as_bytes(text)).hex();
  return {};
}

// The path of the node's wasm file.
Result<std::string> World::build_guest(const NodeConfig& node, const PrepareOptions& options) {
  if (node.guest == GuestKind::kWasmFile) return absolute(config_, node.source);
  if (options.progress) options.progress("building " + node.source);
  if (node.guest == GuestKind::kCSources) {
    CBuildRequest request;
    request.directory = config_.directory;
    request.sources = node.c.files;
    request.flags = node.c.flags;
    request.place = node.source_place;
    SF_TRY(const BuiltGuest built, build_c_guest(request));
    return built.path;
  }
  GoBuildRequest request;
  request.directory = config_.directory;
  request.package = node.source;
  request.place = node.source_place;
  request.toolchain = options.go_toolchain;
  SF_TRY(const BuiltGuest built, build_go_guest(request));
  return built.path;
}

Result<const engine::Program*> World::load_guest(const NodeConfig& node,
                                                 const PrepareOptions& options) {
  const std::string program = program_key(node);
  if (const auto known = programs_.find(program); known != programs_.end()) {
    return known->second.get();
  }
  SF_TRY(const std::string wasm_path, build_guest(node, options));
  if (options.progress) options.progress("compiling " + node.source);
  const auto compiled = engine::compile_program(wasm_path);
  if (!compiled) return of_program(node, compiled.error());
  from_cache_ = from_cache_ && compiled->from_cache;
  auto loaded = engine::Program::load(*engine_, compiled->code_path, functions_);
  if (!loaded) return of_program(node, loaded.error());
  hashes_[program] = compiled->wasm_hash;
  preemptible_[program] = preemptible(node.source, **loaded, wasm_path, options);
  return (programs_[program] = *std::move(loaded)).get();
}

// Without a passed self-test its goroutines run in the order of Go's scheduler; the user is told.
bool World::preemptible(const std::string& source, const engine::Program& program,
                        const std::string& wasm_path, const PrepareOptions& options) {
  if (!program.is_go() || config_.cpu.preempt == PreemptPolicy::kOff) return false;
  if (options.trust_go) return true;
  const std::string reason = why_not_preemptible(go_version_of(wasm_path), options.progress);
  if (reason.empty()) return true;
  warnings_.push_back(
      fmt::format("no preemption in {}: its goroutines run in first-in first-out order: {}",
                  source, reason));
  return false;
}

std::vector<kernel::Room::NodePlan> World::plan_nodes() const {
  std::vector<kernel::Room::NodePlan> plans;
  for (const Member& member : members_) {
    plans.push_back(kernel::Room::NodePlan{member.spec, member.factory.get()});
  }
  return plans;
}

Result<void> World::fill_disks(kernel::Room& room) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    kernel::disk::Volume& volume = room.node_at(i).volume();
    SF_TRY_VOID(prepare_disk(member.files, member.files_place, volume));
    SF_TRY_VOID(show_folders(member.folders, volume));
    volume.watch_changes();
  }
  return {};
}

}  // namespace sf::world
