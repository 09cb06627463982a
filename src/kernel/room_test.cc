// The room: lives of programs, and every way a run can end.
//
// Method: one small scripted world per verdict, and the same world with one thing changed so that
// the verdict must not come (the control). Crashes at operations are counted in the trace.
#include "kernel/room.h"

#include <gtest/gtest.h>

#include "kernel/scripted_room_test_util.h"

namespace sf::kernel::testing {
namespace {

using Notes = std::vector<std::string>;
constexpr NodeId kServer{0};

Script do_nothing(ScriptedGuest& g) { co_await g.wait_forever(); }

// "kind: message" of the first finding, or how the run ended.
std::string verdict(const TestRoom& room) {
  if (!room.room->findings().empty()) {
    const Finding& finding = room.room->findings().front();
    return std::string(finding_kind_name(finding.kind)) + ": " + finding.message;
  }
  return room.room->end_kind() == EndKind::kWorkloadDone ? "done" : "ended without finding";
}
std::string verdict_of(std::vector<NodeDef> defs, const Settings& settings = test_settings()) {
  ScriptedFaults none;
  return verdict(run(std::move(defs), none, 1, settings));
}

// ---- ends

TEST(RoomEnd, TheRunEndsWhenEveryWorkloadHasExited) {
  ScriptedFaults none;
  const auto room = run({service("server", do_nothing), timer(milliseconds(5)),
                         workload("other", [](ScriptedGuest& g) -> Script {
                           co_await g.sleep(milliseconds(20));
                           co_await g.note("last");
                         })},
                        none);
  EXPECT_EQ(verdict(room), "done");
  EXPECT_EQ(room.notes(), (Notes{"last"}));
  EXPECT_EQ(room.sink.records.back().kind, RecordKind::kEnd);
}

TEST(RoomEnd, AFailingWorkloadEndsItAtOnce) {
  const auto failing = [](ScriptedGuest& g) -> Script {
    co_await g.print("panic: it is broken\n");
    co_await g.leave(2);
  };
  EXPECT_EQ(verdict_of({workload("client", failing), timer(seconds(1))}),
            "exit: client exited with code 2: panic: it is broken");
}

TEST(RoomEnd, ATrapIsAFinding) {
  const auto trapping = [](ScriptedGuest& g) -> Script { co_await g.trap("unreachable in main"); };
  EXPECT_EQ(verdict_of({service("server", trapping), timer(seconds(1))}),
            "trap: server trapped: unreachable in main");
}

TEST(RoomEnd, AServiceThatExitsWithZeroIsNoFindingAndOneThatFailsIs) {
  const auto exits = [](std::int32_t code) {
    return [code](ScriptedGuest& g) -> Script { co_await g.leave(code); };
  };
  EXPECT_EQ(verdict_of({service("server", exits(0)), timer(milliseconds(5))}), "done");
  EXPECT_EQ(verdict_of({service("server", exits(1)), timer(milliseconds(5))}),
            "exit: server exited with code 1");
}

TEST(RoomEnd, AFalseAssertionEndsTheRunAtItsTime) {
  ScriptedFaults none;
  const auto room = run({service("server",
                                 [](ScriptedGuest& g) -> Script {
                                   co_await g.sleep_until(SimTime(2'000'000));
                                   co_await g.assert_that(true, "holds");
                                   co_await g.assert_that(false, "entry 7 is lost");
                                   co_await g.note("not reached");
                                 }),
                         timer(seconds(1))},
                        none);
  EXPECT_EQ(verdict(room), "assertion: entry 7 is lost");
  EXPECT_EQ(room.room->findings()[0].fingerprint, "assertion/server/entry … is lost");
  EXPECT_EQ(room.notes(), Notes{});
  EXPECT_LT(room.room->now(), SimTime(2'010'000));
}

TEST(RoomEnd, WithKeepGoingTheRunGoesOnAndKeepsTheFinding) {
  Settings settings = test_settings();
  settings.keep_going = true;
  ScriptedFaults none;
  const auto room = run({service("server",
                                 [](ScriptedGuest& g) -> Script {
                                   co_await g.assert_that(false, "first");
                                   co_await g.note("went on");
                                   co_await g.assert_that(false, "second");
                                   co_await g.wait_forever();
                                 }),
                         timer(milliseconds(5))},
                        none, 1, settings);
  ASSERT_EQ(room.room->findings().size(), 2U);
  EXPECT_EQ(room.room->findings()[1].message, "second");
  EXPECT_EQ(room.notes(), (Notes{"went on"}));
  EXPECT_EQ(room.room->end_kind(), EndKind::kWorkloadDone);
}

TEST(RoomEnd, TheHorizonIsAVerdictOfItsOwn) {
  ScriptedFaults none;
  const auto room = run({service("server", do_nothing), timer(seconds(3))}, none, 1,
                        test_settings(seconds(2)));
  EXPECT_EQ(verdict(room), "horizon: the horizon (2s) came before the workload was done");
  EXPECT_EQ(room.room->end_kind(), EndKind::kHorizon);
  EXPECT_EQ(room.room->now(), SimTime(2'000'000'000));
}

// A timer after the horizon is no deadlock; what happens at the horizon itself still counts.
TEST(RoomEnd, WhoWakesExactlyAtTheHorizonStillActs) {
  ScriptedFaults none;
  const auto room = run({workload("client",
                                  [](ScriptedGuest& g) -> Script {
                                    co_await g.sleep_until(SimTime(2'000'000'000));
                                    co_await g.note("too late");
                                  })},
                        none, 1, test_settings(seconds(2)));
  EXPECT_EQ(room.room->end_kind(), EndKind::kHorizon);
  EXPECT_EQ(room.notes(), Notes{});
  const bool woke = std::any_of(
      room.sink.records.begin(), room.sink.records.end(),
      [](const Record& r) { return r.what == "sleep" && r.time == SimTime(2'000'000'000); });
  EXPECT_TRUE(woke);
}

TEST(RoomEnd, EverybodyWaitingForNothingIsADeadlockAtTheLastMomentOfAction) {
  ScriptedFaults none;
  const auto room = run({service("server", do_nothing), workload("client",
                                                                 [](ScriptedGuest& g) -> Script {
                                                                   co_await g.compute(100'000);
                                                                   co_await g.note("waits now");
                                                                   co_await g.wait_forever();
                                                                 })},
                        none);
  EXPECT_EQ(verdict(room), "deadlock: deadlock: every program waits and nothing will ever happen");
  EXPECT_EQ(room.room->findings()[0].detail,
            (Notes{"server: waits in wait", "client: waits in wait"}));
  EXPECT_EQ(room.notes(), (Notes{"waits now"}));
  EXPECT_LT(room.room->now(), SimTime(1'000'000));
}

TEST(RoomEnd, CpuTimeWithoutAnyCallIsASpin) {
  Settings settings = test_settings();
  settings.limits.spin = milliseconds(100);
  const auto burns = [](std::int64_t ticks) {
    return [ticks](ScriptedGuest& g) -> Script {
      co_await g.compute(ticks);
      co_await g.note("called");
      co_await g.wait_forever();
    };
  };
  EXPECT_EQ(verdict_of({service("server", burns(26'000'000)), timer(seconds(1))}, settings),
            "spin: server used 100ms of CPU time without any host call (limits.spin)");
  EXPECT_EQ(verdict_of({service("server", burns(24'000'000)), timer(seconds(1))}, settings),
            "done");
}

TEST(RoomEnd, WaitingLongAndThenComputingIsNoSpin) {
  EXPECT_EQ(verdict_of({service("server",
                                [](ScriptedGuest& g) -> Script {
                                  co_await g.sleep(seconds(7));   // longer than limits.spin
                                  co_await g.compute(1'000'000);  // several slices
                                  co_await g.wait_forever();
                                }),
                        timer(seconds(8))}),
            "done");
}

TEST(RoomEnd, TooMuchOutputIsAFinding) {
  Settings settings = test_settings();
  settings.limits.output_bytes = 100;
  const auto prints = [](std::size_t bytes) {
    return [bytes](ScriptedGuest& g) -> Script {
      co_await g.print(std::string(bytes, 'x'));
      co_await g.wait_forever();
    };
  };
  EXPECT_EQ(verdict_of({service("server", prints(101)), timer(milliseconds(5))}, settings),
            "output: printed too much");
  EXPECT_EQ(verdict_of({service("server", prints(100)), timer(milliseconds(5))}, settings), "done");
}

TEST(RoomEnd, TooManyStepsIsALimit) {
  Settings settings = test_settings();
  settings.limits.steps = 1000;
  const auto chatters = [](ScriptedGuest& g) -> Script {
    for (;;) co_await g.note("again");
  };
  EXPECT_EQ(verdict_of({service("server", chatters), timer(seconds(1))}, settings),
            "limit: more than 1,000 steps (limits.steps)");
  EXPECT_EQ(verdict_of({service("server", do_nothing), timer(milliseconds(5))}, settings), "done");
}

TEST(RoomEnd, TooManyEventsAtOneInstantIsALimit) {
  Settings settings = test_settings();
  settings.limits.events_per_instant = 50;
  for (const int events : {60, 40}) {
    ScriptedFaults faults;
    for (int i = 0; i < events; ++i) faults.noise.emplace_back(SimTime(1'000'000), Concern::kNode);
    const auto room =
        run({service("server", do_nothing), timer(milliseconds(5))}, faults, 1, settings);
    EXPECT_EQ(verdict(room), events == 60 ? "limit: more than 50 events at one instant "
                                            "(limits.events_per_instant)"
                                          : "done");
  }
}

TEST(RoomEnd, ASupervisedProgramThatEndsAgainAndAgainIsACrashLoop) {
  const auto exits_after = [](Duration life) {
    return [life](ScriptedGuest& g) -> Script {
      co_await g.sleep(life);
      co_await g.leave(1);
    };
  };
  ScriptedFaults none;
  const auto room =
      run({supervised("server", exits_after(milliseconds(10))), timer(seconds(8))}, none);
  EXPECT_EQ(
      verdict(room),
      "crash-loop: server exited with code 1; 5 times in a row within 1s of its start, without "
      "any fault");
  EXPECT_EQ(room.room->node(kServer).incarnation(), 5U);
  EXPECT_EQ(verdict_of({supervised("server", exits_after(milliseconds(1001))), timer(seconds(8))}),
            "done");
}

TEST(RoomEnd, ACrashBetweenQuickExitsIsNoCrashLoop) {
  ScriptedFaults faults;
  // Incarnations 1-4 exit by themselves at about 10, 520, 1030 and 1540 ms; 5 is killed.
  faults.at_times = {{SimTime(2'045'000'000), kServer, FaultKind::kKill}};
  const auto room = run({supervised("server",
                                    [](ScriptedGuest& g) -> Script {
                                      if (g.process().incarnation() > 5) co_await g.wait_forever();
                                      co_await g.sleep(milliseconds(10));
                                      co_await g.leave(1);
                                    }),
                         timer(seconds(8))},
                        faults);
  ASSERT_EQ(faults.reports.size(), 1U);
  EXPECT_EQ(verdict(room), "done");
}

// What other nodes do after the end did not happen.
TEST(RoomEnd, NothingAfterTheEndIsInTheTrace) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ScriptedFaults none;
    const auto room = run({service("busy",
                                   [](ScriptedGuest& g) -> Script {
                                     for (;;) co_await g.compute(100), co_await g.note("tick");
                                   }),
                           timer(microseconds(1234))},
                          none, seed);
    const SimTime end = room.sink.records.back().time;
    EXPECT_EQ(room.sink.records.back().kind, RecordKind::kEnd);
    for (const Record& r : room.sink.records) ASSERT_LE(r.time, end);
    EXPECT_LT(end, SimTime(1'240'000));
  }
}

// Both wake at 1 ms and make their next call at the same nanosecond; whoever the seed lets run
// first, the other's call is in the trace, as it would be with longer slices.
TEST(RoomEnd, WhatOthersDoInTheLastInstantCountsWhoeverRanFirst) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ScriptedFaults none;
    const auto room = run({service("a",
                                   [](ScriptedGuest& g) -> Script {
                                     co_await g.sleep_until(SimTime(1'000'000));
                                     co_await g.assert_that(false, "the end");
                                   }),
                           service("b",
                                   [](ScriptedGuest& g) -> Script {
                                     co_await g.sleep_until(SimTime(1'000'000));
                                     co_await g.note("same instant");
                                     co_await g.wait_forever();
                                   }),
                           timer(seconds(1))},
                          none, seed);
    EXPECT_EQ(verdict(room), "assertion: the end");
    ASSERT_EQ(room.time_of("same instant"), room.room->now()) << "seed " << seed;
  }
}

// ---- lives

TEST(RoomLife, APowerLossDropsWhatWasNotSyncedAndAKillKeepsIt) {
  for (const FaultKind kind : {FaultKind::kPower, FaultKind::kKill}) {
    ScriptedFaults faults;
    faults.at_times = {{SimTime(200'000'000), kServer, kind}};
    // Draws of this oracle keep a prefix; "lost" is the part of the text that is not there.
    const auto room = run({service("server",
                                   [](ScriptedGuest& g) -> Script {
                                     File log;
                                     co_await g.open("/log", &log);
                                     const Answer got = co_await g.read(log, 100);
                                     co_await g.note("read " + got.data);
                                     if (g.process().incarnation() > 1) co_await g.wait_forever();
                                     co_await g.write(log, "synced");
                                     co_await g.fsync(log);
                                     co_await g.write(log, std::string(50, 'x'));
                                     co_await g.wait_forever();
                                   }),
                           timer(seconds(1))},
                          faults);
    ASSERT_EQ(room.notes().size(), 2U);
    ASSERT_TRUE(room.notes()[1].starts_with("read synced"));
    if (kind == FaultKind::kKill) {
      EXPECT_EQ(room.notes()[1], "read synced" + std::string(50, 'x'));
    }
    EXPECT_EQ(room.room->evidence().restarts, 1U);
    EXPECT_EQ(room.room->evidence().power_losses, kind == FaultKind::kPower ? 1U : 0U);
    EXPECT_EQ(room.room->evidence().kills, kind == FaultKind::kKill ? 1U : 0U);
  }
}

TEST(RoomLife, AHalfLineIsWrittenOutWhenItsProgramIsKilledLongAfter) {
  for (const FaultKind kind : {FaultKind::kPower, FaultKind::kKill}) {
    ScriptedFaults faults;
    faults.at_times = {{SimTime(5'000'000'000), kServer, kind}};
    faults.restart = seconds(100);
    const auto room = run({service("server",
                                   [](ScriptedGuest& g) -> Script {
                                     co_await g.print("whole\nhalf");
                                     co_await g.wait_forever();
                                   }),
                           workload("client",
                                    [](ScriptedGuest& g) -> Script {
                                      for (int i = 0; i < 60; ++i) {
                                        co_await g.sleep(milliseconds(100));
                                        co_await g.note("tick");
                                      }
                                    })},
                          faults);
    std::vector<std::pair<std::int64_t, std::string>> lines;
    for (const Record& r : room.sink.records) {
      if (r.kind == RecordKind::kConsole) lines.emplace_back(r.time.ns() / 1'000'000, r.what);
    }
    EXPECT_EQ(lines, (std::vector<std::pair<std::int64_t, std::string>>{{0, "| whole"},
                                                                         {5000, "| half"}}));
  }
}

struct Struck {
  Phase phase = Phase::kInside;
  bool file_exists = false;
  bool called_back = false;
  std::uint64_t inside = 0;
};
// A kill at the third operation (open, write, rename) in this phase.
Struck strike_rename(Phase phase) {
  ScriptedFaults faults;
  faults.at_ops = {{kServer, 1, 3, FaultKind::kKill, phase}};
  const auto room = run({service("server",
                                 [](ScriptedGuest& g) -> Script {
                                   if (g.process().incarnation() > 1) co_await g.wait_forever();
                                   File file;
                                   co_await g.open("/tmp1", &file);
                                   co_await g.write(file, "x");
                                   co_await g.rename("/tmp1", "/final");
                                   co_await g.note("renamed");
                                   co_await g.wait_forever();
                                 }),
                         timer(milliseconds(50))},
                        faults);
  EXPECT_EQ(faults.reports.size(), 1U);
  EXPECT_EQ(faults.reports[0].subject, "rename /tmp1 -> /final");
  EXPECT_EQ(faults.reports[0].operation->ordinal, 3U);
  auto& volume = room.room->node(kServer).volume();
  return Struck{phase, volume.lookup(volume.root(), "final").has_value(),
                room.value("renamed").has_value(), room.room->evidence().crashes_inside_io};
}

TEST(RoomLife, ACrashBeforeInsideOrAfterAnOperationNeverAnswersTheCaller) {
  const Struck before = strike_rename(Phase::kBefore);
  EXPECT_FALSE(before.file_exists);
  EXPECT_FALSE(before.called_back);
  const Struck after = strike_rename(Phase::kAfter);
  EXPECT_TRUE(after.file_exists);
  EXPECT_FALSE(after.called_back);
  const Struck inside = strike_rename(Phase::kInside);
  EXPECT_FALSE(inside.called_back);
  EXPECT_EQ(inside.inside, 1U);
  EXPECT_EQ(before.inside + after.inside, 0U);
}

TEST(RoomLife, ACrashInsideAnFsyncStrikesWhileItIsUnderWay) {
  for (const Phase phase : {Phase::kBefore, Phase::kInside, Phase::kAfter}) {
    ScriptedFaults faults;
    faults.at_ops = {{kServer, 1, 3, FaultKind::kPower, phase}};
    NodeDef server = service("server", [](ScriptedGuest& g) -> Script {
      if (g.process().incarnation() > 1) co_await g.wait_forever();
      File file;
      co_await g.open("/log", &file);
      co_await g.write(file, "x");
      co_await g.sleep_until(SimTime(1'000'000));
      co_await g.fsync(file);
      co_await g.note("synced");
      co_await g.wait_forever();
    });
    server.spec.sync_time = Spread{.low = milliseconds(10), .high = milliseconds(10)};
    std::vector<NodeDef> defs;
    defs.push_back(std::move(server));
    defs.push_back(timer(milliseconds(50)));
    TestRoom room(std::move(defs), faults, test_settings(), 1);
    room.run();
    ASSERT_EQ(faults.reports.size(), 1U);
    const std::int64_t expected = phase == Phase::kBefore ? 1 : phase == Phase::kInside ? 6 : 11;
    EXPECT_EQ(faults.reports[0].time.ns() / 1'000'000, expected);
    EXPECT_FALSE(room.value("synced").has_value());
  }
}

TEST(RoomLife, AKillInsideALongWriteKeepsItsFirstPages) {
  ScriptedFaults faults;
  faults.at_ops = {{kServer, 1, 2, FaultKind::kKill, Phase::kInside}};
  const auto room = run({service("server",
                                 [](ScriptedGuest& g) -> Script {
                                   if (g.process().incarnation() > 1) co_await g.wait_forever();
                                   File file;
                                   co_await g.open("/log", &file);
                                   co_await g.write(file, std::string(4 * 4096, 'x'));
                                   co_await g.wait_forever();
                                 }),
                         timer(milliseconds(50))},
                        faults);
  auto& volume = room.room->node(kServer).volume();
  EXPECT_EQ(volume.stat(*volume.lookup(volume.root(), "log"))->size, 2U * 4096);
  EXPECT_EQ(faults.reports.at(0).pages_kept, 2U);
}

// ---- requests of programs

TEST(RoomRequest, SetupCompleteIsToldOnceOneLeastLatencyAfterTheFirstCall) {
  ScriptedFaults faults;
  const auto program = [](Duration delay) {
    return [delay](ScriptedGuest& g) -> Script {
      co_await g.sleep(delay);
      co_await g.setup_complete();
      co_await g.wait_forever();
    };
  };
  const auto room = run({service("a", program(milliseconds(3))),
                         service("b", program(milliseconds(1))), timer(milliseconds(10))},
                        faults);
  ASSERT_EQ(faults.setups.size(), 1U);
  EXPECT_GE(faults.setups[0], SimTime(1'200'000));
  EXPECT_LT(faults.setups[0], SimTime(1'210'000));
}

TEST(RoomRequest, AQuietWindowRestartsNodesAndTellsTheOracle) {
  ScriptedFaults faults;
  faults.at_times = {{SimTime(1'000'000), kServer, FaultKind::kPower}};
  faults.restart = seconds(100);
  const auto room = run({service("server",
                                 [](ScriptedGuest& g) -> Script {
                                   co_await g.note("boots");
                                   co_await g.wait_forever();
                                 }),
                         workload("client",
                                  [](ScriptedGuest& g) -> Script {
                                    co_await g.sleep(milliseconds(5));
                                    co_await g.quiet_for(milliseconds(100));
                                    co_await g.sleep(milliseconds(5));
                                  })},
                        faults);
  EXPECT_EQ(room.notes(), (Notes{"boots", "boots"}));
  ASSERT_EQ(faults.quiet_windows.size(), 1U);
  EXPECT_EQ(faults.quiet_windows[0].second - faults.quiet_windows[0].first, milliseconds(100));
}

// A crash that was to strike inside or after an fsync under way is called off by a quiet window.
TEST(RoomRequest, AQuietWindowCallsOffACrashInsideAnFsyncUnderWay) {
  for (const Phase phase : {Phase::kInside, Phase::kAfter}) {
    for (const bool quiet : {true, false}) {
      ScriptedFaults faults;
      faults.at_ops = {{kServer, 1, 2, FaultKind::kPower, phase}};
      NodeDef server = service("server", [](ScriptedGuest& g) -> Script {
        if (g.process().incarnation() > 1) co_await g.wait_forever();
        File file;
        co_await g.open("/log", &file);
        co_await g.fsync(file);
        co_await g.note("synced");
        co_await g.wait_forever();
      });
      server.spec.sync_time = Spread{.low = milliseconds(20), .high = milliseconds(20)};
      std::vector<NodeDef> defs;
      defs.push_back(std::move(server));
      defs.push_back(workload("client", [quiet](ScriptedGuest& g) -> Script {
        co_await g.sleep(milliseconds(3));
        if (quiet) co_await g.quiet_for(milliseconds(100));
        co_await g.sleep(milliseconds(80));
      }));
      TestRoom room(std::move(defs), faults, test_settings(), 1);
      room.run();
      EXPECT_EQ(faults.reports.size(), quiet ? 0U : 1U);
      EXPECT_EQ(room.notes(), quiet ? Notes{"synced"} : Notes{});
    }
  }
}

}  // namespace
}  // namespace sf::kernel::testing
