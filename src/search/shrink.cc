// Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
// 2002), in its plain form: try to drop ever smaller blocks of the list until no single fault can
// go. Each try is a run with the planner off and the same seed, so every other draw stays what it
// was; a fault whose trigger is no longer reached just does not fire, and drops out with the next
// success, since the list is then what really fired.
#include "search/shrink.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sf::search {
namespace {

// Moments at which a fault is tried when faults before it were dropped: so many operations after
// its old time, or the first one so long before it (the run may now end sooner).
struct Moment {
  std::uint32_t skip = 0;
  Duration earlier;
};
constexpr Moment kMoments[] = {{0, Duration(0)},      {1, Duration(0)},       {2, Duration(0)},
                               {3, Duration(0)},      {0, milliseconds(10)}, {0, milliseconds(50)},
                               {0, milliseconds(250)}};

// What a power loss that was moved to another moment drops: what fitted its old moment, or all that
// is pending, which is the simplest loss there is.
enum class Loss : std::uint8_t { kAsRecorded, kEverything };

class Shrinker {
 public:
  Shrinker(const RunFunction& run, std::uint64_t seed, std::string fingerprint,
           const std::function<void(std::size_t, std::uint64_t)>& progress)
      : run_(run), seed_(seed), fingerprint_(std::move(fingerprint)), progress_(progress) {}

  // Runs with these faults only. True when the finding is the same; the list then becomes what
  // fired in that run.
  Result<bool> accept(std::vector<fault::Fault> faults) {
    world::RunSpec spec;
    spec.seed = seed_;
    spec.faults = std::move(faults);
    ++runs;
    SF_TRY(world::RunResult result, run_(spec));
    const bool same =
        !result.findings.empty() && result.findings.front().fingerprint == fingerprint_;
    if (same) best = std::move(result);
    if (progress_ && best) progress_(best->faults.size(), runs);
    return same;
  }

  // Tries to drop each block of this size; true when one could go.
  Result<bool> drop_blocks(std::size_t size) {
    bool dropped = false;
    std::size_t at = 0;
    while (at < best->faults.size()) {
      SF_TRY(const bool accepted, drop(at, std::min(size, best->faults.size() - at)));
      dropped = dropped || accepted;
      if (!accepted) at += size;
    }
    return dropped;
  }

  // Without the faults [at, at + count): first with the others' triggers as they are, then, since a
  // node that did not crash is in an earlier incarnation and counts its operations on, with the
  // later ones aimed by time.
  Result<bool> drop(std::size_t at, std::size_t count) {
    std::vector<fault::Fault> rest = best->faults;
    const auto first = rest.begin() + static_cast<std::ptrdiff_t>(at);
    rest.erase(first, first + static_cast<std::ptrdiff_t>(count));
    const std::size_t before = best->faults.size();
    SF_TRY(const bool as_they_are, accept(rest));
    if (as_they_are) return true;
    if (at == rest.size()) return false;
    for (const Loss loss : {Loss::kAsRecorded, Loss::kEverything}) {
      for (const Moment& moment : kMoments) {
        SF_TRY(const bool by_time, accept(aimed(rest, at, moment, loss)));
        if (by_time) return best->faults.size() < before;
      }
    }
    return false;
  }

  // The list with the faults from `at` on aimed by time.
  static std::vector<fault::Fault> aimed(std::vector<fault::Fault> faults, std::size_t at,
                                         const Moment& moment, Loss loss) {
    for (std::size_t i = at; i < faults.size(); ++i) {
      faults[i].aim = fault::Aim::kNearest;
      faults[i].skip = moment.skip;
      faults[i].time = std::max(SimTime::zero(), faults[i].time - moment.earlier);
      if (loss == Loss::kEverything && faults[i].survivors) {
        faults[i].survivors = kernel::disk::keeping_nothing(*faults[i].survivors);
      }
    }
    return faults;
  }

  std::optional<world::RunResult> best;
  std::uint64_t runs = 0;

 private:
  const RunFunction& run_;
  std::uint64_t seed_;
  std::string fingerprint_;
  const std::function<void(std::size_t, std::uint64_t)>& progress_;
};

}  // namespace

Result<ShrinkResult> shrink(const world::World& world, const world::RunSpec& original,
                            const std::function<void(std::size_t, std::uint64_t)>& progress) {
  return shrink_with([&world](const world::RunSpec& spec) { return world::run(world, spec); },
                     original, progress);
}

Result<ShrinkResult> shrink_with(const RunFunction& run, const world::RunSpec& spec,
                                 const std::function<void(std::size_t, std::uint64_t)>& progress) {
  const std::string name =
      spec.image ? fmt::format("seed {} image {}", spec.seed, fault::to_string(*spec.image))
                 : fmt::format("seed {}", spec.seed);
  SF_TRY(const world::RunResult original, run(spec));
  if (original.findings.empty()) {
    return usage_error("", name + " is clean: there is nothing to shrink",
                       "`seedfall run -seeds A-B` finds failing seeds");
  }
  Shrinker shrinker(run, spec.seed, original.findings.front().fingerprint, progress);
  SF_TRY(const bool replays, shrinker.accept(original.faults));
  if (!replays) {
    return cannot_run("", fmt::format("the faults of {}, replayed without the planner, do not "
                                      "give its finding", name),
                      "`seedfall run -check` tells whether the programs are deterministic");
  }
  std::size_t block = std::max<std::size_t>(1, original.faults.size() / 2);
  for (;;) {
    SF_TRY(const bool dropped, shrinker.drop_blocks(block));
    if (block > 1) {
      block /= 2;
    } else if (!dropped) {
      break;
    }
  }
  ShrinkResult result;
  result.faults_before = original.faults.size();
  result.runs = shrinker.runs;
  result.result = *std::move(shrinker.best);
  result.faults = result.result.faults;
  result.finding = result.result.findings.front();
  return result;
}

}  // namespace sf::search
