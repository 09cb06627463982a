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
  kRepeated,         // a branch that another one had been like, so it was not carried on
};

struct FindingSummary {
  std::string kind;            // "assertion", …
  std::string node;            // "" for the room
  std::string message;
  std::string site;
  std::vector<std::string> detail;
  std::string fingerprint;
};

// Of one run: of a seed, or of a branch of it.
struct SeedOutcome {
  std::uint64_t seed = 0;
  std::optional<fault::ImageId> image;                 // of a branch: what the power loss left
  std::optional<fault::SiteId> site;                   // of a branch: where it crashed
  OutcomeKind kind = OutcomeKind::kClean;
  std::optional<FindingSummary> finding;
  std::vector<fault::Fault> faults;                    // of failing runs, and of branches
  std::string trouble;                                 // nondeterminism, broken: what and where
  std::map<std::string, std::uint64_t> evidence;       // "crash", "torn_tail", …
  std::map<std::string, world::PropertyCount> properties;
  std::int64_t start_ns = 0;                           // simulated; of a branch: where it began
  std::int64_t end_ns = 0;
  std::uint64_t scheduler_steps = 0;
  std::uint64_t steps = 0;
  std::uint64_t hash = 0;
  double cpu_seconds = 0;                              // host CPU of this run, without branches
  std::uint64_t site_operations = 0;                   // with -sites: operations that can crash
  std::uint64_t crash_key = 0;                         // of a site: equal keys go on alike; 0: none
  std::vector<SeedOutcome> branches;
};

// "seed 7", "seed 7 image 2.3", "seed 1 site 12 (power, before)".
std::string name_of(const SeedOutcome& outcome);
// Of a run that could not be carried out.
SeedOutcome broken_outcome(std::uint64_t seed, const Error& error);

FindingSummary summarise(const kernel::Finding& finding,
                         const std::vector<std::string>& node_names);
std::map<std::string, std::uint64_t> evidence_counts(const kernel::Evidence& evidence);
SeedOutcome outcome_of(const world::RunResult& result, const std::vector<std::string>& node_names);

Json to_json(const FindingSummary& finding);
Json to_json(const SeedOutcome& outcome);
Result<SeedOutcome> outcome_from_json(const Json& json);

}  // namespace sf::search
