// One run: RunResult run(const World&, const RunSpec&) is a pure function; every command is built
// on it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fault/branches.h"
#include "fault/fan_out.h"
#include "fault/listed.h"
#include "fault/planner.h"
#include "fault/preemptions.h"
#include "fault/sites.h"
#include "kernel/room.h"
#include "trace/sinks.h"
#include "world/world.h"

namespace sf::world {

// From this room time on, decisions are drawn from another root.
struct Reseed {
  SimTime time;
  std::uint64_t root = 0;
};

struct RunSpec {
  std::uint64_t seed = 0;
  std::vector<Reseed> reseeds;              // in order of time
  // Set: only these faults happen (planner off). Unset: the planner draws from the config's rates.
  std::optional<std::vector<fault::Fault>> faults;
  std::set<std::string> disabled;           // ids that the planner must leave out
  // Set: exactly these. Unset: as the config's policy draws them.
  std::optional<std::vector<fault::Preemption>> preemptions;
  bool keep_going = false;                  // a false assertion does not end the run
  // Set (planner only): this power loss leaves another image than the one that the seed draws.
  std::optional<fault::ImageId> image;
  kernel::Terminal* terminal = nullptr;     // where consoles lead; must outlive the run
};

// Where a run branches; what becomes of the run itself is the same as without.
struct Branching {
  fault::Branches* branches = nullptr;
  std::uint32_t images = 1;                 // per power loss; 1: no fan-out
  // Set: the planner is off, and each disk operation in the range is tried with a crash.
  std::optional<fault::SiteRange> sites;
};

// How often a property was evaluated.
struct PropertyCount {
  kernel::PropertyKind kind = kernel::PropertyKind::kAssert;
  std::string message;
  std::string site;
  std::uint64_t held = 0;
  std::uint64_t not_held = 0;
};

enum class Verdict : std::uint8_t { kClean, kFinding };

struct RunResult {
  std::uint64_t seed = 0;
  Verdict verdict = Verdict::kClean;
  kernel::EndKind end = kernel::EndKind::kWorkloadDone;
  SimTime end_time;
  std::vector<kernel::Finding> findings;    // the first one decides; empty when clean
  std::vector<fault::Fault> faults;         // that fired, in order
  std::vector<fault::Preemption> preemptions;   // that happened, in order
  kernel::Evidence evidence;
  std::map<std::string, PropertyCount> properties;   // by identity
  std::uint64_t steps = 0;                  // trace records
  std::uint64_t scheduler_steps = 0;        // times a program went on after a wait
  std::uint64_t hash = 0;                   // of all records; equal runs, equal hashes
};

// A run that can be stepped; see kernel/room.h for what stepping means.
class Run {
 public:
  // `world` and `trace` must outlive the run, and so must `branching` and what it refers to.
  static Result<std::unique_ptr<Run>> start(const World& world, const RunSpec& spec,
                                            trace::HashSink& trace,
                                            const Branching* branching = nullptr);
  ~Run();

  // Runs to this room time; false once the run has ended.
  bool advance(SimTime until);
  void reseed(std::uint64_t root);
  kernel::Room& room() { return *room_; }
  // So far.
  const std::map<std::string, PropertyCount>& properties() const;
  // With Branching::sites: the disk operations at which a crash could be tried, so far.
  std::uint64_t site_operations() const { return sites_ ? sites_->operations() : 0; }
  // Runs to the end. Fails when a guest could not be started again, and when the run has no such
  // image as the spec names.
  Result<RunResult> finish();

 private:
  class Properties;
  Run(const World& world, const RunSpec& spec, trace::HashSink& trace);
  const std::vector<fault::Fault>& fired() const;
  kernel::FaultOracle& make_oracle(const Branching* branching);
  Result<void> check_image() const;

  const World& world_;
  RunSpec spec_;
  trace::HashSink& trace_;
  std::unique_ptr<Properties> properties_;
  std::unique_ptr<fault::Planner> planner_;
  std::unique_ptr<fault::ListedFaults> listed_;
  std::unique_ptr<fault::Sites> sites_;
  std::unique_ptr<fault::FanOut> fan_out_;
  std::unique_ptr<fault::RecordedPreemptions> preemptions_;
  std::unique_ptr<kernel::Room> room_;
  std::size_t reseeds_done_ = 0;
};

// Starts, runs and finishes. An Error means the run could not be carried out (never a finding).
Result<RunResult> run(const World& world, const RunSpec& spec, trace::HashSink& trace);
Result<RunResult> run(const World& world, const RunSpec& spec);

}  // namespace sf::world
