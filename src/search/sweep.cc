#include "search/sweep.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/host/terminal.h"
#include "base/host/worker_pool.h"
#include "kernel/finding.h"
#include "search/check.h"

namespace sf::search {
namespace {

constexpr int kPollMilliseconds = 200;

std::uint64_t seed_of(const std::string& task) {
  std::uint64_t seed = 0;
  std::from_chars(task.data(), task.data() + task.size(), seed);
  return seed;
}

// The worst of a seed's own run and its branches.
OutcomeKind kind_of(const SeedOutcome& seed) {
  const auto any = [&](OutcomeKind kind) {
    return seed.kind == kind || std::any_of(seed.branches.begin(), seed.branches.end(),
                                            [&](const auto& run) { return run.kind == kind; });
  };
  for (const OutcomeKind kind :
       {OutcomeKind::kNondeterminism, OutcomeKind::kBroken, OutcomeKind::kFinding}) {
    if (any(kind)) return kind;
  }
  return OutcomeKind::kClean;
}

void add_run(SweepResult& result, const SeedOutcome& run) {
  switch (run.kind) {
    case OutcomeKind::kClean:
    case OutcomeKind::kRepeated:
      return;
    case OutcomeKind::kFinding:
      if (run.image) ++result.failing_images;
      if (result.lowest_failing.empty()) {
        result.lowest_failing.push_back(run);
        result.lowest_failing.back().branches.clear();
      }
      return add_to_groups(result.groups, run);
    case OutcomeKind::kNondeterminism:
    case OutcomeKind::kBroken:
      result.troubles.push_back(run);
      result.troubles.back().branches.clear();
      return;
  }
}

void add_seed(SweepResult& result, const SeedOutcome& seed) {
  switch (kind_of(seed)) {
    case OutcomeKind::kClean: ++result.clean; break;
    case OutcomeKind::kFinding: ++result.failing; break;
    case OutcomeKind::kNondeterminism: ++result.nondeterministic; break;
    case OutcomeKind::kBroken: ++result.broken; break;
    case OutcomeKind::kRepeated: SF_CHECK_MSG(false, "a seed repeats nothing");
  }
  add_run(result, seed);
  result.hash = mix_into(mix_into(result.hash, seed.seed), seed.hash);
  for (const SeedOutcome& branch : seed.branches) {
    add_run(result, branch);
    result.hash = mix_into(result.hash, branch.hash);
  }
}

// Of a seed's own power losses and those that were branched off.
std::uint64_t images_of(const SeedOutcome& seed) {
  const auto own = seed.evidence.find("crash");
  return seed.branches.size() + (own == seed.evidence.end() ? 0 : own->second);
}

}  // namespace

SeedOutcome outcome_of_reply(const host::WorkerPool::Reply& reply, std::uint64_t seed) {
  if (reply.died) {
    SeedOutcome outcome;
    outcome.seed = seed;
    outcome.kind = OutcomeKind::kBroken;
    // Nothing of ours sends that signal.
    const bool from_outside = reply.text.find("signal 9 ") != std::string::npos;
    outcome.trouble = "the worker process was " + reply.text +
                      (from_outside ? "; somebody killed it, perhaps for want of memory"
                                    : "; this is a bug in seedfall (its message is above)");
    return outcome;
  }
  const auto json = parse_json(reply.text, "worker");
  SF_CHECK_MSG(json.has_value(), json ? "" : json.error().text());
  auto read = outcome_from_json(*json);
  SF_CHECK_MSG(read.has_value(), read ? "" : read.error().text());
  return *std::move(read);
}

SweepResult put_together(const SweepOptions& options,
                         const std::map<std::uint64_t, SeedOutcome>& outcomes) {
  SweepResult result;
  result.seeds = options.seeds;
  result.completed = outcomes.size();
  for (const auto& [seed, outcome] : outcomes) {
    add_seed(result, outcome);
    result.tally.add(outcome);
    if (options.images > 1) result.images += images_of(outcome);
  }
  if (options.images > 1) result.tally.evidence["image"] = result.images;
  result.interrupted = result.completed < options.seeds.to - options.seeds.from + 1;
  result.resume_from = options.seeds.from;
  while (outcomes.contains(result.resume_from)) ++result.resume_from;
  return result;
}

Result<SweepResult> sweep(const world::World& world, const SweepOptions& options,
                          const std::function<void(const SweepProgress&)>& progress) {
  SF_CHECK(options.seeds.from <= options.seeds.to);
  SF_CHECK(options.images >= 1 && options.images <= kImagesMax);
  const auto work = [&](const std::string& task) {
    const std::uint64_t seed = seed_of(task);
    const bool twice = options.check || seed % kSelfCheckEvery == 0;
    const SeedOptions how{options.keep_going, options.images};
    const CheckDepth depth = options.check ? CheckDepth::kAllBranches : CheckDepth::kLastBranch;
    return to_json(twice ? check_seed(world, seed, how, depth) : run_seed(world, seed, how)).dump();
  };
  SF_TRY(host::WorkerPool pool, host::WorkerPool::start(options.workers, work));
  SweepProgress state;
  state.total = options.seeds.to - options.seeds.from + 1;
  std::map<std::uint64_t, SeedOutcome> outcomes;
  std::uint64_t next = options.seeds.from;
  bool all_given = false;
  while (!host::interrupted() && (!all_given || pool.any_busy())) {
    while (!all_given && pool.has_idle()) {
      SF_TRY_VOID(pool.submit(std::to_string(next)));
      all_given = next++ == options.seeds.to;
    }
    SF_TRY(const auto reply, pool.wait(kPollMilliseconds));
    if (reply) {
      SeedOutcome outcome = outcome_of_reply(*reply, seed_of(reply->task));
      ++state.done;
      if (options.images > 1) state.images += images_of(outcome);
      if (kind_of(outcome) != OutcomeKind::kClean) {
        ++state.failing;
        state.lowest_failing =
            std::min(state.lowest_failing.value_or(outcome.seed), outcome.seed);
      }
      const std::uint64_t seed = outcome.seed;
      outcomes.emplace(seed, std::move(outcome));
    }
    if (progress) progress(state);
  }
  return put_together(options, outcomes);
}

}  // namespace sf::search
