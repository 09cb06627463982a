// Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
// 2002), in its plain form: try to drop ever smaller blocks of the list until no single item can
// go. Each try is a run with the planner off and the same seed, so every other draw stays what it
// was; a fault whose trigger is no longer reached just does not fire, and drops out with the next
// success, since the list is then what really fired. Then each power loss that is left is given
// back what it lost, in ever smaller blocks, as long as the run fails in the same way: what stays
// lost is what the failure needs.
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

// Runs spent on one power loss: enough for a dozen lost operations, one by one.
constexpr std::uint64_t kLossTriesMax = 64;

// What a power loss that was moved to another moment drops: what fitted its old moment, or all that
// is pending, which is the simplest loss there is.
enum class Loss : std::uint8_t { kAsRecorded, kEverything };

// An aimed preemption is tried at the moments at which its node has come to its place so often. A
// place in a loop comes again at once, one in a request with the next request: hence the spread.
constexpr std::uint32_t kVisits[] = {0,  1,  2,  3,  5,  7,   10,  14,  19,  26,
                                     35, 47, 63, 84, 112, 150, 200, 266, 355, 473};
// The window in which it looks begins so long before its old time, in turn.
constexpr Duration kWindows[] = {microseconds(200), milliseconds(20), milliseconds(200)};

// So few preemptions are tried by themselves.
constexpr std::size_t kFew = 4;

class Shrinker {
 public:
  Shrinker(const RunFunction& run, std::uint64_t seed, std::string fingerprint,
           const std::function<void(const ShrinkProgress&)>& progress)
      : run_(run), seed_(seed), fingerprint_(std::move(fingerprint)), progress_(progress) {}

  // Runs with these only. True when the finding is the same; the lists then become what happened in
  // that run.
  Result<bool> accept(std::vector<fault::Fault> faults,
                      std::vector<fault::Preemption> preemptions) {
    world::RunSpec spec;
    spec.seed = seed_;
    spec.faults = std::move(faults);
    spec.preemptions = std::move(preemptions);
    ++runs;
    SF_TRY(world::RunResult result, run_(spec));
    const bool same =
        !result.findings.empty() && result.findings.front().fingerprint == fingerprint_;
    if (same) best = std::move(result);
    if (progress_ && best) {
      progress_(ShrinkProgress{best->faults.size(), best->preemptions.size(), runs});
    }
    return same;
  }

  // Drops ever smaller blocks of a list until no single item of it can go. `size` is its present
  // length, `drop(at, count)` tries to do without a part of it.
  template <class Size, class Drop>
  static Result<void> thin_out(Size size, Drop drop) {
    for (std::size_t block = std::max<std::size_t>(1, size() / 2);;) {
      bool dropped = false;
      for (std::size_t at = 0; at < size();) {
        SF_TRY(const bool accepted, drop(at, std::min(block, size() - at)));
        dropped = dropped || accepted;
        if (!accepted) at += block;
      }
      if (block > 1) {
        block /= 2;
      } else if (!dropped) {
        return {};
      }
    }
  }

  // Without the faults [at, at + count): first with the others' triggers as they are, then, since a
  // node that did not crash is in an earlier incarnation and counts its operations on, with the
  // later ones aimed by time.
  Result<bool> drop(std::size_t at, std::size_t count) {
    std::vector<fault::Fault> rest = best->faults;
    const auto first = rest.begin() + static_cast<std::ptrdiff_t>(at);
    rest.erase(first, first + static_cast<std::ptrdiff_t>(count));
    const std::size_t before = best->faults.size();
    SF_TRY(const bool as_they_are, accept(rest, best->preemptions));
    if (as_they_are) return true;
    if (at == rest.size()) return false;
    SF_TRY(const bool by_time, accept_aimed(rest, at, best->preemptions));
    return by_time && best->faults.size() < before;
  }

  // Faults from `at` on aimed by time, at several moments.
  Result<bool> accept_aimed(const std::vector<fault::Fault>& faults, std::size_t at,
                            const std::vector<fault::Preemption>& preemptions) {
    for (const Loss loss : {Loss::kAsRecorded, Loss::kEverything}) {
      for (const Moment& moment : kMoments) {
        SF_TRY(const bool by_time, accept(aimed(faults, at, moment, loss), preemptions));
        if (by_time) return true;
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

  Result<void> shrink_faults() {
    return thin_out([this] { return best->faults.size(); },
                    [this](std::size_t at, std::size_t count) { return drop(at, count); });
  }

  Result<void> shrink_preemptions();
  Result<void> drop_all_faults();

  // Lets each power loss lose as little as still fails.
  Result<void> simplify_losses() {
    for (std::size_t at = 0; at < best->faults.size(); ++at) {
      for (std::uint64_t left = kLossTriesMax; left > 0;) {
        SF_TRY(const bool simplified, simplify_loss(at, left));
        if (!simplified) break;
      }
    }
    return {};
  }

  // One step: the first simpler set of survivors with which the run fails in the same way. A wish
  // that does not hold together is applied as far as it does, so it may come out no simpler.
  Result<bool> simplify_loss(std::size_t at, std::uint64_t& left) {
    if (at >= best->faults.size() || !best->faults[at].survivors) return false;
    const kernel::disk::Survivors before = *best->faults[at].survivors;
    for (const kernel::disk::Survivors& wish : kernel::disk::simpler(before)) {
      if (left == 0) return false;
      --left;
      std::vector<fault::Fault> faults = best->faults;
      faults[at].survivors = wish;
      const std::optional<world::RunResult> old = best;
      SF_TRY(const bool accepted, accept(std::move(faults), best->preemptions));
      if (!accepted) continue;
      const bool same_fault = at < best->faults.size() && best->faults[at].survivors;
      if (!same_fault || is_less(*best->faults[at].survivors, before)) return true;
      best = old;
    }
    return false;
  }

  static bool is_less(const kernel::disk::Survivors& a, const kernel::disk::Survivors& b) {
    const auto weight = [](const kernel::disk::Survivors& s) {
      return std::pair{s.lost_count(), s.torn.size() + (s.torn_bytes != 0 ? 1 : 0)};
    };
    return weight(a) < weight(b);
  }

  std::optional<world::RunResult> best;
  std::uint64_t runs = 0;

 private:
  using Preemptions = std::vector<fault::Preemption>;
  Result<bool> drop_all();
  Result<void> cut_end();
  Result<bool> keep_last(std::size_t count);
  Result<bool> drop_preemptions(std::size_t at, std::size_t count);
  Result<bool> try_places(const std::vector<fault::Fault>& faults, const Preemptions& list,
                          std::size_t from);

  const RunFunction& run_;
  std::uint64_t seed_;
  std::string fingerprint_;
  const std::function<void(const ShrinkProgress&)>& progress_;
};

// Most findings need none.
Result<bool> Shrinker::drop_all() {
  SF_TRY(const bool as_they_are, accept(best->faults, {}));
  if (as_they_are) return true;
  return accept_aimed(best->faults, 0, {});
}

// What comes after the last one that matters can go at once and moves nothing before it: the
// shortest beginning, by bisection.
Result<void> Shrinker::cut_end() {
  const Preemptions all = best->preemptions;
  std::size_t low = 0;                  // a beginning that is too short
  std::size_t high = all.size();        // one that is long enough
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    const Preemptions part(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(middle));
    SF_TRY(const bool enough, accept(best->faults, part));
    (enough ? high : low) = middle;
  }
  return {};
}

// The ones from `from` on are aimed: each looks for its place again, a little before its old time.
// They have moved, so several windows and, for the first of them, several visits are tried.
Result<bool> Shrinker::try_places(const std::vector<fault::Fault>& faults,
                                  const Preemptions& list, std::size_t from) {
  for (const Duration window : kWindows) {
    for (const std::uint32_t skip : kVisits) {
      Preemptions tried = list;
      for (std::size_t i = from; i < tried.size(); ++i) {
        tried[i].aim = fault::Aim::kNearest;
        tried[i].skip = i == from ? skip : 0;
        tried[i].time = std::max(SimTime::zero(), tried[i].time - window);
      }
      SF_TRY(const bool accepted, accept(faults, std::move(tried)));
      if (accepted) return true;
    }
  }
  return false;
}

// Only the last `count`.
Result<bool> Shrinker::keep_last(std::size_t count) {
  const Preemptions& all = best->preemptions;
  const Preemptions last(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
  return try_places(best->faults, last, 0);
}

// Without [at, at + count): first with the others as they are, then with the later ones aimed.
Result<bool> Shrinker::drop_preemptions(std::size_t at, std::size_t count) {
  Preemptions rest = best->preemptions;
  const std::size_t before = rest.size();
  const auto first = rest.begin() + static_cast<std::ptrdiff_t>(at);
  rest.erase(first, first + static_cast<std::ptrdiff_t>(count));
  SF_TRY(const bool as_they_are, accept(best->faults, rest));
  if (as_they_are) return true;
  if (at == rest.size()) return false;
  SF_TRY(const bool moved, try_places(best->faults, rest, at));
  return moved && best->preemptions.size() < before;
}

// A preemption moves all ticks after it, so plain delta debugging would meet other programs than it
// thinks at each step. Races need few preemptions and the last one is among them: so the end is cut
// off first, then the last one, two, … kFew are tried alone, at their old places in the program.
// What still has more is thinned out block by block.
Result<void> Shrinker::shrink_preemptions() {
  if (best->preemptions.empty()) return {};
  SF_TRY(const bool none_needed, drop_all());
  if (none_needed) return {};
  SF_TRY_VOID(cut_end());
  for (std::size_t count = 1; count <= kFew && count < best->preemptions.size(); ++count) {
    SF_TRY(const bool enough, keep_last(count));
    if (enough) break;
  }
  return thin_out(
      [this] { return best->preemptions.size(); },
      [this](std::size_t at, std::size_t count) { return drop_preemptions(at, count); });
}

// A race needs no fault; but without one everything is elsewhere, so the preemptions look again.
Result<void> Shrinker::drop_all_faults() {
  if (best->faults.empty() || best->preemptions.empty()) return {};
  if (best->preemptions.size() > kFew) return {};
  const Preemptions list = best->preemptions;
  SF_TRY([[maybe_unused]] const bool dropped, try_places({}, list, 0));
  return {};
}

}  // namespace

Result<ShrinkResult> shrink(const world::World& world, const world::RunSpec& original,
                            const std::function<void(const ShrinkProgress&)>& progress) {
  return shrink_with([&world](const world::RunSpec& spec) { return world::run(world, spec); },
                     original, progress);
}

Result<ShrinkResult> shrink_with(const RunFunction& run, const world::RunSpec& spec,
                                 const std::function<void(const ShrinkProgress&)>& progress) {
  const std::string name =
      spec.image ? fmt::format("seed {} image {}", spec.seed, fault::to_string(*spec.image))
                 : fmt::format("seed {}", spec.seed);
  SF_TRY(const world::RunResult original, run(spec));
  if (original.findings.empty()) {
    return usage_error("", name + " is clean: there is nothing to shrink",
                       "`seedfall run -seeds A-B` finds failing seeds");
  }
  Shrinker shrinker(run, spec.seed, original.findings.front().fingerprint, progress);
  SF_TRY(const bool replays, shrinker.accept(original.faults, original.preemptions));
  if (!replays) {
    return cannot_run("", fmt::format("the faults and preemptions of {}, replayed as a list, do "
                                      "not give its finding", name),
                      "`seedfall run -check` tells whether the programs are deterministic");
  }
  SF_TRY_VOID(shrinker.shrink_preemptions());
  SF_TRY_VOID(shrinker.drop_all_faults());
  SF_TRY_VOID(shrinker.shrink_faults());
  // With fewer faults, fewer preemptions may do.
  SF_TRY_VOID(shrinker.shrink_preemptions());
  SF_TRY_VOID(shrinker.simplify_losses());
  ShrinkResult result;
  result.faults_before = original.faults.size();
  result.preemptions_before = original.preemptions.size();
  result.runs = shrinker.runs;
  result.result = *std::move(shrinker.best);
  result.faults = result.result.faults;
  result.preemptions = result.result.preemptions;
  result.finding = result.result.findings.front();
  return result;
}

}  // namespace sf::search
