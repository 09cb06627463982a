#include "search/capsule.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/host/file.h"
#include "fault/json_fields.h"

namespace sf::search {

using fault::Fields;

// In place of a list of preemptions.
constexpr std::string_view kDrawn = "drawn";

Json to_json(const Capsule& capsule) {
  Json guests = Json::array();
  for (const auto& [node, hash] : capsule.identity.guest_hashes) {
    guests.push(Json::object().set("node", node).set("wasm", hash));
  }
  Json reseeds = Json::array();
  for (const world::Reseed& reseed : capsule.reseeds) {
    reseeds.push(Json::object().set("time_ns", reseed.time.ns()).set("root", reseed.root));
  }
  Json faults = Json::array();
  for (const fault::Fault& fault : capsule.faults) faults.push(fault::to_json(fault));
  return Json::object()
      .set("format", "seedfall capsule")
      .set("version", kCapsuleVersion)
      .set("made_by", capsule.made_by)
      .set("world", Json::object()
                        .set("name", capsule.world)
                        .set("config", capsule.config)
                        .set("hash", capsule.identity.world_hash))
      .set("guests", std::move(guests))
      .set("seed", capsule.seed)
      .set("reseeds", std::move(reseeds))
      .set("faults", std::move(faults))
      .set("preemptions", capsule.preemptions ? fault::to_json(*capsule.preemptions)
                                              : Json(std::string(kDrawn)))
      .set("finding", Json::object()
                          .set("fingerprint", capsule.fingerprint)
                          .set("message", capsule.message))
      .set("trace_hash", fmt::format("{:016x}", capsule.hash));
}

namespace {

// Seeds and roots use all 64 bits; JSON readers elsewhere may not, so both forms are taken.
Result<std::uint64_t> word(const Fields& fields, const std::string& key) {
  const Json* value = fields.find(key);
  if (value == nullptr || !value->is(Json::Kind::kInteger) || value->is_negative()) {
    return usage_error(fields.place(key), "expected a whole number from 0");
  }
  return value->unsigned_integer();
}

Result<const std::vector<Json>*> list(const Fields& fields, const std::string& key) {
  const Json* value = fields.find(key);
  if (value == nullptr || !value->is(Json::Kind::kArray)) {
    return usage_error(fields.place(key), "expected a list");
  }
  return &value->items();
}

Result<void> check_format(const Fields& fields, const std::string& where) {
  SF_TRY(const std::string format, fields.string("format"));
  if (format != "seedfall capsule") {
    return usage_error(where, "this is no seedfall capsule",
                       "`seedfall shrink` writes them to .seedfall/");
  }
  SF_TRY(const std::int64_t version, fields.integer("version", 1));
  if (version > kCapsuleVersion) {
    return usage_error(fields.place("version"),
                       fmt::format("capsule version {} is newer than this seedfall reads ({})",
                                   version, kCapsuleVersion),
                       "update seedfall");
  }
  return {};
}

Result<void> read_world(const Fields& fields, Capsule& capsule) {
  SF_TRY(const Fields world, fields.object("world"));
  SF_TRY(capsule.world, world.string("name"));
  SF_TRY(capsule.config, world.string("config"));
  SF_TRY(capsule.identity.world_hash, world.string("hash"));
  SF_TRY(const auto* guests, list(fields, "guests"));
  for (std::size_t i = 0; i < guests->size(); ++i) {
    SF_TRY(const Fields guest,
           Fields::of((*guests)[i], fmt::format("{}[{}]", fields.place("guests"), i)));
    SF_TRY(const std::string node, guest.string("node"));
    SF_TRY(const std::string wasm, guest.string("wasm"));
    capsule.identity.guest_hashes.emplace_back(node, wasm);
  }
  return {};
}

Result<void> read_schedule(const Fields& fields, Capsule& capsule) {
  SF_TRY(capsule.seed, word(fields, "seed"));
  SF_TRY(const auto* reseeds, list(fields, "reseeds"));
  for (std::size_t i = 0; i < reseeds->size(); ++i) {
    SF_TRY(const Fields reseed,
           Fields::of((*reseeds)[i], fmt::format("{}[{}]", fields.place("reseeds"), i)));
    SF_TRY(const std::int64_t time, reseed.integer("time_ns", 0));
    SF_TRY(const std::uint64_t root, word(reseed, "root"));
    capsule.reseeds.push_back(world::Reseed{SimTime(time), root});
  }
  SF_TRY(const auto* faults, list(fields, "faults"));
  for (std::size_t i = 0; i < faults->size(); ++i) {
    SF_TRY(fault::Fault fault,
           fault::fault_from_json((*faults)[i], fmt::format("{}[{}]", fields.place("faults"), i)));
    capsule.faults.push_back(std::move(fault));
  }
  SF_TRY(const std::int64_t version, fields.integer("version", 1));
  if (version == 1) {   // it knew no preemptions: there were none
    capsule.preemptions.emplace();
    return {};
  }
  const Json* preemptions = fields.find("preemptions");
  const bool drawn = preemptions != nullptr && preemptions->is(Json::Kind::kString) &&
                     preemptions->string() == kDrawn;
  if (drawn) return {};
  SF_TRY_VOID(list(fields, "preemptions"));
  SF_TRY(capsule.preemptions,
         fault::preemptions_from_json(*preemptions, fields.place("preemptions")));
  return {};
}

}  // namespace

Result<Capsule> capsule_from_json(const Json& json, const std::string& where) {
  SF_TRY(const Fields fields, Fields::of(json, where));
  SF_TRY_VOID(check_format(fields, where));
  Capsule capsule;
  SF_TRY(capsule.made_by, fields.optional_string("made_by"));
  SF_TRY_VOID(read_world(fields, capsule));
  SF_TRY_VOID(read_schedule(fields, capsule));
  SF_TRY(const Fields finding, fields.object("finding"));
  SF_TRY(capsule.fingerprint, finding.string("fingerprint"));
  SF_TRY(capsule.message, finding.string("message"));
  SF_TRY(const std::string hash, fields.string("trace_hash"));
  const char* const end = hash.data() + hash.size();
  const auto [stop, error] = std::from_chars(hash.data(), end, capsule.hash, 16);
  if (hash.size() != 16 || error != std::errc() || stop != end) {
    return usage_error(fields.place("trace_hash"), "expected 16 hexadecimal digits");
  }
  return capsule;
}

Result<Capsule> load_capsule(const std::string& path) {
  SF_TRY(const std::string text, host::read_file(path, 64ULL << 20));
  SF_TRY(const Json json, parse_json(text, path));
  return capsule_from_json(json, path + ": $");
}

std::string capsule_path(const world::WorldConfig& config, const std::string& run) {
  return fmt::format("{}/.seedfall/{}-{}.capsule.json", config.directory, config.name, run);
}

world::RunSpec spec_of(const Capsule& capsule) {
  world::RunSpec spec;
  spec.seed = capsule.seed;
  spec.reseeds = capsule.reseeds;
  spec.faults = capsule.faults;
  spec.preemptions = capsule.preemptions;
  return spec;
}

std::vector<std::string> differences(const Capsule& capsule, const world::World& world) {
  std::vector<std::string> found;
  if (capsule.identity.world_hash != world.identity().world_hash) {
    found.push_back("the config has changed");
  }
  for (const auto& [node, hash] : world.identity().guest_hashes) {
    const auto& recorded = capsule.identity.guest_hashes;
    const auto entry = std::find_if(recorded.begin(), recorded.end(),
                                    [&](const auto& guest) { return guest.first == node; });
    if (entry == recorded.end() || entry->second != hash) {
      found.push_back("the program of " + node + " has changed");
    }
  }
  return found;
}

}  // namespace sf::search
