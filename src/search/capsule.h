// The capsule: one JSON file that replays a finding (docs/formats/capsule.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fault/schedule.h"
#include "search/seed_outcome.h"
#include "world/run.h"

namespace sf::search {

inline constexpr std::int64_t kCapsuleVersion = 2;

struct Capsule {
  std::string world;                    // its name
  std::string config;                   // path of the config, relative to the capsule's folder
  world::WorldIdentity identity;
  std::string made_by;                  // "seedfall 0.1.0, engine 48.0.8"
  std::uint64_t seed = 0;
  std::vector<world::Reseed> reseeds;
  std::vector<fault::Fault> faults;
  // Nothing: as the config's policy draws them from the seed.
  std::optional<std::vector<fault::Preemption>> preemptions;
  std::string fingerprint;              // of the finding
  std::string message;
  std::uint64_t hash = 0;               // of the run's records
};

Json to_json(const Capsule& capsule);
// Everything is checked: a capsule may come from anywhere.
Result<Capsule> capsule_from_json(const Json& json, const std::string& where);
Result<Capsule> load_capsule(const std::string& path);

// Where capsules of a config are kept: ".seedfall" beside it.
// `run` names the run: "23", "23-image-2.3", "23-site-13-power-before".
std::string capsule_path(const world::WorldConfig& config, const std::string& run);

// The faults as a run's spec.
world::RunSpec spec_of(const Capsule& capsule);

// What differs between the world at hand and the one the capsule was made in; empty when nothing.
std::vector<std::string> differences(const Capsule& capsule, const world::World& world);

}  // namespace sf::search
