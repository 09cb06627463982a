// The planner: faults are drawn from rates and odds, by identity, at the times the config allows.
//
// Method: scripted writers that do not know of each other, so that whatever differs between two
// runs is the planner's doing. Rates and odds are held against five standard deviations; the
// arrival times that arm a crash are computed again here from the keyed draws.
#include "fault/planner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fault/fault_world_test_util.h"

namespace sf::fault::testing {
namespace {

std::vector<NodeDef> writers(std::size_t count, Duration length, Duration pause = milliseconds(5)) {
  std::vector<NodeDef> defs;
  for (std::size_t i = 0; i < count; ++i) {
    defs.push_back(service(std::string(1, static_cast<char>('a' + i)),
                           [pause](ScriptedGuest& g) { return writer(g, pause); }));
  }
  defs.push_back(timer(length));
  return defs;
}
Rate every(Duration gap) { return Rate{gap}; }

FaultRates lively() {
  FaultRates rates;
  rates.power = every(milliseconds(80));
  rates.kill = every(milliseconds(100));
  rates.power_on_io = Odds::ratio(1, 60);
  rates.torn_writes = Odds::ratio(1, 2);
  rates.restart_after = milliseconds(10);
  return rates;
}

Ran plan(const FaultRates& rates, std::vector<NodeDef> defs, std::uint64_t seed,
         std::set<std::string> disabled = {}) {
  Planner planner(rates, std::move(disabled));
  return run_with(planner, std::move(defs), seed);
}

std::vector<Fault> select(const std::vector<Fault>& faults,
                          const std::function<bool(const Fault&)>& keep) {
  std::vector<Fault> out;
  std::copy_if(faults.begin(), faults.end(), std::back_inserter(out), keep);
  return out;
}

// ---- identity

TEST(Planner, IdentitiesAreUniqueAndSayKindTargetAndIncarnation) {
  const Ran ran = plan(lively(), writers(2, seconds(2)), 1);
  ASSERT_GT(ran.fired.size(), 30U);
  std::set<std::string> ids;
  for (const Fault& fault : ran.fired) {
    ids.insert(fault.id);
    EXPECT_TRUE(fault.id.starts_with(
        fmt::format("{}/{}/{}#", kind_word(fault.kind), fault.target, fault.incarnation)))
        << fault.id;
  }
  EXPECT_EQ(ids.size(), ran.fired.size());
}

// Disabling a fault leaves every fault of the other nodes as it was, with all parameters and
// effects, and on its own node everything before it.
TEST(Planner, DisablingOneFaultLeavesAllOthersEqual) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Ran all = plan(lively(), writers(3, milliseconds(600)), seed);
    ASSERT_GT(all.fired.size(), 10U);
    for (std::size_t i = 0; i < all.fired.size(); i += 4) {
      const Fault& dropped = all.fired[i];
      const Ran without = plan(lively(), writers(3, milliseconds(600)), seed, {dropped.id});
      const auto untouched = [&](const Fault& fault) {
        return fault.target != dropped.target || fault.time < dropped.time;
      };
      ASSERT_EQ(text_of(select(all.fired, untouched)), text_of(select(without.fired, untouched)))
          << "seed " << seed << " without " << dropped.id;
      for (const Fault& fault : without.fired) ASSERT_NE(fault.id, dropped.id);
      // Nothing in the whole trace differs before it.
      const auto first = std::mismatch(all.records.begin(), all.records.end(),
                                       without.records.begin(),
                                       [](const Record& x, const Record& y) {
                                         return x.time == y.time && x.node == y.node &&
                                                x.kind == y.kind && x.payload == y.payload &&
                                                x.result == y.result;
                                       })
                             .first;
      ASSERT_NE(first, all.records.end());
      ASSERT_GE(first->time, dropped.time);
      ++compared;
    }
  }
  EXPECT_GT(compared, 15U);
}

TEST(Planner, NegativeControlAnotherSeedPlansOtherFaults) {
  EXPECT_NE(text_of(plan(lively(), writers(2, seconds(1)), 1).fired),
            text_of(plan(lively(), writers(2, seconds(1)), 2).fired));
  EXPECT_EQ(text_of(plan(lively(), writers(2, seconds(1)), 1).fired),
            text_of(plan(lively(), writers(2, seconds(1)), 1).fired));
}

TEST(Planner, ANodeMoreDoesNotMoveTheFaultsOfTheOthers) {
  const auto not_c = [](const Fault& fault) { return fault.target != "c"; };
  EXPECT_EQ(text_of(plan(lively(), writers(2, seconds(1)), 3).fired),
            text_of(select(plan(lively(), writers(3, seconds(1)), 3).fired, not_c)));
}

// ---- how often

TEST(Planner, CrashesComeAtTheirRate) {
  FaultRates rates;
  rates.power = every(milliseconds(500));
  rates.restart_after = milliseconds(1);
  const auto crashes = [&rates](std::uint64_t seed) {
    return static_cast<double>(
        plan(rates, writers(1, seconds(200), milliseconds(40)), seed).fired.size());
  };
  // 400 in 200 s, less what waiting for an operation (at most 50 ms each) and restarts take.
  const double count = crashes(1) + crashes(2);
  EXPECT_GT(count, 800 / 1.11 - 5 * 28);
  EXPECT_LT(count, 800 + 5 * 28);
  rates.power = every(milliseconds(1000));   // control: half the rate is outside
  EXPECT_LT(crashes(1) + crashes(2), 800 / 1.11 - 5 * 28);
}

TEST(Planner, PartitionsComeAtTheirRateAndEachHeals) {
  FaultRates rates;
  rates.partition = every(seconds(1));
  const Ran ran = plan(rates,
                       {service("a", [](ScriptedGuest& g) -> Script { co_await g.wait_forever(); }),
                        service("b", [](ScriptedGuest& g) -> Script { co_await g.wait_forever(); }),
                        timer(seconds(1000))},
                       1);
  EXPECT_NEAR(static_cast<double>(ran.fired.size()), 1000, 5 * 32);
  std::multiset<std::int64_t> heals;
  for (const Record& r : ran.records) {
    if (r.kind == RecordKind::kFault && r.result == 2) heals.insert(r.time.ns());
  }
  for (const Fault& fault : ran.fired) {
    EXPECT_GE(fault.length, milliseconds(10));
    EXPECT_LE(fault.length, seconds(11));
    EXPECT_FALSE(fault.links.empty());
    EXPECT_NE(fault.target.front(), '|');
    EXPECT_NE(fault.target.back(), '|');
    if (fault.time + fault.length < ran.end) {
      EXPECT_TRUE(heals.contains((fault.time + fault.length).ns())) << fault.id;
    }
  }
}

TEST(Planner, OddsPerOperationAreTrue) {
  FaultRates rates;
  rates.power_on_io = Odds::ratio(1, 50);
  rates.restart_after = milliseconds(1);
  const Ran ran = plan(rates, writers(2, seconds(20)), 1);
  const auto operations = static_cast<double>(ran.evidence.disk_ops);
  ASSERT_GT(operations, 5'000);
  EXPECT_NEAR(static_cast<double>(ran.fired.size()), operations / 50,
              5 * std::sqrt(operations / 50));
  std::set<Phase> phases;
  for (const Fault& fault : ran.fired) {
    ASSERT_TRUE(fault.operation.has_value());
    EXPECT_EQ(fault.id.substr(fault.id.find('#')), fmt::format("#op{}", fault.operation->ordinal));
    phases.insert(fault.operation->phase);
  }
  EXPECT_EQ(phases.size(), 3U);
}

TEST(Planner, WithoutRatesNothingBreaks) {
  EXPECT_EQ(plan(FaultRates{}, writers(2, seconds(2)), 1).fired.size(), 0U);
}

// ---- when

TEST(Planner, NothingBreaksBeforeFromOrAfterUntil) {
  FaultRates rates = lively();
  rates.partition = every(milliseconds(100));
  rates.from = SimTime(500'000'000);
  rates.until = SimTime(1'000'000'000);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Ran ran = plan(rates, writers(2, seconds(2)), seed);
    ASSERT_GT(ran.fired.size(), 5U);
    for (const Fault& fault : ran.fired) {
      EXPECT_GE(fault.time, rates.from) << fault.id;
      // A strike inside or after an fsync that began before `until` may come at its end.
      const bool sync = fault.operation && fault.operation->op == DiskOp::kSync;
      EXPECT_LT(fault.time, rates.until + (sync ? milliseconds(50) : Duration(1))) << fault.id;
    }
  }
}

TEST(Planner, NothingBreaksBeforeSetupIsComplete) {
  FaultRates rates = lively();
  rates.partition = every(milliseconds(100));
  rates.wait_for_setup = true;
  const auto world = [](bool completes) {
    auto defs = writers(2, seconds(2));
    defs.push_back(service("setter", [completes](ScriptedGuest& g) -> Script {
      if (g.process().incarnation() > 1) co_await g.wait_forever();
      co_await g.sleep(milliseconds(700));
      if (completes) co_await g.setup_complete();
      co_await g.wait_forever();
    }));
    return defs;
  };
  EXPECT_EQ(plan(rates, world(false), 1).fired.size(), 0U);
  const Ran ran = plan(rates, world(true), 1);
  ASSERT_GT(ran.fired.size(), 5U);
  for (const Fault& fault : ran.fired) EXPECT_GE(fault.time, SimTime(700'000'000)) << fault.id;
}

// Windows may overlap: the shorter one asked for later does not end the longer one.
TEST(Planner, NothingBreaksInAQuietWindow) {
  FaultRates rates = lively();
  rates.partition = every(milliseconds(100));
  std::uint64_t outside = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto defs = writers(2, seconds(1));
    defs.push_back(workload("asker", [](ScriptedGuest& g) -> Script {
      co_await g.sleep_until(SimTime(300'000'000));
      co_await g.quiet_for(milliseconds(400));
      co_await g.sleep_until(SimTime(500'000'000));
      co_await g.quiet_for(milliseconds(20));
    }));
    const Ran ran = plan(rates, std::move(defs), seed);
    for (const Fault& fault : ran.fired) {
      EXPECT_FALSE(fault.time >= SimTime(301'000'000) && fault.time < SimTime(700'000'000))
          << "seed " << seed << ": " << fault.id << " at " << fault.time.ns();
      ++outside;
    }
  }
  EXPECT_GT(outside, 100U);
}

// ---- whom

TEST(Planner, ProgramsOfTheWorkloadAreNeverCrashed) {
  FaultRates rates = lively();
  rates.partition = every(milliseconds(50));
  auto defs = writers(1, seconds(2));
  defs.push_back(workload("w", [](ScriptedGuest& g) -> Script {
    File log;
    co_await g.open("/log", &log);
    for (int i = 0; i < 100; ++i) {
      co_await g.write(log, "x");
      co_await g.fsync(log);
    }
  }));
  const Ran ran = plan(rates, std::move(defs), 1);
  bool cut = false;
  for (const Fault& fault : ran.fired) {
    if (fault.kind == FaultKind::kPartition) {
      cut = cut || fault.target.find('w') != std::string::npos;
    } else {
      EXPECT_EQ(fault.target, "a");
    }
  }
  EXPECT_TRUE(cut);   // partitions cut its host like any other
}

// ---- aim

TEST(Planner, AnArmedCrashStrikesAtAnOperationOrFiftyMillisecondsLater) {
  FaultRates rates;
  rates.power = every(milliseconds(300));
  rates.restart_after = milliseconds(10);
  const std::uint64_t seed = 4;
  const Ran ran = plan(rates, writers(1, seconds(60), milliseconds(20)), seed);
  std::vector<SimTime> boots{SimTime()};
  for (const Record& r : ran.records) {
    if (r.kind == RecordKind::kBoot && index_of(r.node) == 0) boots.push_back(r.time);
  }
  std::uint64_t aimed = 0, at_once = 0, deadline = 0;
  for (const Fault& fault : ran.fired) {
    // The arrivals of this incarnation, drawn again.
    const std::uint64_t k = std::stoull(fault.id.substr(fault.id.find("#t") + 2));
    SimTime arrival = boots.at(fault.incarnation);
    for (std::uint64_t i = 1; i <= k; ++i) {
      const Entity entity =
          Entity::of(static_cast<std::uint64_t>(FaultKind::kPower), 0, fault.incarnation);
      arrival += Duration(exponential(Choices(seed).word(Purpose::kArrival, entity, i),
                                      rates.power.mean_gap->ns()) + 1);
    }
    const Duration wait = fault.time - arrival;
    ASSERT_GE(wait, Duration(0)) << fault.id;
    const Duration in_sync = fault.inside_sync.value_or(Duration());
    ASSERT_LE(wait - in_sync, milliseconds(50)) << fault.id;
    if (fault.operation) ++aimed;
    else if (wait == Duration(0)) ++at_once;
    else if (wait == milliseconds(50)) ++deadline;
    else ADD_FAILURE() << fault.id << " struck at no operation after " << wait.ns();
  }
  EXPECT_GT(aimed, ran.fired.size() / 2);
  EXPECT_GT(at_once, ran.fired.size() / 8);
  EXPECT_EQ(aimed + at_once + deadline, ran.fired.size());
}

TEST(Planner, AnArmedCrashOfAnIdleNodeStrikesAfterFiftyMilliseconds) {
  FaultRates rates;
  rates.power = every(milliseconds(300));
  rates.restart_after = milliseconds(10);
  const Ran ran = plan(rates,
                       {service("a", [](ScriptedGuest& g) -> Script { co_await g.wait_forever(); }),
                        timer(seconds(60))},
                       1);
  EXPECT_GT(ran.fired.size(), 100U);
  for (const Fault& fault : ran.fired) EXPECT_FALSE(fault.operation.has_value());
}

// ---- reseeds

Ran reseeded(const FaultRates& rates, Duration length, SimTime moment, std::uint64_t root,
             std::uint64_t seed = 1) {
  Planner planner(rates, {});
  TestRoom room(writers(2, length), planner, test_settings(), seed);
  if (room.room->advance(moment) && root != 0) room.room->reseed(root);
  room.run();
  return Ran{planner.fired(), room.sink.records, room.hash(), room.room->evidence(),
             room.room->now()};
}

TEST(Planner, AReseedKeepsThePastAndDrawsTheFutureAnew) {
  const SimTime moment(400'123'456);
  const auto past = [moment](const Fault& fault) { return fault.time <= moment; };
  FaultRates rates = lively();
  rates.partition = every(milliseconds(100));
  const Ran base = reseeded(rates, seconds(1), moment, 0);
  ASSERT_GT(select(base.fired, past).size(), 3U);
  std::set<std::string> futures{text_of(base.fired)};
  for (std::uint64_t root = 10; root < 30; ++root) {
    const Ran other = reseeded(rates, seconds(1), moment, root);
    ASSERT_EQ(text_of(select(base.fired, past)), text_of(select(other.fired, past))) << root;
    futures.insert(text_of(other.fired));
    // The trace is equal up to the moment.
    for (std::size_t i = 0; i < base.records.size() && base.records[i].time <= moment; ++i) {
      ASSERT_EQ(base.records[i].payload, other.records[i].payload) << root << " step " << i + 1;
      ASSERT_EQ(base.records[i].time, other.records[i].time) << root << " step " << i + 1;
    }
  }
  EXPECT_EQ(futures.size(), 21U);
  // Stopping without a reseed changes nothing.
  EXPECT_EQ(reseeded(rates, seconds(1), moment, 0).hash,
            plan(rates, writers(2, seconds(1)), 1).hash);
}

TEST(Planner, AReseedAlsoDrawsAnewWhatLayBeyondTheEndOfFaults) {
  FaultRates rates;
  rates.power = every(seconds(4));
  rates.until = SimTime(1'000'000'000);
  const auto count = [&rates](std::uint64_t root, std::uint64_t seed) {
    return reseeded(rates, seconds(2), SimTime(1'000'000), root, seed).fired.size();
  };
  std::uint64_t seed = 1;
  while (count(0, seed) != 0) ++seed;   // nothing planned within the first second
  std::uint64_t none = 0, some = 0;
  for (std::uint64_t root = 1; root <= 30; ++root) ++(count(root, seed) == 0 ? none : some);
  EXPECT_GT(some, 3U);
  EXPECT_GT(none, 3U);
}

// ---- every kind, on and off

struct OneKind {
  const char* name;
  FaultKind kind;
  std::function<void(FaultRates&)> turn_on;
};
const OneKind kEveryKind[] = {
    {"crash_per_sec", FaultKind::kPower, [](FaultRates& r) { r.power = every(milliseconds(50)); }},
    {"crash_on_io", FaultKind::kPower, [](FaultRates& r) { r.power_on_io = Odds::ratio(1, 50); }},
    {"power_all_per_sec", FaultKind::kPower,
     [](FaultRates& r) { r.power_all = every(milliseconds(50)); }},
    {"kill_per_sec", FaultKind::kKill, [](FaultRates& r) { r.kill = every(milliseconds(50)); }},
    {"partition_per_sec", FaultKind::kPartition,
     [](FaultRates& r) { r.partition = every(milliseconds(50)); }},
    {"fsync_eio", FaultKind::kSyncError, [](FaultRates& r) { r.sync_error = Odds::ratio(1, 9); }},
    {"write_eio", FaultKind::kWriteError, [](FaultRates& r) { r.write_error = Odds::ratio(1, 9); }},
    {"read_eio", FaultKind::kReadError, [](FaultRates& r) { r.read_error = Odds::ratio(1, 9); }},
    {"short_writes", FaultKind::kShortWrite,
     [](FaultRates& r) { r.short_write = Odds::ratio(1, 9); }},
    {"enospc_per_sec", FaultKind::kDiskFull,
     [](FaultRates& r) { r.disk_full = every(milliseconds(50)); }},
    {"emfile_per_sec", FaultKind::kNoDescriptors,
     [](FaultRates& r) { r.no_descriptors = every(milliseconds(50)); }},
    {"disk_stall_per_sec", FaultKind::kDiskStall,
     [](FaultRates& r) { r.disk_stall = every(milliseconds(50)); }},
    {"evict_per_sec", FaultKind::kEvict, [](FaultRates& r) { r.evict = every(milliseconds(50)); }},
    {"bit_rot_per_sec", FaultKind::kBitRot,
     [](FaultRates& r) { r.bit_rot = every(milliseconds(50)); }},
};

// Exactly the kind that is on fires, many times, and it says what it did.
TEST(Planner, EachKindFiresWhenItIsOnAndNeverWhenItIsOff) {
  for (const OneKind& one : kEveryKind) {
    FaultRates rates;
    rates.restart_after = milliseconds(10);
    one.turn_on(rates);
    const Ran ran = plan(rates, writers(2, seconds(1)), 1);
    EXPECT_GT(ran.fired.size(), 5U) << one.name;
    for (const Fault& fault : ran.fired) {
      EXPECT_EQ(fault.kind, one.kind) << one.name << ": " << fault.id;
      EXPECT_FALSE(describe(fault).empty());
      EXPECT_TRUE(manner_of(fault.kind) != Manner::kIoError || !fault.effect.empty()) << fault.id;
    }
  }
  EXPECT_TRUE(plan(FaultRates{}, writers(2, seconds(1)), 1).fired.empty());
}

// All that runs loses power at one moment, and nothing else.
TEST(Planner, APowerLossOfTheClusterHitsAllNodesAtOneMoment) {
  FaultRates rates;
  rates.power_all = every(milliseconds(200));
  rates.restart_after = milliseconds(1);
  const Ran ran = plan(rates, writers(3, seconds(2)), 1);
  std::map<SimTime, std::size_t> at;
  for (const Fault& fault : ran.fired) ++at[fault.time];
  EXPECT_GT(at.size(), 3U);
  EXPECT_EQ(ran.evidence.power_all, at.size());
  std::size_t complete = 0;
  for (const auto& [time, count] : at) complete += count == 3 ? 1 : 0;
  EXPECT_GT(complete, 3U);
}

// Crashes in recovery hit restarts only, before they have connected.
TEST(Planner, CrashesInRecoveryHitOnlyRestarts) {
  FaultRates rates;
  rates.kill = every(milliseconds(40));
  rates.restart_after = milliseconds(2);
  const Ran without = plan(rates, writers(2, seconds(2)), 1);
  const auto is_power = [](const Fault& fault) { return fault.kind == FaultKind::kPower; };
  EXPECT_TRUE(select(without.fired, is_power).empty());
  rates.crash_in_recovery = Odds::ratio(1, 2);
  const Ran with = plan(rates, writers(2, seconds(2)), 1);
  const auto hits = select(with.fired, is_power);
  EXPECT_GT(hits.size(), 10U);
  for (const Fault& fault : hits) {
    EXPECT_GT(fault.incarnation, 1U);
    ASSERT_TRUE(fault.operation.has_value());
    EXPECT_LE(fault.operation->ordinal, 64U);
  }
}

}  // namespace
}  // namespace sf::fault::testing
