// What a sweep keeps of one seed: small, serialisable, made by a worker and read by its parent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "world/run.h"

namespace sf::search {

enum class OutcomeKind : std::uint8_t {
  kClean,
  kFinding,
  kNondeterminism,   // two runs of the seed differed
  kBroken,           // the run could not be carried out: a guest did not start, or our own bug
};

struct FindingSummary {
  std::string kind;            // "assertion", …
  std::string node;            // "" for the room
  std::string message;
  std::string site;
  std::vector<std::string> detail;
  std::string fingerprint;
};

struct SeedOutcome {
  std::uint64_t seed = 0;
  OutcomeKind kind = OutcomeKind::kClean;
  std::optional<FindingSummary> finding;
  std::vector<fault::Fault> faults;                    // of failing seeds only
  std::string trouble;                                 // nondeterminism, broken: what and where
  std::map<std::string, std::uint64_t> evidence;       // "crash", "torn_tail", …
  std::map<std::string, world::PropertyCount> properties;
  std::int64_t end_ns = 0;                             // simulated
  std::uint64_t scheduler_steps = 0;
  std::uint64_t steps = 0;
  std::uint64_t hash = 0;
  double cpu_seconds = 0;                              // host CPU of this seed's run
};

FindingSummary summarise(const kernel::Finding& finding,
                         const std::vector<std::string>& node_names);
std::map<std::string, std::uint64_t> evidence_counts(const kernel::Evidence& evidence);
SeedOutcome outcome_of(const world::RunResult& result, const std::vector<std::string>& node_names);

Json to_json(const FindingSummary& finding);
Json to_json(const SeedOutcome& outcome);
Result<SeedOutcome> outcome_from_json(const Json& json);

}  // namespace sf::search
