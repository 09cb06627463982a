// A world ready to run: config decoded, guests built and loaded, settings in kernel terms.
//
// Preparing builds and compiles in child processes and loads the machine code here; afterwards the
// process is single-threaded and may fork. One World serves any number of runs, one after another.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/wasm_guest.h"
#include "engine/engine.h"
#include "fault/rates.h"
#include "kernel/room.h"
#include "kernel/settings.h"
#include "world/config.h"

namespace sf::world {

struct PrepareOptions {
  // Told what is being done, for progress lines: "building server", "compiling server".
  std::function<void(const std::string&)> progress;
  engine::EngineOptions engine;
  // Host functions beside those of abi/, for tests only: their calls leave no record, so a function
  // that answers from the host makes a run nondeterministic. Copied; the names must outlive the
  // world.
  std::span<const engine::HostFunction> extra_functions;
  // For the self-test of preemption (preempt_probe.h): goroutines are preempted untested.
  bool trust_go = false;
  std::string go_toolchain;   // GOTOOLCHAIN of builds; empty: as the user has it
};

// Content hashes of what ran, for capsules: a replay with another guest is another run.
struct WorldIdentity {
  std::string world_hash;                                            // of the config file's text
  std::vector<std::pair<std::string, std::string>> guest_hashes;     // node name, wasm hash
};

class World {
 public:
  static Result<std::unique_ptr<World>> prepare(WorldConfig config, const PrepareOptions& options);

  const WorldConfig& config() const { return config_; }
  const kernel::Settings& settings() const { return settings_; }
  const fault::FaultRates& rates() const { return rates_; }
  const WorldIdentity& identity() const { return identity_; }
  const std::vector<std::string>& node_names() const { return names_; }
  // True when every guest's machine code came from the cache.
  bool from_cache() const { return from_cache_; }
  // What the user must know before believing a verdict, one line each.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Fresh nodes for one run. Their factories live in the World.
  std::vector<kernel::Room::NodePlan> plan_nodes() const;
  // Puts the `files` folders on the empty disks.
  Result<void> fill_disks(kernel::Room& room) const;

 private:
  struct Member {
    kernel::NodeSpec spec;
    std::unique_ptr<abi::WasmGuestFactory> factory;
    std::string files;             // absolute host folder; empty: none
    std::string files_place;
    std::vector<HostFolder> folders;
  };
  World() = default;
  Result<void> load_guests(const PrepareOptions& options);
  bool preemptible(const std::string& source, const engine::Program& program,
                   const std::string& wasm_path, const PrepareOptions& options);
  Result<std::string> build_guest(const NodeConfig& node, const PrepareOptions& options);
  Result<const engine::Program*> load_guest(const NodeConfig& node, const PrepareOptions& options);

  WorldConfig config_;
  kernel::Settings settings_;
  fault::FaultRates rates_;
  WorldIdentity identity_;
  std::vector<std::string> names_;
  bool from_cache_ = true;
  std::vector<engine::HostFunction> functions_;                        // programs refer to them
  std::unique_ptr<engine::Engine> engine_;
  std::map<std::string, std::unique_ptr<engine::Program>> programs_;   // by program_key
  std::map<std::string, std::string> hashes_;                          // the same keys
  std::map<std::string, bool> preemptible_;                            // the same keys
  std::vector<std::string> warnings_;
  std::vector<Member> members_;                                        // nodes, then workloads
};

}  // namespace sf::world
