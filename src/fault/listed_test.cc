// Replay of a recorded list: the planner off gives the same run, to the last record.
//
// Method: scripted servers and clients under a lively planner; what fired is replayed as a list,
// also after a round trip through JSON, and the trace hashes must be equal. Controls drop or move
// one fault.
#include "fault/listed.h"

#include <gtest/gtest.h>

#include "fault/fault_world_test_util.h"

namespace sf::fault::testing {
namespace {

FaultRates lively() {
  FaultRates rates;
  rates.power = Rate{milliseconds(150)};
  rates.kill = Rate{milliseconds(200)};
  rates.partition = Rate{milliseconds(300)};
  rates.power_on_io = Odds::ratio(1, 80);
  rates.torn_writes = Odds::ratio(1, 2);
  rates.power_all = Rate{milliseconds(900)};
  rates.crash_in_recovery = Odds::ratio(1, 4);
  rates.sync_error = Odds::ratio(1, 20);
  rates.write_error = Odds::ratio(1, 60);
  rates.read_error = Odds::ratio(1, 60);
  rates.short_write = Odds::ratio(1, 30);
  rates.disk_full = Rate{milliseconds(900)};
  rates.no_descriptors = Rate{milliseconds(900)};
  rates.disk_stall = Rate{milliseconds(900)};
  rates.evict = Rate{milliseconds(300)};
  rates.bit_rot = Rate{milliseconds(400)};
  rates.restart_after = milliseconds(10);
  return rates;
}

std::vector<NodeDef> world(std::uint64_t seed) {
  return {
      supervised("server", log_server),
      service("writer", [](ScriptedGuest& g) { return writer(g, milliseconds(4)); }),
      workload("client", [seed](ScriptedGuest& g) { return log_client(g, 100, seed % 2 == 0); })};
}

Ran planned(std::uint64_t seed) {
  Planner planner(lively(), {});
  return run_with(planner, world(seed), seed, test_settings(seconds(1)));
}
Ran replayed(std::uint64_t seed, std::vector<Fault> faults) {
  ListedFaults listed(std::move(faults));
  return run_with(listed, world(seed), seed, test_settings(seconds(1)));
}
std::vector<Fault> through_json(const std::vector<Fault>& faults) {
  std::vector<Fault> out;
  for (const Fault& fault : faults) {
    const auto json = parse_json(to_json(fault).dump(), "test");
    SF_CHECK(json.has_value());
    auto read = fault_from_json(*json, "$");
    SF_CHECK_MSG(read.has_value(), read ? "" : read.error().text());
    out.push_back(*std::move(read));
  }
  return out;
}

constexpr std::uint64_t kSeeds = 80;

TEST(ListedFaults, ReplayingWhatFiredGivesTheSameTrace) {
  std::map<FaultKind, std::uint64_t> kinds;
  std::uint64_t inside_sync = 0, torn = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Ran original = planned(seed);
    const Ran replay = replayed(seed, through_json(original.fired));
    ASSERT_EQ(text_of(original.fired), text_of(replay.fired)) << "seed " << seed;
    ASSERT_EQ(original.hash, replay.hash) << "seed " << seed;
    for (const Fault& fault : original.fired) {
      ++kinds[fault.kind];
      inside_sync += fault.inside_sync.has_value();
      torn += fault.survivors && fault.survivors->torn_bytes > 0;
    }
  }
  EXPECT_GT(kinds[FaultKind::kPower], kSeeds);
  EXPECT_GT(kinds[FaultKind::kKill], kSeeds);
  EXPECT_GT(kinds[FaultKind::kPartition], kSeeds);
  for (int kind = 0; kind <= static_cast<int>(FaultKind::kBitRot); ++kind) {
    EXPECT_GT(kinds[static_cast<FaultKind>(kind)], 5U) << kind_word(static_cast<FaultKind>(kind));
  }
  EXPECT_GT(inside_sync, 20U);
  EXPECT_GT(torn, 5U);
}

TEST(ListedFaults, NegativeControlALostOrMovedFaultChangesTheTrace) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Ran original = planned(seed);
    for (std::size_t i = 0; i < original.fired.size(); ++i) {
      auto fewer = original.fired;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_NE(replayed(seed, fewer).hash, original.hash) << original.fired[i].id;
    }
    auto moved = original.fired;
    const auto timed = std::find_if(moved.begin(), moved.end(),
                                    [](const Fault& fault) { return !fault.operation; });
    if (timed == moved.end()) continue;
    timed->time += nanoseconds(1);
    EXPECT_NE(replayed(seed, moved).hash, original.hash);
  }
}

// Dropping a fault of the schedule leaves everything before it, and replays again to itself.
TEST(ListedFaults, DroppingOneFaultKeepsThePastAndReplaysAgain) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Ran original = planned(seed);
    ASSERT_GT(original.fired.size(), 4U);
    const std::size_t i = original.fired.size() / 2;
    auto fewer = original.fired;
    const SimTime moment = fewer[i].time;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const Ran without = replayed(seed, fewer);
    for (std::size_t k = 0; k < original.records.size() && original.records[k].time < moment; ++k) {
      ASSERT_EQ(original.records[k].payload, without.records[k].payload) << "seed " << seed;
    }
    EXPECT_LE(without.fired.size(), fewer.size());
    EXPECT_EQ(replayed(seed, without.fired).hash, without.hash) << "seed " << seed;
  }
}

TEST(ListedFaults, AnEmptyListBreaksNothing) {
  const Ran ran = replayed(1, {});
  EXPECT_EQ(ran.evidence.power_losses + ran.evidence.kills + ran.evidence.partitions, 0U);
}

TEST(ListedFaults, ATriggerThatIsNotReachedDoesNotFire) {
  Fault never;
  never.id = "power/server/1#x";
  never.target = "server";
  never.incarnation = 1;
  never.operation = OpTrigger{1'000'000, Phase::kInside, DiskOp::kSync};
  Fault unknown = never;
  unknown.target = "nobody";
  Fault other_incarnation = never;
  other_incarnation.operation.reset();
  other_incarnation.incarnation = 7;
  other_incarnation.time = SimTime(1'000'000);
  const Ran ran = replayed(1, {never, unknown, other_incarnation});
  EXPECT_EQ(ran.fired.size(), 0U);
  EXPECT_EQ(ran.hash, replayed(1, {}).hash);
}

// ---- kNearest

// One node that writes and syncs in turn, one operation each 10 ms: open at 0, write 10, fsync 20,
// …
std::vector<NodeDef> metronome() {
  NodeDef node = service("server", [](ScriptedGuest& g) -> Script {
    if (g.process().incarnation() > 1) co_await g.wait_forever();
    File log;
    co_await g.open("/log", &log, true);
    for (std::int64_t i = 1;; i += 2) {
      co_await g.sleep_until(SimTime(i * 10'000'000));
      co_await g.write(log, "x");
      co_await g.sleep_until(SimTime((i + 1) * 10'000'000));
      co_await g.fsync(log);
    }
  });
  node.spec.sync_time = kernel::Spread{.low = milliseconds(1), .high = milliseconds(1)};
  std::vector<NodeDef> defs;
  defs.push_back(std::move(node));
  defs.push_back(timer(milliseconds(500)));
  return defs;
}
Fault nearest(SimTime time, DiskOp op, std::uint32_t skip = 0) {
  Fault fault;
  fault.id = "kill/server/3#t1";
  fault.kind = FaultKind::kKill;
  fault.target = "server";
  fault.incarnation = 3;   // of the recorded run; here it is the first
  fault.time = time;
  fault.operation = OpTrigger{99, Phase::kBefore, op};
  fault.aim = Aim::kNearest;
  fault.skip = skip;
  fault.restart_after = milliseconds(1);
  return fault;
}
std::int64_t struck_at_ms(const Fault& fault) {
  ListedFaults listed({fault});
  const Ran ran = run_with(listed, metronome(), 1);
  return ran.fired.empty() ? -1 : ran.fired[0].time.ns() / 1'000'000;
}

TEST(ListedFaults, NearestStrikesAtTheFirstOperationOfItsSortAtOrAfterItsTime) {
  EXPECT_EQ(struck_at_ms(nearest(SimTime(33'000'000), DiskOp::kWrite)), 50);
  EXPECT_EQ(struck_at_ms(nearest(SimTime(33'000'000), DiskOp::kSync)), 40);
  EXPECT_EQ(struck_at_ms(nearest(SimTime(0), DiskOp::kOpen)), 0);
}

TEST(ListedFaults, NearestLetsSkipOperationsPass) {
  EXPECT_EQ(struck_at_ms(nearest(SimTime(33'000'000), DiskOp::kWrite, 1)), 70);
}

TEST(ListedFaults, NearestStrikesWithoutAnOperationWhenNoneCameInFiftyMilliseconds) {
  EXPECT_EQ(struck_at_ms(nearest(SimTime(1'000'000), DiskOp::kOpen)), 51);
  EXPECT_EQ(struck_at_ms(nearest(SimTime(33'000'000), DiskOp::kWrite, 9)), 83);
}

TEST(ListedFaults, NearestWithoutAnOperationStrikesAtItsTime) {
  Fault fault = nearest(SimTime(33'000'000), DiskOp::kWrite);
  fault.operation.reset();
  EXPECT_EQ(struck_at_ms(fault), 33);
}

TEST(ListedFaults, NearestPrefersAMomentWithAsMuchPendingButNotForEver) {
  Fault fault = nearest(SimTime(33'000'000), DiskOp::kWrite);
  fault.kind = FaultKind::kPower;
  fault.survivors = kernel::disk::Survivors{.kept = 0, .pending = 1};
  EXPECT_EQ(struck_at_ms(fault), 50);
  fault.survivors->pending = 50;      // never that much here: after 25 ms any write will do
  EXPECT_EQ(struck_at_ms(fault), 70);
}

TEST(ListedFaults, WhatFiredByNearestIsRecordedWithAnExactTrigger) {
  ListedFaults listed({nearest(SimTime(33'000'000), DiskOp::kWrite)});
  const Ran ran = run_with(listed, metronome(), 1);
  ASSERT_EQ(ran.fired.size(), 1U);
  EXPECT_EQ(ran.fired[0].aim, Aim::kExact);
  EXPECT_EQ(ran.fired[0].incarnation, 1U);
  EXPECT_EQ(ran.fired[0].operation->ordinal, 6U);
  ListedFaults exact(ran.fired);
  EXPECT_EQ(run_with(exact, metronome(), 1).hash, ran.hash);
}

}  // namespace
}  // namespace sf::fault::testing
