// Whole runs of a real Go program: tests/guests/ring, three nodes that pass tokens over the network
// and write each to their disks, with every fault of this stage.
#include "world/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/host/file.h"
#include "engine/compile.h"
#include "world/world.h"

namespace sf::world {
namespace {

using ::testing::HasSubstr;

constexpr const char* kConfig = R"({{
  "name": "ring",
  "nodes": [{{"name": "ring", "pkg": "{0}", "args": ["node"], "count": 3}}],
  "workload": {{"name": "driver", "pkg": "{0}", "args": ["driver"{1}]}},
  "horizon": "10s",
  "faults": {{"crash_per_sec": 1, "crash_on_io": 0.003, "kill_per_sec": 0.5,
             "partition_per_sec": 0.7, "torn_writes": 0.5, "restart_after": "100ms"}}
}})";

// One world per kind and process: building it is what takes time.
const World& make_world(const char* driver_argument) {
  const std::string folder = *host::make_temporary_directory("sf-run-test-");
  const std::string path = folder + "/ring.json";
  const std::string guest = SEEDFALL_SOURCE_DIR "/tests/guests/ring";
  EXPECT_TRUE(host::write_file(path, fmt::format(kConfig, guest, driver_argument)));
  auto config = load_config(path);
  if (!config) ADD_FAILURE() << config.error().text();
  auto world = World::prepare(*config, {});
  if (!world) ADD_FAILURE() << world.error().text();
  EXPECT_TRUE(host::remove_tree(folder));
  return *world->release();
}
const World& world() {
  static const World& kWorld = make_world("");
  return kWorld;
}

struct Traced {
  RunResult result;
  std::vector<kernel::Record> records;
};

Traced traced(const RunSpec& spec) {
  trace::MemorySink sink(256ULL << 20);
  auto result = run(world(), spec, sink);
  if (!result) {
    ADD_FAILURE() << result.error().text();
    return {};
  }
  EXPECT_FALSE(sink.full());
  EXPECT_EQ(sink.records().size(), result->steps);
  return {*std::move(result), sink.records()};
}

std::uint64_t hash_of(const RunSpec& spec) {
  const auto result = run(world(), spec);
  EXPECT_TRUE(result) << result.error().text();
  return result ? result->hash : 0;
}

RunSpec seed(std::uint64_t number) {
  RunSpec spec;
  spec.seed = number;
  return spec;
}

// Goal: the list of faults that a planned run hands out replays that run.
// Method: many seeds, planner first, then the list alone; the control drops one fault of the list.
TEST(Run, TheListOfFaultsThatFiredReplaysThePlannedRun) {
  kernel::Evidence seen;
  std::uint64_t controls = 0;
  for (std::uint64_t number = 1; number <= 30; ++number) {
    const auto planned = run(world(), seed(number));
    ASSERT_TRUE(planned) << planned.error().text();
    EXPECT_GT(planned->evidence.disk_ops, 50U);
    RunSpec listed = seed(number);
    listed.faults = planned->faults;
    EXPECT_EQ(hash_of(listed), planned->hash) << "seed " << number;
    seen.power_losses += planned->evidence.power_losses;
    seen.kills += planned->evidence.kills;
    seen.partitions += planned->evidence.partitions;
    seen.crashes_inside_io += planned->evidence.crashes_inside_io;
    if (planned->faults.empty() || controls == 5) continue;
    ++controls;
    listed.faults->pop_back();
    EXPECT_NE(hash_of(listed), planned->hash) << "control, seed " << number;
  }
  EXPECT_EQ(controls, 5U);
  EXPECT_GT(seen.power_losses, 20U);
  EXPECT_GT(seen.kills, 5U);
  EXPECT_GT(seen.partitions, 5U);
  EXPECT_GT(seen.crashes_inside_io, 5U);
}

std::vector<fault::Fault> partitions_until(const RunResult& result, SimTime until) {
  std::vector<fault::Fault> found;
  for (const fault::Fault& fault : result.faults) {
    if (fault.kind == fault::FaultKind::kPartition && fault.time < until) found.push_back(fault);
  }
  return found;
}

// Goal: a fault that is disabled by id takes nothing else away.
// Method: disable each fault of a planned run in turn. Up to its moment all records must be equal,
// and partitions, which depend on no program, must be equal to the end.
TEST(Run, DisablingOneFaultLeavesTheOthersAsTheyWere) {
  std::size_t tried = 0;
  for (std::uint64_t number = 1; number <= 6; ++number) {
    const Traced whole = traced(seed(number));
    for (const fault::Fault& fault : whole.result.faults) {
      RunSpec spec = seed(number);
      spec.disabled = {fault.id};
      const Traced without = traced(spec);
      ++tried;
      const auto differs = trace::first_difference(whole.records, without.records);
      ASSERT_TRUE(differs) << fault.id << " made no difference";
      EXPECT_GE(whole.records.at(*differs).time, fault.time) << fault.id;
      for (const fault::Fault& other : without.result.faults) EXPECT_NE(other.id, fault.id);
      if (fault.kind == fault::FaultKind::kPartition) continue;
      const SimTime end = std::min(whole.result.end_time, without.result.end_time);
      const auto before = partitions_until(whole.result, end);
      const auto after = partitions_until(without.result, end);
      ASSERT_EQ(before.size(), after.size()) << fault.id;
      for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(before[i].id, after[i].id);
        EXPECT_EQ(before[i].time, after[i].time);
        EXPECT_EQ(before[i].links, after[i].links);
      }
    }
  }
  EXPECT_GT(tried, 12U);
}

TEST(Run, DisablingAnUnknownFaultChangesNothing) {
  RunSpec spec = seed(3);
  spec.disabled = {"power/ring-1/99#1"};
  EXPECT_EQ(hash_of(spec), hash_of(seed(3)));
}

TEST(Run, SteppingDoesNotChangeARun) {
  trace::HashSink sink;
  auto stepped = Run::start(world(), seed(4), sink);
  ASSERT_TRUE(stepped) << stepped.error().text();
  SimTime until;
  while ((*stepped)->advance(until)) until += microseconds(777);
  EXPECT_FALSE((*stepped)->advance(SimTime::never())) << "a run ends once";
  const auto result = (*stepped)->finish();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->hash, hash_of(seed(4)));
}

// Runs to `cut`, forks, and lets both sides finish: the child's hash and the parent's.
std::pair<std::uint64_t, std::uint64_t> fork_at(SimTime cut) {
  trace::HashSink sink;
  auto started = Run::start(world(), seed(5), sink);
  EXPECT_TRUE(started);
  EXPECT_TRUE((*started)->advance(cut)) << "the run ended before the cut";
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  const auto result = (*started)->finish();
  const std::uint64_t hash = result ? result->hash : 0;
  if (child == 0) {
    const bool told = ::write(ends[1], &hash, sizeof hash) == sizeof hash;
    ::_exit(told ? 0 : 1);
  }
  std::uint64_t childs = 0;
  EXPECT_EQ(::read(ends[0], &childs, sizeof childs), static_cast<ssize_t>(sizeof childs));
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return {childs, hash};
}

// Goal: fork() clones a running world, programs inside host calls and all.
TEST(Run, BothSidesOfAForkGoOnAlike) {
  const std::uint64_t whole = hash_of(seed(5));
  for (const std::int64_t ms : {0, 1, 137, 500, 1111}) {
    const auto [child, parent] = fork_at(SimTime::zero() + milliseconds(ms));
    EXPECT_EQ(child, whole) << "child, cut at " << ms << " ms";
    EXPECT_EQ(parent, whole) << "parent, cut at " << ms << " ms";
  }
}

constexpr SimTime kBranch = SimTime::zero() + milliseconds(600);

RunSpec branched(std::uint64_t root) {
  RunSpec spec = seed(6);
  spec.reseeds = {Reseed{kBranch, root}};
  return spec;
}

TEST(Run, AReseedChangesOnlyWhatComesAfterIt) {
  const Traced trunk = traced(seed(6));
  const Traced one = traced(branched(1001));
  const Traced two = traced(branched(1002));
  EXPECT_EQ(hash_of(branched(1001)), one.result.hash) << "a branch is repeatable";
  EXPECT_NE(one.result.hash, two.result.hash);
  for (const Traced* branch : {&one, &two}) {
    const auto differs = trace::first_difference(trunk.records, branch->records);
    ASSERT_TRUE(differs) << "the reseed made no difference";
    EXPECT_GT(trunk.records.at(*differs).time, kBranch);
  }
}

TEST(Run, AReseedByHandIsAReseedOfTheSpec) {
  trace::HashSink sink;
  auto run = Run::start(world(), seed(6), sink);
  ASSERT_TRUE(run);
  ASSERT_TRUE((*run)->advance(kBranch));
  (*run)->reseed(1001);
  const auto result = (*run)->finish();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->hash, hash_of(branched(1001)));
}

TEST(Run, AFalseAssertionEndsTheRunUnlessItKeepsGoing) {
  const World& wrong = make_world(R"(, "assert")");
  const auto stopped = run(wrong, seed(7));
  ASSERT_TRUE(stopped) << stopped.error().text();
  ASSERT_EQ(stopped->findings.size(), 1U);
  EXPECT_EQ(stopped->findings[0].kind, kernel::FindingKind::kAssertion);
  EXPECT_EQ(stopped->findings[0].message, "three hundred milliseconds never pass");
  EXPECT_THAT(stopped->findings[0].site, HasSubstr("ring/main.go:"));
  EXPECT_EQ(stopped->end, kernel::EndKind::kFinding);
  EXPECT_LT(stopped->end_time, SimTime::zero() + milliseconds(450));

  RunSpec on = seed(7);
  on.keep_going = true;
  const auto whole = run(wrong, on);
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_EQ(whole->verdict, Verdict::kFinding);
  ASSERT_FALSE(whole->findings.empty());
  EXPECT_EQ(whole->findings[0].fingerprint, stopped->findings[0].fingerprint);
  EXPECT_EQ(whole->findings[0].time, stopped->findings[0].time);
  EXPECT_EQ(whole->end, kernel::EndKind::kWorkloadDone);
  EXPECT_GT(whole->end_time, SimTime::zero() + milliseconds(1500));
  ASSERT_EQ(whole->properties.size(), 1U);
  EXPECT_EQ(whole->properties.begin()->second.not_held, 1U);
  EXPECT_EQ(whole->properties.begin()->second.held, 14U);
}

}  // namespace
}  // namespace sf::world

// Replaces that of gtest_main for all tests of this room: compile_program starts the program again
// as its compiler.
int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "internal-compile") {
    return sf::engine::internal_compile(std::vector<std::string>(argv + 2, argv + argc));
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
