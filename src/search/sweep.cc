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

SeedOutcome outcome_of_reply(const host::WorkerPool::Reply& reply) {
  SeedOutcome outcome;
  outcome.seed = seed_of(reply.task);
  outcome.kind = OutcomeKind::kBroken;
  if (reply.died) {
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

void add_finding(SweepResult& result, const SeedOutcome& outcome) {
  ++result.failing;
  if (result.lowest_failing.empty()) result.lowest_failing.push_back(outcome);
  for (FindingGroup& group : result.groups) {
    if (group.sample.fingerprint != outcome.finding->fingerprint) continue;
    ++group.seeds;
    return;
  }
  result.groups.push_back(FindingGroup{*outcome.finding,
                                       kernel::generalised(outcome.finding->message), 1,
                                       outcome.seed});
}

void add_counts(SweepResult& result, const SeedOutcome& outcome) {
  for (const auto& [key, count] : outcome.evidence) result.evidence[key] += count;
  for (const auto& [identity, count] : outcome.properties) {
    auto& total = result.properties[identity];
    if (total.count.held + total.count.not_held == 0) {
      total.count.kind = count.kind;
      total.count.message = count.message;
      total.count.site = count.site;
    }
    total.count.held += count.held;
    total.count.not_held += count.not_held;
    total.seeds_held += count.held > 0 ? 1 : 0;
  }
  result.simulated_seconds += static_cast<double>(outcome.end_ns) / 1e9;
  result.cpu_seconds += outcome.cpu_seconds;
  result.hash = mix_into(mix_into(result.hash, outcome.seed), outcome.hash);
}

// In the order of seeds, so that the result does not depend on who finished first.
SweepResult put_together(const SweepOptions& options,
                         const std::map<std::uint64_t, SeedOutcome>& outcomes) {
  SweepResult result;
  result.seeds = options.seeds;
  result.completed = outcomes.size();
  for (const auto& [seed, outcome] : outcomes) {
    switch (outcome.kind) {
      case OutcomeKind::kClean: ++result.clean; break;
      case OutcomeKind::kFinding: add_finding(result, outcome); break;
      case OutcomeKind::kNondeterminism:
        ++result.nondeterministic;
        result.troubles.push_back(outcome);
        break;
      case OutcomeKind::kBroken:
        ++result.broken;
        result.troubles.push_back(outcome);
        break;
    }
    add_counts(result, outcome);
  }
  return result;
}

}  // namespace

Result<SweepResult> sweep(const world::World& world, const SweepOptions& options,
                          const std::function<void(const SweepProgress&)>& progress) {
  SF_CHECK(options.seeds.from <= options.seeds.to);
  const auto work = [&](const std::string& task) {
    const std::uint64_t seed = seed_of(task);
    const bool twice = options.check || seed % kSelfCheckEvery == 0;
    return to_json(twice ? check_seed(world, seed, options.keep_going)
                         : run_seed(world, seed, options.keep_going))
        .dump();
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
      SeedOutcome outcome = outcome_of_reply(*reply);
      ++state.done;
      if (outcome.kind != OutcomeKind::kClean) {
        ++state.failing;
        state.lowest_failing =
            std::min(state.lowest_failing.value_or(outcome.seed), outcome.seed);
      }
      const std::uint64_t seed = outcome.seed;
      outcomes.emplace(seed, std::move(outcome));
    }
    if (progress) progress(state);
  }
  SweepResult result = put_together(options, outcomes);
  result.interrupted = result.completed < state.total;
  result.resume_from = options.seeds.from;
  while (outcomes.contains(result.resume_from)) ++result.resume_from;
  return result;
}

}  // namespace sf::search
