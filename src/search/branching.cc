// The forks happen deep inside a run, in a host call or an event, where an oracle asks
// (fault/branches.h). In the child the run goes on to its end; its outcome is then the child's
// answer, and the child is over: nothing of the caller's is run twice.
#include "search/branching.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/host/fork_point.h"
#include "base/host/subprocess.h"
#include "search/check.h"

namespace sf::search {
namespace {

using PropertyCounts = std::map<std::string, world::PropertyCount>;

// What the run had done when it branched.
struct Past {
  std::map<std::string, std::uint64_t> evidence;
  PropertyCounts properties;
  SimTime time;
};

void subtract(const Past& past, SeedOutcome& outcome) {
  for (auto& [key, count] : outcome.evidence) count -= past.evidence.at(key);
  for (const auto& [identity, count] : past.properties) {
    auto& own = outcome.properties.at(identity);
    own.held -= count.held;
    own.not_held -= count.not_held;
  }
  std::erase_if(outcome.properties, [](const auto& property) {
    return property.second.held + property.second.not_held == 0;
  });
  outcome.start_ns = past.time.ns();
}

class Forks final : public fault::Branches {
 public:
  explicit Forks(std::uint64_t seed) : seed_(seed) {}

  void set_run(world::Run& run) { run_ = &run; }
  bool in_branch() const { return forks_.is_child(); }

  bool branch(const fault::ImageId& image) override {
    const auto before = std::exchange(image_, image);
    if (fork_here()) return true;
    image_ = before;
    return false;
  }

  bool branch(const fault::SiteId& site) override {
    const auto before = std::exchange(site_, site);
    if (fork_here()) return true;
    site_ = before;
    return false;
  }

  void crashed(std::uint64_t key) override {
    SF_CHECK(in_branch());
    key_ = key;
    if (!keys_.contains(key)) return;
    SeedOutcome same = named();
    same.kind = OutcomeKind::kRepeated;
    same.branches = std::move(collected_);
    forks_.answer(to_json(same).dump());
  }

  // Ends a branch with its outcome; gives the run's own back to it.
  SeedOutcome finish(SeedOutcome outcome) {
    outcome.seed = seed_;
    outcome.image = image_;
    outcome.site = site_;
    outcome.crash_key = key_;
    outcome.branches = std::move(collected_);
    if (!in_branch()) return outcome;
    if (outcome.kind != OutcomeKind::kBroken) subtract(past_, outcome);
    outcome.cpu_seconds = host::Stopwatch::process_cpu_seconds();
    forks_.answer(to_json(outcome).dump());
  }

 private:
  SeedOutcome named() const {
    SeedOutcome outcome;
    outcome.seed = seed_;
    outcome.image = image_;
    outcome.site = site_;
    outcome.crash_key = key_;
    return outcome;
  }

  // True in the branch.
  bool fork_here() {
    const auto answer = forks_.branch();
    if (!answer) {
      past_.evidence = evidence_counts(run_->room().evidence());
      past_.properties = run_->properties();
      past_.time = run_->room().now();
      collected_.clear();
      return true;
    }
    collected_.push_back(read(*answer));
    learn(collected_.back());
    return false;
  }

  SeedOutcome read(const host::ForkPoint::Answer& answer) const {
    if (answer.died) {
      SeedOutcome broken = named();
      broken.kind = OutcomeKind::kBroken;
      broken.trouble = "the process of this branch was " + answer.text;
      return broken;
    }
    const auto json = parse_json(answer.text, "branch");
    SF_CHECK_MSG(json.has_value(), json ? "" : json.error().text());
    auto outcome = outcome_from_json(*json);
    SF_CHECK_MSG(outcome.has_value(), outcome ? "" : outcome.error().text());
    return *std::move(outcome);
  }

  void learn(const SeedOutcome& outcome) {
    if (outcome.crash_key != 0) keys_.insert(outcome.crash_key);
    for (const SeedOutcome& inner : outcome.branches) learn(inner);
  }

  std::uint64_t seed_;
  world::Run* run_ = nullptr;
  host::ForkPoint forks_;
  std::vector<SeedOutcome> collected_;       // of the branches of this process
  std::set<std::uint64_t> keys_;             // crashes that some branch before has had
  // Of this process, when it is a branch.
  std::optional<fault::ImageId> image_;
  std::optional<fault::SiteId> site_;
  std::uint64_t key_ = 0;
  Past past_;
};

SeedOutcome outcome_of_run(const world::World& world, world::Run& run, bool keep_faults) {
  auto result = run.finish();
  if (!result) return broken_outcome(0, result.error());
  SeedOutcome outcome = outcome_of(*result, world.node_names());
  outcome.site_operations = run.site_operations();
  if (keep_faults) outcome.faults = std::move(result->faults);
  return outcome;
}

}  // namespace

SeedOutcome run_branching(const world::World& world, const world::RunSpec& spec,
                          const BranchOptions& options, trace::HashSink& trace) {
  const double cpu_before = host::Stopwatch::process_cpu_seconds();
  Forks forks(spec.seed);
  const world::Branching branching{&forks, options.images, options.sites};
  const auto run = world::Run::start(world, spec, trace, &branching);
  if (!run) return broken_outcome(spec.seed, run.error());
  forks.set_run(**run);
  SeedOutcome ended = outcome_of_run(world, **run, true);
  if (!forks.in_branch() && ended.kind == OutcomeKind::kClean) ended.faults.clear();
  SeedOutcome outcome = forks.finish(std::move(ended));
  outcome.cpu_seconds = host::Stopwatch::process_cpu_seconds() - cpu_before;
  return outcome;
}

SeedOutcome check_branch(const world::World& world, const world::RunSpec& spec,
                         SeedOutcome branch) {
  if (branch.kind != OutcomeKind::kClean && branch.kind != OutcomeKind::kFinding) return branch;
  world::RunSpec again = spec;
  if (branch.site) {
    again.faults = branch.faults;
  } else {
    again.image = branch.image;
  }
  const auto result = world::run(world, again);
  if (!result) {
    branch.kind = OutcomeKind::kBroken;
    branch.trouble = "its repetition without a fork failed: " + result.error().text();
  } else if (result->hash != branch.hash) {
    branch.kind = OutcomeKind::kNondeterminism;
    branch.trouble = fmt::format("the branch has trace hash {:016x}, its repetition without a fork "
                                 "{:016x}\n", branch.hash, result->hash);
  }
  return branch;
}

void drop_faults_of_clean(SeedOutcome& outcome) {
  if (outcome.kind == OutcomeKind::kClean) outcome.faults.clear();
  for (SeedOutcome& branch : outcome.branches) drop_faults_of_clean(branch);
}

}  // namespace sf::search
