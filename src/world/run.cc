#include "world/run.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace sf::world {

class Run::Properties final : public kernel::PropertySink {
 public:
  // A program that names its properties by what it computes could fill the host's memory with them:
  // those beyond what any program has share one entry.
  void hit(const kernel::PropertyHit& hit) override {
    const bool known = counts_.size() < kPropertiesMax || counts_.contains(hit.identity);
    PropertyCount& count = counts_[known ? hit.identity : std::string(kOthers)];
    if (!known) count.message = kOthers;
    if (known && count.held + count.not_held == 0) {
      count.kind = hit.kind;
      count.message = hit.message;
      count.site = hit.site;
    }
    ++(hit.held ? count.held : count.not_held);
  }
  const std::map<std::string, PropertyCount>& counts() const { return counts_; }
  std::map<std::string, PropertyCount> take() { return std::move(counts_); }

 private:
  static constexpr std::size_t kPropertiesMax = 4096;
  static constexpr std::string_view kOthers = "properties beyond the first 4,096";
  std::map<std::string, PropertyCount> counts_;
};

Run::Run(const World& world, const RunSpec& spec, trace::HashSink& trace)
    : world_(world), spec_(spec), trace_(trace), properties_(std::make_unique<Properties>()) {}
Run::~Run() = default;

// The planner or a list; around it what branches.
kernel::FaultOracle& Run::make_oracle(const Branching* branching) {
  const fault::FaultRates& rates = world_.rates();
  const bool sites = branching != nullptr && branching->sites;
  kernel::FaultOracle* oracle = nullptr;
  if (spec_.faults || sites) {
    SF_CHECK(!spec_.image);
    listed_ = std::make_unique<fault::ListedFaults>(
        spec_.faults.value_or(std::vector<fault::Fault>()));
    oracle = listed_.get();
  } else {
    planner_ = std::make_unique<fault::Planner>(rates, spec_.disabled);
    oracle = planner_.get();
  }
  if (sites) {
    SF_CHECK(!spec_.faults);
    sites_ = std::make_unique<fault::Sites>(*oracle, rates, *branching->sites,
                                            branching->branches);
    oracle = sites_.get();
  }
  fault::FanOutOptions fan_out{.only = spec_.image, .torn_writes = rates.torn_writes};
  if (branching != nullptr) {
    fan_out.images = branching->images;
    fan_out.branches = branching->branches;
  }
  if (!spec_.image && fan_out.images == 1) return *oracle;
  fan_out_ = std::make_unique<fault::FanOut>(*oracle, fan_out);
  return *fan_out_;
}

Result<std::unique_ptr<Run>> Run::start(const World& world, const RunSpec& spec,
                                        trace::HashSink& trace, const Branching* branching) {
  check_context() = CheckContext{spec.seed, 0, true};
  std::unique_ptr<Run> run(new Run(world, spec, trace));
  kernel::FaultOracle& oracle = run->make_oracle(branching);
  if (spec.preemptions) {
    run->preemptions_ = std::make_unique<fault::ListedPreemptions>(*spec.preemptions);
  } else {
    run->preemptions_ = std::make_unique<fault::DrawnPreemptions>(world.settings().cpu.preempt);
  }
  kernel::Settings settings = world.settings();
  settings.keep_going = spec.keep_going;
  run->room_ = std::make_unique<kernel::Room>(
      settings, spec.seed, world.plan_nodes(),
      kernel::RoomParts{oracle, trace, *run->properties_, run->preemptions_.get(),
                        spec.terminal});
  SF_TRY_VOID(world.fill_disks(*run->room_));
  SF_TRY_VOID(run->room_->boot_all());
  return run;
}

bool Run::advance(SimTime until) {
  while (reseeds_done_ < spec_.reseeds.size() && spec_.reseeds[reseeds_done_].time <= until) {
    const Reseed& next = spec_.reseeds[reseeds_done_++];
    if (!room_->advance(next.time)) return false;
    room_->reseed(next.root);
  }
  return room_->advance(until);
}

void Run::reseed(std::uint64_t root) { room_->reseed(root); }

const std::vector<fault::Fault>& Run::fired() const {
  if (sites_) return sites_->fired();
  return listed_ ? listed_->fired() : planner_->fired();
}

const std::map<std::string, PropertyCount>& Run::properties() const {
  return properties_->counts();
}

Result<void> Run::check_image() const {
  if (!spec_.image || fan_out_->reached()) return {};
  const std::uint32_t there = fan_out_->images_there();
  const std::string name = fault::to_string(*spec_.image);
  if (there == 0) {
    return usage_error("", fmt::format("seed {} has no image {}: it has no power loss {}",
                                       spec_.seed, name, spec_.image->power_loss));
  }
  return usage_error("", fmt::format("seed {} has no image {}: its power loss {} leaves {} "
                                     "distinct image{}", spec_.seed, name, spec_.image->power_loss,
                                     there, there == 1 ? "" : "s"));
}

Result<RunResult> Run::finish() {
  while (advance(SimTime::never())) {
  }
  if (room_->failure()) return tl::make_unexpected(*room_->failure());
  SF_TRY_VOID(check_image());
  RunResult result;
  result.seed = spec_.seed;
  result.end = room_->end_kind();
  result.end_time = room_->now();
  result.findings = room_->findings();
  if (world_.config().horizon_ok) {
    std::erase_if(result.findings, [](const kernel::Finding& finding) {
      return finding.kind == kernel::FindingKind::kHorizon;
    });
  }
  result.verdict = result.findings.empty() ? Verdict::kClean : Verdict::kFinding;
  result.faults = fired();
  result.preemptions = preemptions_->done();
  result.evidence = room_->evidence();
  result.properties = properties_->take();
  result.steps = room_->journal().steps();
  result.scheduler_steps = room_->scheduler_steps();
  result.hash = trace_.hash();
  check_context().active = false;
  return result;
}

Result<RunResult> run(const World& world, const RunSpec& spec, trace::HashSink& trace) {
  SF_TRY(const std::unique_ptr<Run> started, Run::start(world, spec, trace));
  return started->finish();
}

Result<RunResult> run(const World& world, const RunSpec& spec) {
  trace::HashSink sink;
  return run(world, spec, sink);
}

}  // namespace sf::world
