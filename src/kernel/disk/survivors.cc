#include "kernel/disk/survivors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace sf::kernel::disk {
namespace {

constexpr std::uint32_t kTornBytesMax = 4095;   // less than a page
constexpr std::uint32_t kSectorsMax = 255;      // 8 sectors of 512 bytes in a page
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

Result<std::uint64_t> count(const Json& value, const std::string& where, std::uint64_t max) {
  if (!value.is(Json::Kind::kInteger) || value.is_negative()) {
    return usage_error(where, "expected a count", "for example 3");
  }
  if (value.unsigned_integer() > max) {
    return usage_error(where, fmt::format("{} is above {}", value.unsigned_integer(), max));
  }
  return value.unsigned_integer();
}

// Runs of positions, as pairs [first, last]: a loss of everything is one pair.
Json lost_to_json(const std::vector<std::uint64_t>& lost) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < lost.size();) {
    std::size_t end = i + 1;
    while (end < lost.size() && lost[end] == lost[end - 1] + 1) ++end;
    runs.push(Json::array().push(lost[i]).push(lost[end - 1]));
    i = end;
  }
  return runs;
}

Result<std::vector<std::uint64_t>> lost_from_json(const Json& json, const std::string& where,
                                                  std::uint64_t pending) {
  constexpr std::uint64_t kLostMax = 1'000'000;   // far above what a volume keeps pending
  const char* const hint = "for example [[0, 3], [7, 7]], positions below `pending`";
  if (!json.is(Json::Kind::kArray)) return usage_error(where, "expected a list of pairs", hint);
  std::vector<std::uint64_t> lost;
  for (std::size_t i = 0; i < json.items().size(); ++i) {
    const std::string at = fmt::format("{}[{}]", where, i);
    const Json& run = json.items()[i];
    if (!run.is(Json::Kind::kArray) || run.items().size() != 2) {
      return usage_error(at, "expected a pair [first, last]", hint);
    }
    SF_TRY(const std::uint64_t first, count(run.items()[0], at + "[0]", kAny));
    SF_TRY(const std::uint64_t last, count(run.items()[1], at + "[1]", kAny));
    const bool ascends = first <= last && (lost.empty() || first > lost.back());
    if (!ascends || last >= pending || last - first >= kLostMax - lost.size()) {
      return usage_error(at, "not ascending positions below `pending`", hint);
    }
    for (std::uint64_t position = first; position <= last; ++position) lost.push_back(position);
  }
  return lost;
}

Result<TornPage> torn_page_from_json(const Json& json, const std::string& where) {
  if (!json.is(Json::Kind::kObject) || json.members().size() != 2 || !json.find("operation") ||
      !json.find("sectors")) {
    return usage_error(where, "expected an object with `operation` and `sectors`",
                       R"(for example {"operation": 3, "sectors": 129})");
  }
  TornPage torn;
  SF_TRY(torn.operation, count(*json.find("operation"), where + ".operation", kAny));
  SF_TRY(const std::uint64_t sectors, count(*json.find("sectors"), where + ".sectors",
                                            kSectorsMax));
  torn.sectors = static_cast<std::uint32_t>(sectors);
  return torn;
}

Result<std::vector<TornPage>> torn_from_json(const Json& json, const std::string& where,
                                             const std::vector<std::uint64_t>& lost) {
  if (!json.is(Json::Kind::kArray)) return usage_error(where, "expected a list of torn pages");
  std::vector<TornPage> all;
  for (std::size_t i = 0; i < json.items().size(); ++i) {
    const std::string at = fmt::format("{}[{}]", where, i);
    SF_TRY(const TornPage torn, torn_page_from_json(json.items()[i], at));
    if (!std::binary_search(lost.begin(), lost.end(), torn.operation)) {
      return usage_error(at, fmt::format("operation {} is not among the lost", torn.operation));
    }
    if (!all.empty() && all.back().operation >= torn.operation) {
      return usage_error(at, "operations must ascend");
    }
    all.push_back(torn);
  }
  return all;
}

Result<Survivors> check(Survivors survivors, const std::string& where) {
  if (survivors.kept > survivors.pending) {
    return usage_error(where, fmt::format("kept {} of {} operations", survivors.kept,
                                          survivors.pending));
  }
  if (survivors.lost.empty()) return survivors;
  if (survivors.torn_bytes != 0) {
    return usage_error(where + ".torn_bytes", "belongs to a prefix, not to a set with `lost`");
  }
  if (survivors.lost.size() != survivors.lost_count()) {
    return usage_error(where + ".kept", fmt::format("kept {} of {} operations, but {} are lost",
                                                    survivors.kept, survivors.pending,
                                                    survivors.lost.size()));
  }
  return survivors;
}

}  // namespace

Json to_json(const Survivors& survivors) {
  Json json = Json::object();
  json.set("kept", survivors.kept);
  json.set("pending", survivors.pending);
  if (survivors.torn_bytes != 0) json.set("torn_bytes", survivors.torn_bytes);
  if (survivors.sync_first) json.set("sync_first", true);
  if (!survivors.lost.empty()) json.set("lost", lost_to_json(survivors.lost));
  if (survivors.torn.empty()) return json;
  Json pages = Json::array();
  for (const TornPage& torn : survivors.torn) {
    pages.push(Json::object().set("operation", torn.operation).set("sectors", torn.sectors));
  }
  json.set("torn", std::move(pages));
  return json;
}

Result<Survivors> survivors_from_json(const Json& json, const std::string& where) {
  if (!json.is(Json::Kind::kObject)) {
    return usage_error(where, "expected an object", R"(for example {"kept": 3, "pending": 5})");
  }
  Survivors survivors;
  const Json* lost = nullptr;
  const Json* torn = nullptr;
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
    } else if (key == "lost") {
      lost = &value;
    } else if (key == "torn") {
      torn = &value;
    } else {
      return usage_error(at, "unknown key `" + key + "`",
                         "known are kept, pending, torn_bytes, sync_first, lost, torn");
    }
  }
  if (!json.find("kept") || !json.find("pending")) {
    return usage_error(where, "a survivor set needs `kept` and `pending`");
  }
  if (lost != nullptr) {
    SF_TRY(survivors.lost, lost_from_json(*lost, where + ".lost", survivors.pending));
  }
  if (torn != nullptr) {
    SF_TRY(survivors.torn, torn_from_json(*torn, where + ".torn", survivors.lost));
  }
  return check(std::move(survivors), where);
}

// ---- simpler sets

Survivors keeping_nothing(const Survivors& survivors) {
  return {.kept = 0,
          .pending = std::max<std::uint64_t>(1, survivors.pending),
          .sync_first = survivors.sync_first};
}

Survivors keeping_all(const Survivors& survivors) {
  return {.kept = survivors.pending,
          .pending = survivors.pending,
          .sync_first = survivors.sync_first};
}

namespace {

// Without the given part of the lost operations.
Survivors with_back(const Survivors& from, std::size_t first, std::size_t count) {
  Survivors set = from;
  const auto begin = set.lost.begin() + static_cast<std::ptrdiff_t>(first);
  set.lost.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  set.kept = set.pending - set.lost.size();
  std::erase_if(set.torn, [&](const TornPage& torn) {
    return !std::binary_search(set.lost.begin(), set.lost.end(), torn.operation);
  });
  return set;
}

void add_simpler_sets(const Survivors& survivors, std::vector<Survivors>& all) {
  const std::size_t lost = survivors.lost.size();
  for (std::size_t block = lost / 2; block > 0; block /= 2) {
    for (std::size_t first = 0; first < lost; first += block) {
      all.push_back(with_back(survivors, first, std::min(block, lost - first)));
    }
  }
  if (survivors.torn.empty()) return;
  Survivors whole = survivors;
  whole.torn.clear();
  all.push_back(std::move(whole));
  if (survivors.torn.size() == 1) return;
  for (std::size_t i = 0; i < survivors.torn.size(); ++i) {
    Survivors less = survivors;
    less.torn.erase(less.torn.begin() + static_cast<std::ptrdiff_t>(i));
    all.push_back(std::move(less));
  }
}

void add_simpler_prefixes(const Survivors& survivors, std::vector<Survivors>& all) {
  for (std::uint64_t lost = 1; lost < survivors.lost_count(); lost *= 2) {
    Survivors longer = survivors;
    longer.kept = survivors.pending - lost;
    longer.torn_bytes = 0;
    all.push_back(std::move(longer));
  }
  if (survivors.torn_bytes == 0) return;
  Survivors whole = survivors;
  whole.torn_bytes = 0;
  all.push_back(std::move(whole));
}

}  // namespace

std::vector<Survivors> simpler(const Survivors& survivors) {
  std::vector<Survivors> all;
  if (survivors.kept == survivors.pending) return all;
  all.push_back(keeping_all(survivors));
  if (survivors.lost.empty()) {
    add_simpler_prefixes(survivors, all);
  } else {
    add_simpler_sets(survivors, all);
  }
  return all;
}

}  // namespace sf::kernel::disk
