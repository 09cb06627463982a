#include "front/cli/tally_output.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "front/cli/fault_words.h"

namespace sf::front {

void print_properties(const search::Tally& tally) {
  std::uint64_t always = 0;
  std::uint64_t broken = 0;
  std::vector<std::string> hit;
  std::vector<std::string> never;
  for (const auto& [identity, total] : tally.properties) {
    const bool wanted = total.count.kind == kernel::PropertyKind::kSometimes ||
                        total.count.kind == kernel::PropertyKind::kReachable;
    if (!wanted) {
      ++(total.count.not_held == 0 ? always : broken);
    } else if (total.count.held > 0) {
      hit.push_back(fmt::format("  {:<44} {:>9} times, {} seeds", total.count.message,
                                with_thousands(total.count.held),
                                with_thousands(total.seeds_held)));
    } else {
      never.push_back(total.count.message);
    }
  }
  if (tally.properties.empty()) return;
  fmt::print("properties: {} always ok, {} broken, {} sometimes hit, {} never hit\n", always,
             broken, hit.size(), never.size());
  for (const std::string& line : hit) fmt::print("{}\n", line);
  for (const std::string& name : never) {
    fmt::print("warning: never in these seeds: {} (more seeds, or other rates)\n", name);
  }
}

namespace {

std::uint64_t count_of(const search::Tally& tally, const char* key) {
  const auto found = tally.evidence.find(key);
  return found == tally.evidence.end() ? 0 : found->second;
}

}  // namespace

void print_evidence(const search::Tally& tally, const world::FaultConfig& faults) {
  const auto shown = [&](const char* key) { return with_thousands(count_of(tally, key)); };
  fmt::print("evidence: {} crashes (power; {} inside a disk operation), {} kills, {} torn tails, "
             "{} partitions, {} restarts, {} preemptions, {} disk operations, "
             "{:.1f} simulated seconds\n",
             shown("crash"), shown("crash_inside_io"), shown("kill"), shown("torn_tail"),
             shown("partition"), shown("restart"), shown("preemption"), shown("disk_op"),
             tally.simulated_seconds());
  std::vector<std::string> others;
  std::set<std::string> warned;
  for (const FaultWords& words : faults_in_words(faults)) {
    if (count_of(tally, words.evidence) == 0 && warned.insert(words.evidence).second) {
      fmt::print("warning: {} never happened in these seeds: raise its rate, or run more seeds\n",
                 words.one);
    }
    constexpr std::array<std::string_view, 4> kShownAbove = {"crash", "kill", "torn_tail",
                                                             "partition"};
    if (std::find(kShownAbove.begin(), kShownAbove.end(), words.evidence) == kShownAbove.end()) {
      others.push_back(fmt::format("{} {}", shown(words.evidence), words.many));
    }
  }
  if (others.empty()) return;
  others.push_back(fmt::format("{} programs stopped after an I/O error", shown("error_exit")));
  fmt::print("          {}\n", join(others, ", "));
}

void add_tally(Json& out, const search::Tally& tally) {
  Json evidence = Json::object();
  for (const auto& [key, count] : tally.evidence) evidence.set(key, count);
  Json properties = Json::array();
  for (const auto& [identity, total] : tally.properties) {
    // The identity is "kind: message", or "kind: call site" for messages made at run time.
    evidence.set("property:" + identity.substr(identity.find(": ") + 2), total.count.held);
    properties.push(Json::object()
                        .set("kind", property_kind_name(total.count.kind))
                        .set("message", total.count.message)
                        .set("site", total.count.site)
                        .set("held", total.count.held)
                        .set("not_held", total.count.not_held)
                        .set("seeds_held", total.seeds_held));
  }
  out.set("evidence", std::move(evidence))
      .set("properties", std::move(properties))
      .set("simulated_seconds", tally.simulated_seconds());
}

Json finding_json(std::size_t index, const search::FindingGroup& group) {
  return Json::object()
      .set("id", fmt::format("F{}", index + 1))
      .set("title", group.title)
      .set("kind", group.sample.kind)
      .set("node", group.sample.node)
      .set("message", group.sample.message)
      .set("site", group.sample.site)
      .set("fingerprint", group.sample.fingerprint)
      .set("seeds", group.seeds)
      .set("lowest", group.lowest);
}

Json image_json(const std::optional<fault::ImageId>& image) {
  return image ? Json(fault::to_string(*image)) : Json();
}

}  // namespace sf::front
