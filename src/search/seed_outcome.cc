#include "search/seed_outcome.h"

#include <utility>

#include <fmt/format.h>

#include "fault/json_fields.h"

namespace sf::search {

using fault::Fields;

FindingSummary summarise(const kernel::Finding& finding,
                         const std::vector<std::string>& node_names) {
  FindingSummary summary;
  summary.kind = kernel::finding_kind_name(finding.kind);
  if (finding.node != kernel::kTheRoom) summary.node = node_names[index_of(finding.node)];
  summary.message = finding.message;
  summary.site = finding.site;
  summary.detail = finding.detail;
  summary.fingerprint = finding.fingerprint;
  return summary;
}

std::map<std::string, std::uint64_t> evidence_counts(const kernel::Evidence& evidence) {
  return {{"crash", evidence.power_losses},
          {"kill", evidence.kills},
          {"crash_inside_io", evidence.crashes_inside_io},
          {"torn_tail", evidence.torn_tails},
          {"operations_lost", evidence.operations_lost},
          {"restart", evidence.restarts},
          {"partition", evidence.partitions},
          {"fsync_error", evidence.sync_errors},
          {"write_error", evidence.write_errors},
          {"read_error", evidence.read_errors},
          {"short_write", evidence.short_writes},
          {"full_disk", evidence.full_disks},
          {"no_descriptors", evidence.no_descriptors},
          {"disk_stall", evidence.disk_stalls},
          {"eviction", evidence.evictions},
          {"page_revealed", evidence.pages_revealed},
          {"rotten_sector", evidence.rotten_sectors},
          {"error_exit", evidence.error_exits},
          {"power_all", evidence.power_all},
          {"crash_in_recovery", evidence.crashes_in_recovery},
          {"disk_op", evidence.disk_ops},
          {"host_call", evidence.host_calls},
          {"tick", evidence.ticks},
          {"preemption", evidence.preemptions}};
}

SeedOutcome outcome_of(const world::RunResult& result,
                       const std::vector<std::string>& node_names) {
  SeedOutcome outcome;
  outcome.seed = result.seed;
  if (result.verdict == world::Verdict::kFinding) {
    outcome.kind = OutcomeKind::kFinding;
    outcome.finding = summarise(result.findings.front(), node_names);
    outcome.faults = result.faults;
  }
  outcome.evidence = evidence_counts(result.evidence);
  outcome.properties = result.properties;
  outcome.end_ns = result.end_time.ns();
  outcome.scheduler_steps = result.scheduler_steps;
  outcome.steps = result.steps;
  outcome.hash = result.hash;
  return outcome;
}

std::string name_of(const SeedOutcome& outcome) {
  std::string name = fmt::format("seed {}", outcome.seed);
  if (outcome.site) name += " site " + fault::to_string(*outcome.site);
  if (outcome.image) name += " image " + fault::to_string(*outcome.image);
  return name;
}

SeedOutcome broken_outcome(std::uint64_t seed, const Error& error) {
  SeedOutcome outcome;
  outcome.seed = seed;
  outcome.kind = OutcomeKind::kBroken;
  outcome.trouble = error.text();
  return outcome;
}

Json to_json(const FindingSummary& finding) {
  Json detail = Json::array();
  for (const std::string& line : finding.detail) detail.push(line);
  return Json::object()
      .set("kind", finding.kind)
      .set("node", finding.node)
      .set("message", finding.message)
      .set("site", finding.site)
      .set("fingerprint", finding.fingerprint)
      .set("detail", std::move(detail));
}

Json to_json(const SeedOutcome& outcome) {
  Json out = Json::object();
  out.set("seed", outcome.seed).set("kind", static_cast<int>(outcome.kind));
  if (outcome.image) out.set("image", fault::to_string(*outcome.image));
  if (outcome.site) {
    out.set("site", Json::object()
                        .set("operation", outcome.site->operation)
                        .set("kind", static_cast<int>(outcome.site->kind))
                        .set("phase", static_cast<int>(outcome.site->phase)));
  }
  if (outcome.finding) out.set("finding", to_json(*outcome.finding));
  Json branches = Json::array();
  for (const SeedOutcome& branch : outcome.branches) branches.push(to_json(branch));
  out.set("branches", std::move(branches));
  Json faults = Json::array();
  for (const fault::Fault& fault : outcome.faults) faults.push(fault::to_json(fault));
  out.set("faults", std::move(faults)).set("trouble", outcome.trouble);
  Json evidence = Json::object();
  for (const auto& [key, count] : outcome.evidence) evidence.set(key, count);
  out.set("evidence", std::move(evidence));
  Json properties = Json::object();
  for (const auto& [identity, count] : outcome.properties) {
    properties.set(identity, Json::object()
                                 .set("kind", static_cast<int>(count.kind))
                                 .set("message", count.message)
                                 .set("site", count.site)
                                 .set("held", count.held)
                                 .set("not_held", count.not_held));
  }
  return out.set("properties", std::move(properties))
      .set("start_ns", outcome.start_ns)
      .set("end_ns", outcome.end_ns)
      .set("scheduler_steps", outcome.scheduler_steps)
      .set("steps", outcome.steps)
      .set("hash", outcome.hash)
      .set("cpu_seconds", outcome.cpu_seconds)
      .set("site_operations", outcome.site_operations)
      .set("crash_key", outcome.crash_key);
}

namespace {

Result<FindingSummary> finding_from_json(const Json& json) {
  SF_TRY(const Fields fields, Fields::of(json, "outcome.finding"));
  FindingSummary finding;
  SF_TRY(finding.kind, fields.string("kind"));
  SF_TRY(finding.node, fields.string("node"));
  SF_TRY(finding.message, fields.string("message"));
  SF_TRY(finding.site, fields.string("site"));
  SF_TRY(finding.fingerprint, fields.string("fingerprint"));
  if (const Json* detail = fields.find("detail"); detail && detail->is(Json::Kind::kArray)) {
    for (const Json& line : detail->items()) finding.detail.push_back(line.string());
  }
  return finding;
}

// Counters use all 64 bits, which Fields::integer would refuse as negative.
std::uint64_t counter(const Json& json, const char* key) {
  const Json* value = json.find(key);
  return value && value->is(Json::Kind::kInteger) ? value->unsigned_integer() : 0;
}

void read_properties(const Json& json, SeedOutcome& outcome) {
  for (const auto& [identity, value] : json.members()) {
    world::PropertyCount& count = outcome.properties[identity];
    count.kind = static_cast<kernel::PropertyKind>(counter(value, "kind"));
    count.message = value.find("message")->string();
    count.site = value.find("site")->string();
    count.held = counter(value, "held");
    count.not_held = counter(value, "not_held");
  }
}

}  // namespace

namespace {

Result<void> read_branch(const Fields& fields, SeedOutcome& outcome) {
  if (fields.has("image")) {
    SF_TRY(const std::string name, fields.string("image"));
    SF_TRY(outcome.image, fault::parse_image_id(name, "outcome.image"));
  }
  if (const Json* site = fields.find("site")) {
    outcome.site = fault::SiteId{counter(*site, "operation"),
                                 static_cast<kernel::FaultKind>(counter(*site, "kind")),
                                 static_cast<kernel::Phase>(counter(*site, "phase"))};
  }
  for (const Json& branch : fields.find("branches")->items()) {
    SF_TRY(SeedOutcome read, outcome_from_json(branch));
    outcome.branches.push_back(std::move(read));
  }
  return {};
}

}  // namespace

Result<SeedOutcome> outcome_from_json(const Json& json) {
  SF_TRY(const Fields fields, Fields::of(json, "outcome"));
  SeedOutcome outcome;
  SF_TRY_VOID(read_branch(fields, outcome));
  outcome.seed = counter(json, "seed");
  outcome.kind = static_cast<OutcomeKind>(counter(json, "kind"));
  if (const Json* finding = fields.find("finding")) {
    SF_TRY(outcome.finding, finding_from_json(*finding));
  }
  for (const Json& fault : fields.find("faults")->items()) {
    SF_TRY(fault::Fault read, fault::fault_from_json(fault, "outcome.faults"));
    outcome.faults.push_back(std::move(read));
  }
  SF_TRY(outcome.trouble, fields.string("trouble"));
  for (const auto& [key, count] : fields.find("evidence")->members()) {
    outcome.evidence[key] = count.unsigned_integer();
  }
  read_properties(*fields.find("properties"), outcome);
  SF_TRY(outcome.start_ns, fields.integer("start_ns", 0));
  SF_TRY(outcome.end_ns, fields.integer("end_ns", 0));
  outcome.scheduler_steps = counter(json, "scheduler_steps");
  outcome.steps = counter(json, "steps");
  outcome.hash = counter(json, "hash");
  outcome.cpu_seconds = fields.find("cpu_seconds")->number();
  outcome.site_operations = counter(json, "site_operations");
  outcome.crash_key = counter(json, "crash_key");
  return outcome;
}

}  // namespace sf::search
