// The shrink loop without any world: runs are answered by random predicates over sets of faults.
//
// Method: the slow twin looks at all subsets of up to seven faults and lists those that are
// 1-minimal: they give the finding, and without any single fault of theirs it is gone. What shrink
// answers must be one of them; if the predicate is monotone, these are the least failing sets.
#include "search/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "kernel/choices.h"

namespace sf::search {
namespace {

using Subset = std::uint32_t;    // bit i: fault i
using kernel::Dice;

constexpr const char* kFinding = "assertion/client/lost";
constexpr const char* kOther = "exit/server/other";

fault::Fault fault_number(std::uint32_t i) {
  fault::Fault fault;
  fault.id = fmt::format("kill/server/1#t{}", i);
  fault.kind = fault::FaultKind::kKill;
  fault.target = "server";
  fault.incarnation = 1;
  fault.time = SimTime(1'000'000 * (i + 1));
  return fault;
}

std::uint32_t number_of(const fault::Fault& fault) {
  return static_cast<std::uint32_t>(fault.time.ns() / 1'000'000 - 1);
}

// Which fingerprint each subset gives: "" is clean.
struct FakeWorld {
  std::uint32_t faults = 0;
  std::vector<std::string> verdicts;          // by subset that fired
  std::vector<std::uint32_t> needs;           // fault i fires only if this one did; itself: always

  Subset fired(Subset wanted) const {
    Subset out = 0;
    for (std::uint32_t i = 0; i < faults; ++i) {
      const bool able = needs[i] == i || ((out >> needs[i]) & 1) != 0;
      if (((wanted >> i) & 1) != 0 && able) out |= 1U << i;
    }
    return out;
  }
  bool fails(Subset wanted) const { return verdicts[fired(wanted)] == kFinding; }

  Result<world::RunResult> run(const world::RunSpec& spec) const {
    Subset wanted = (1U << faults) - 1;
    if (spec.faults) {
      wanted = 0;
      for (const fault::Fault& fault : *spec.faults) wanted |= 1U << index_in(fault);
    }
    world::RunResult result;
    const Subset now = fired(wanted);
    for (std::uint32_t i = 0; i < faults; ++i) {
      if (((now >> i) & 1) != 0) result.faults.push_back(fault_number(i));
    }
    if (!verdicts[now].empty()) {
      result.verdict = world::Verdict::kFinding;
      result.findings.emplace_back();
      result.findings.back().fingerprint = verdicts[now];
    }
    return result;
  }

  // By name: a fault that is tried at an earlier moment is still the same.
  static std::uint32_t index_in(const fault::Fault& fault) {
    return static_cast<std::uint32_t>(std::stoul(fault.id.substr(fault.id.find("#t") + 2)));
  }

  std::set<Subset> minimal() const {
    std::set<Subset> out;
    for (Subset set = 0; set < (1U << faults); ++set) {
      if (fired(set) != set || !fails(set)) continue;
      bool needed = true;
      for (std::uint32_t i = 0; i < faults; ++i) {
        if (((set >> i) & 1) != 0 && fails(set & ~(1U << i))) needed = false;
      }
      if (needed) out.insert(set);
    }
    return out;
  }
};

enum class Shape { kMonotone, kAny, kDependent };

FakeWorld draw_world(Dice& dice, Shape shape) {
  FakeWorld world;
  world.faults = 1 + static_cast<std::uint32_t>(dice.below(7));
  const Subset all = (1U << world.faults) - 1;
  for (std::uint32_t i = 0; i < world.faults; ++i) {
    const bool depends = shape == Shape::kDependent && i > 0 && dice.below(3) == 0;
    world.needs.push_back(depends ? static_cast<std::uint32_t>(dice.below(i)) : i);
  }
  world.verdicts.resize(all + 1);
  if (shape == Shape::kMonotone) {
    std::vector<Subset> cores;
    for (std::uint64_t n = 1 + dice.below(3); n > 0; --n) {
      cores.push_back(static_cast<Subset>(dice.below(all + 1)));
    }
    for (Subset set = 0; set <= all; ++set) {
      const bool hit = std::any_of(cores.begin(), cores.end(),
                                   [set](Subset core) { return (core & set) == core; });
      if (hit) world.verdicts[set] = kFinding;
    }
    return world;
  }
  for (Subset set = 0; set <= all; ++set) {
    const std::uint64_t draw = dice.below(4);
    if (draw == 0) world.verdicts[set] = kFinding;
    if (draw == 1) world.verdicts[set] = kOther;
  }
  world.verdicts[all] = kFinding;
  return world;
}

Result<ShrinkResult> shrink_fake(const FakeWorld& world) {
  return shrink_with([&world](const world::RunSpec& spec) { return world.run(spec); },
                     world::RunSpec{.seed = 7}, {});
}

Subset set_of(const std::vector<fault::Fault>& faults) {
  Subset set = 0;
  for (const fault::Fault& fault : faults) set |= 1U << number_of(fault);
  return set;
}

void compare_with_all_subsets(Shape shape, std::uint64_t worlds) {
  std::uint64_t compared = 0;
  for (std::uint64_t key = 0; key < worlds; ++key) {
    Dice dice(mix64(key * 3 + static_cast<std::uint64_t>(shape)));
    const FakeWorld world = draw_world(dice, shape);
    if (!world.fails((1U << world.faults) - 1)) continue;   // some fault that it needs cannot fire
    ++compared;
    const auto shrunk = shrink_fake(world);
    ASSERT_TRUE(shrunk) << key << ": " << shrunk.error().text();
    const Subset left = set_of(shrunk->faults);
    EXPECT_TRUE(world.minimal().contains(left)) << key << ": " << left;
    EXPECT_EQ(shrunk->finding.fingerprint, kFinding);
    EXPECT_EQ(shrunk->faults_before,
              std::popcount(world.fired((1U << world.faults) - 1)));
  }
  EXPECT_GT(compared, worlds / 3);
}

TEST(ShrinkLoop, FindsALeastSetOfAMonotonePredicate) {
  compare_with_all_subsets(Shape::kMonotone, 600);
}

TEST(ShrinkLoop, FindsASetThatCannotLoseAFaultWhateverThePredicate) {
  compare_with_all_subsets(Shape::kAny, 600);
}

// Where a fault fires only after another one, the list becomes what really fired.
TEST(ShrinkLoop, FollowsFaultsThatNeedOthers) {
  compare_with_all_subsets(Shape::kDependent, 600);
}

// Negative control of the twin: a set that could lose a fault is none of its answers.
TEST(ShrinkLoop, TheTwinRefusesASetThatIsTooLarge) {
  FakeWorld world;
  world.faults = 2;
  world.needs = {0, 1};
  world.verdicts = {"", kFinding, "", kFinding};
  EXPECT_EQ(world.minimal(), std::set<Subset>{0b01});
}

TEST(ShrinkLoop, ACleanRunIsRefusedByItsName) {
  FakeWorld world;
  world.faults = 1;
  world.needs = {0};
  world.verdicts = {"", ""};
  const auto shrunk = shrink_fake(world);
  ASSERT_FALSE(shrunk);
  EXPECT_EQ(shrunk.error().code, ErrorCode::kUsage);
  EXPECT_NE(shrunk.error().text().find("seed 7 is clean"), std::string::npos);
}

TEST(ShrinkLoop, AFindingThatNeedsNoFaultShrinksToNone) {
  FakeWorld world;
  world.faults = 3;
  world.needs = {0, 1, 2};
  world.verdicts.assign(8, kFinding);
  const auto shrunk = shrink_fake(world);
  ASSERT_TRUE(shrunk);
  EXPECT_TRUE(shrunk->faults.empty());
}

// A finding that only the planner's run has: its list of faults is not the whole truth.
TEST(ShrinkLoop, AListThatDoesNotReplayIsAnError) {
  const auto run = [](const world::RunSpec& spec) -> Result<world::RunResult> {
    world::RunResult result;
    result.faults = {fault_number(0)};
    if (!spec.faults) {
      result.findings.emplace_back();
      result.findings.back().fingerprint = kFinding;
    }
    return result;
  };
  const auto shrunk =
      shrink_with(run, world::RunSpec{.seed = 7, .image = fault::ImageId{2, 3}}, {});
  ASSERT_FALSE(shrunk);
  EXPECT_EQ(shrunk.error().code, ErrorCode::kCannotRun);
  EXPECT_NE(shrunk.error().text().find("seed 7 image 2.3"), std::string::npos);
}

}  // namespace
}  // namespace sf::search
