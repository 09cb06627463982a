#include "search/site_sweep.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/host/terminal.h"
#include "base/host/worker_pool.h"
#include "base/strings.h"
#include "search/branching.h"

namespace sf::search {
namespace {

constexpr int kSitePollMilliseconds = 200;
// Operations per task: enough that the task's own run up to them does not count, few enough that
// all workers end at about the same time.
constexpr std::uint64_t kTaskOperationsMin = 4;
constexpr std::uint64_t kTaskOperationsMax = 64;
constexpr std::uint64_t kTasksPerWorker = 8;

// "seed from to"; from 0: count the operations.
struct Task {
  std::uint64_t seed = 0;
  fault::SiteRange range{0, 0};

  bool counts() const { return range.from == 0; }
  std::string text() const { return fmt::format("{} {} {}", seed, range.from, range.to); }
  static Task of(const std::string& text) {
    const auto words = split(text, ' ');
    SF_CHECK(words.size() == 3);
    const auto number = [](std::string_view word) {
      std::uint64_t value = 0;
      std::from_chars(word.data(), word.data() + word.size(), value);
      return value;
    };
    return Task{number(words[0]), {number(words[1]), number(words[2])}};
  }
};

std::string work(const world::World& world, const SiteOptions& options, const Task& task) {
  world::RunSpec spec;
  spec.seed = task.seed;
  spec.keep_going = options.keep_going;
  trace::HashSink trace;
  SeedOutcome outcome =
      run_branching(world, spec, BranchOptions{options.images, task.range}, trace);
  if (options.check) {
    for (SeedOutcome& site : outcome.branches) {
      for (SeedOutcome& image : site.branches) image = check_branch(world, spec, std::move(image));
      site = check_branch(world, spec, std::move(site));
    }
  }
  drop_faults_of_clean(outcome);
  return to_json(outcome).dump();
}

// What is known of one seed.
struct SeedState {
  bool counted = false;
  SeedOutcome alone;                               // the run that counted
  std::uint64_t operations = 0;
  std::uint64_t operations_given = 0;              // to workers
  std::uint64_t operations_done = 0;
  std::map<std::uint64_t, SeedOutcome> parts;      // by first operation

  bool complete() const { return counted && operations_done == operations; }
};

class SiteSweep {
 public:
  SiteSweep(const SiteOptions& options, const std::function<void(const SiteProgress&)>& progress)
      : options_(options), progress_(progress), next_seed_(options.seeds.from) {}

  // The sites of seeds that are counted come before the next seed, so that the lowest seed is done
  // first. Nothing when all tasks are given or wait for a count.
  std::optional<Task> next_task() {
    for (auto& [seed, state] : states_) {
      if (!state.counted || state.operations_given == state.operations) continue;
      const std::uint64_t share = state.operations / (options_.workers * kTasksPerWorker) + 1;
      const std::uint64_t size = std::clamp(share, kTaskOperationsMin, kTaskOperationsMax);
      const std::uint64_t from = state.operations_given + 1;
      state.operations_given = std::min(state.operations, state.operations_given + size);
      return Task{seed, {from, state.operations_given}};
    }
    if (all_started_) return std::nullopt;
    const std::uint64_t seed = next_seed_++;
    all_started_ = seed == options_.seeds.to;
    states_[seed];
    return Task{seed, {0, 0}};
  }

  Result<void> take(const host::WorkerPool::Reply& reply) {
    const Task task = Task::of(reply.task);
    SeedState& state = states_.at(task.seed);
    SeedOutcome outcome = outcome_of_reply(reply, task.seed);
    if (task.counts()) return count(state, std::move(outcome));
    state.operations_done += task.range.to - task.range.from + 1;
    now_.operations_done += task.range.to - task.range.from + 1;
    now_.tried += outcome.branches.size();
    for (const SeedOutcome& site : outcome.branches) {
      now_.failing += site.kind == OutcomeKind::kFinding ? 1 : 0;
    }
    state.parts.emplace(task.range.from, std::move(outcome));
    return {};
  }

  void tell() const {
    if (progress_) progress_(now_);
  }

  SiteResult result() const {
    SiteResult result;
    result.seeds = options_.seeds;
    for (const auto& [seed, state] : states_) add_seed(result, state);
    result.resume_from = options_.seeds.from;
    for (const auto& [seed, state] : states_) {
      if (!state.complete()) break;
      result.resume_from = seed + 1;
    }
    result.interrupted =
        result.seeds_completed < options_.seeds.to - options_.seeds.from + 1;
    if (options_.images > 1) result.tally.evidence["image"] = result.images;
    return result;
  }

 private:
  Result<void> count(SeedState& state, SeedOutcome outcome) {
    state.counted = true;
    ++now_.seeds_counted;
    const bool usable = outcome.kind == OutcomeKind::kClean;
    if (usable && outcome.site_operations == 0) {
      return usage_error("", fmt::format("-sites: no service of this world does a disk operation "
                                         "while faults are allowed (seed {}): there is nowhere to "
                                         "crash", outcome.seed),
                         "faults.from, faults.until, SetupComplete and QuietFor say when they are");
    }
    if (usable && outcome.site_operations > kSiteOperationsMax) {
      return usage_error("", fmt::format("-sites: seed {} does {} disk operations, more than {}",
                                         outcome.seed, with_thousands(outcome.site_operations),
                                         with_thousands(kSiteOperationsMax)),
                         "shorten the workload, or narrow faults.from and faults.until");
    }
    // Crashes in a run that fails without them would say nothing.
    if (usable) state.operations = outcome.site_operations;
    now_.operations_known += state.operations;
    state.alone = std::move(outcome);
    return {};
  }

  void add_seed(SiteResult& result, const SeedState& state) const {
    if (!state.counted) return;
    if (state.complete()) ++result.seeds_completed;
    if (state.alone.kind == OutcomeKind::kFinding) {
      result.faultless.push_back(state.alone);
    } else if (state.alone.kind != OutcomeKind::kClean) {
      result.troubles.push_back(state.alone);
    }
    result.operations += state.operations_done;
    SeedOutcome all;              // the crashed runs of the seed, and nothing of its own
    for (const auto& [from, part] : state.parts) {
      if (part.kind == OutcomeKind::kBroken) {
        result.troubles.push_back(part);
        continue;
      }
      if (part.hash != state.alone.hash) result.troubles.push_back(differing(state.alone, part));
      all.branches.insert(all.branches.end(), part.branches.begin(), part.branches.end());
    }
    for (const SeedOutcome& site : all.branches) add_site(result, site);
    result.tally.add(all);
  }

  static SeedOutcome differing(const SeedOutcome& alone, const SeedOutcome& part) {
    SeedOutcome outcome;
    outcome.seed = alone.seed;
    outcome.kind = OutcomeKind::kNondeterminism;
    outcome.trouble = fmt::format("the run without faults has trace hash {:016x}, a repetition "
                                  "{:016x}\n", alone.hash, part.hash);
    return outcome;
  }

  static void add_site(SiteResult& result, const SeedOutcome& site) {
    const bool power = site.site->kind == kernel::FaultKind::kPower;
    if (site.kind == OutcomeKind::kRepeated) {
      ++result.repeated;
    } else if (site.crash_key == 0 && site.kind != OutcomeKind::kBroken) {
      ++result.spared;
    } else {
      ++(power ? result.power : result.kill);
      result.images += power ? 1 : 0;
      add_run(result, site);
    }
    for (const SeedOutcome& image : site.branches) {
      if (image.kind == OutcomeKind::kRepeated) continue;
      ++result.images;
      add_run(result, image);
    }
  }

  static void add_run(SiteResult& result, const SeedOutcome& run) {
    result.hash = mix_into(result.hash, run.hash);
    if (run.kind == OutcomeKind::kFinding) {
      ++result.failing;
      if (result.lowest_failing.empty()) {
        result.lowest_failing.push_back(run);
        result.lowest_failing.back().branches.clear();
      }
      add_to_groups(result.groups, run);
    } else if (run.kind == OutcomeKind::kBroken || run.kind == OutcomeKind::kNondeterminism) {
      result.troubles.push_back(run);
    }
  }

  const SiteOptions& options_;
  const std::function<void(const SiteProgress&)>& progress_;
  std::map<std::uint64_t, SeedState> states_;
  std::uint64_t next_seed_;
  bool all_started_ = false;
  SiteProgress now_;
};

}  // namespace

Result<SiteResult> site_sweep(const world::World& world, const SiteOptions& options,
                              const std::function<void(const SiteProgress&)>& progress) {
  SF_CHECK(options.seeds.from <= options.seeds.to);
  SF_CHECK(options.images >= 1 && options.images <= kImagesMax);
  SF_TRY(host::WorkerPool pool,
         host::WorkerPool::start(options.workers, [&](const std::string& task) {
           return work(world, options, Task::of(task));
         }));
  SiteSweep sweep(options, progress);
  std::optional<Task> next = sweep.next_task();
  while (!host::interrupted() && (next || pool.any_busy())) {
    while (next && pool.has_idle()) {
      SF_TRY_VOID(pool.submit(next->text()));
      next = sweep.next_task();
    }
    SF_TRY(const auto reply, pool.wait(kSitePollMilliseconds));
    if (reply) SF_TRY_VOID(sweep.take(*reply));
    if (!next) next = sweep.next_task();
    sweep.tell();
  }
  return sweep.result();
}

std::string site_word(const SeedOutcome& run) {
  SF_CHECK(run.site.has_value());
  std::string word =
      fmt::format("{}-{}-{}", run.site->operation, fault::kind_word(run.site->kind),
                  kernel::phase_name(run.site->phase));
  if (run.image) word += "-image-" + fault::to_string(*run.image);
  return word;
}

}  // namespace sf::search
