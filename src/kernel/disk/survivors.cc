#include "kernel/disk/survivors.h"

#include <fmt/format.h>

#include <limits>

namespace sf::kernel::disk {
namespace {

constexpr std::uint32_t kTornBytesMax = 4095;   // less than a page

Result<std::uint64_t> count(const Json& value, const std::string& where, std::uint64_t max) {
  if (!value.is(Json::Kind::kInteger) || value.is_negative()) {
    return usage_error(where, "expected a count", "for example 3");
  }
  if (value.unsigned_integer() > max) {
    return usage_error(where, fmt::format("{} is above {}", value.unsigned_integer(), max));
  }
  return value.unsigned_integer();
}

}  // namespace

Json to_json(const Survivors& survivors) {
  Json json = Json::object();
  json.set("kept", survivors.kept);
  json.set("pending", survivors.pending);
  if (survivors.torn_bytes != 0) json.set("torn_bytes", survivors.torn_bytes);
  if (survivors.sync_first) json.set("sync_first", true);
  return json;
}

Result<Survivors> survivors_from_json(const Json& json, const std::string& where) {
  if (!json.is(Json::Kind::kObject)) {
    return usage_error(where, "expected an object", R"(for example {"kept": 3, "pending": 5})");
  }
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  Survivors survivors;
  for (const auto& [key, value] : json.members()) {
    const std::string at = where + "." + key;
    if (key == "kept") {
      SF_TRY(survivors.kept, count(value, at, kAny));
    } else if (key == "pending") {
      SF_TRY(survivors.pending, count(value, at, kAny));
    } else if (key == "torn_bytes") {
      SF_TRY(const std::uint64_t bytes, count(value, at, kTornBytesMax));
      survivors.torn_bytes = static_cast<std::uint32_t>(bytes);
    } else if (key == "sync_first") {
      if (!value.is(Json::Kind::kBool)) return usage_error(at, "expected true or false");
      survivors.sync_first = value.boolean();
    } else {
      return usage_error(at, "unknown key `" + key + "`",
                         "known are kept, pending, torn_bytes, sync_first");
    }
  }
  if (!json.find("kept") || !json.find("pending")) {
    return usage_error(where, "a survivor set needs `kept` and `pending`");
  }
  if (survivors.kept > survivors.pending) {
    return usage_error(where, fmt::format("kept {} of {} operations", survivors.kept,
                                          survivors.pending));
  }
  return survivors;
}

}  // namespace sf::kernel::disk
