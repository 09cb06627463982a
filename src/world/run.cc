#include "world/run.h"

#include <utility>

#include "base/check.h"

namespace sf::world {

class Run::Properties final : public kernel::PropertySink {
 public:
  void hit(const kernel::PropertyHit& hit) override {
    PropertyCount& count = counts_[hit.identity];
    if (count.held + count.not_held == 0) {
      count.kind = hit.kind;
      count.message = hit.message;
      count.site = hit.site;
    }
    ++(hit.held ? count.held : count.not_held);
  }
  std::map<std::string, PropertyCount> take() { return std::move(counts_); }

 private:
  std::map<std::string, PropertyCount> counts_;
};

Run::Run(const World& world, const RunSpec& spec, trace::HashSink& trace)
    : world_(world), spec_(spec), trace_(trace), properties_(std::make_unique<Properties>()) {}
Run::~Run() = default;

Result<std::unique_ptr<Run>> Run::start(const World& world, const RunSpec& spec,
                                        trace::HashSink& trace) {
  check_context() = CheckContext{spec.seed, 0, true};
  std::unique_ptr<Run> run(new Run(world, spec, trace));
  kernel::FaultOracle* oracle = nullptr;
  if (spec.faults) {
    run->listed_ = std::make_unique<fault::ListedFaults>(*spec.faults);
    oracle = run->listed_.get();
  } else {
    run->planner_ = std::make_unique<fault::Planner>(world.rates(), spec.disabled);
    oracle = run->planner_.get();
  }
  kernel::Settings settings = world.settings();
  settings.keep_going = spec.keep_going;
  run->room_ = std::make_unique<kernel::Room>(
      settings, spec.seed, world.plan_nodes(),
      kernel::RoomParts{*oracle, trace, *run->properties_});
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
  return listed_ ? listed_->fired() : planner_->fired();
}

Result<RunResult> Run::finish() {
  while (advance(SimTime::never())) {
  }
  if (room_->failure()) return tl::make_unexpected(*room_->failure());
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
