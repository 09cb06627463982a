// Errors of disk operations, windows and moments: what a program sees of each, and that it sees
// nothing when the fault is off.
//
// Method: one scripted server on one node; each test runs it with and without its fault and
// compares what the server noted.
#include <gtest/gtest.h>

#include "kernel/scripted_room_test_util.h"

namespace sf::kernel::testing {
namespace {

constexpr NodeId kServer{0};
using Notes = std::vector<std::string>;

// What the server noted. Its syncs take 1 ms. It is judged after 200 ms.
Notes notes_of(Program program, ScriptedFaults& faults) {
  NodeDef server = service("server", std::move(program));
  server.spec.sync_time = Spread{.low = milliseconds(1), .high = milliseconds(1)};
  std::vector<NodeDef> defs;
  defs.push_back(std::move(server));
  defs.push_back(timer(milliseconds(200)));
  TestRoom room(std::move(defs), faults, test_settings(), 1);
  room.run();
  EXPECT_TRUE(room.room->findings().empty());
  return room.notes();
}

ScriptedFaults error_at(std::uint64_t ordinal, IoFault fault) {
  ScriptedFaults faults;
  fault.fault = 1;
  faults.errors.push_back({kServer, 1, ordinal, fault});
  return faults;
}
ScriptedFaults act_at(Duration time, std::function<void(Room&)> action) {
  ScriptedFaults faults;
  faults.acts.push_back({SimTime::zero() + time, kServer, std::move(action)});
  return faults;
}
std::string answer(const Answer& a) {
  return a.ok() ? std::to_string(a.value) : std::string(errno_name(a.error));
}

// ---- errors of one operation

// Writes "old", syncs, writes "new", syncs twice, reads; loses power at 50 ms and reads again.
Script overwrite(ScriptedGuest& g) {
  File file;
  co_await g.open("/f", &file);
  if (g.process().incarnation() == 1) {
    co_await g.write(file, "old");
    co_await g.fsync(file);
    file->offset = 0;
    co_await g.write(file, "new");
    co_await g.note("sync " + answer(co_await g.fsync(file)));
    co_await g.note("again " + answer(co_await g.fsync(file)));
    file->offset = 0;
  }
  co_await g.note("read " + (co_await g.read(file, 10)).data);
  co_await g.wait_forever();
}

// fault-models.md 7 row 22.
TEST(IoFault, AFailedSyncReportsOnceAndTheDiskKeepsTheOldBytes) {
  ScriptedFaults faults = error_at(5, {.kind = FaultKind::kSyncError});
  faults.at_times.push_back({SimTime::zero() + milliseconds(50), kServer});
  EXPECT_EQ(notes_of(overwrite, faults),
            (Notes{"sync EIO", "again 0", "read new", "read old"}));
  ASSERT_EQ(faults.error_reports.size(), 1U);
  EXPECT_EQ(faults.error_reports[0].subject, "fsync /f");
  EXPECT_NE(faults.error_reports[0].effect.find("EIO; "), std::string::npos);

  ScriptedFaults none;
  none.at_times = faults.at_times;
  EXPECT_EQ(notes_of(overwrite, none), (Notes{"sync 0", "again 0", "read new", "read new"}));
}

// The paper's point (Rebello et al., USENIX ATC 2020): a restart is no cure, the cache is wrong.
TEST(IoFault, AfterAFailedSyncAKilledProgramStillReadsTheCache) {
  ScriptedFaults faults = error_at(5, {.kind = FaultKind::kSyncError});
  faults.at_times.push_back({SimTime::zero() + milliseconds(50), kServer, FaultKind::kKill});
  EXPECT_EQ(notes_of(overwrite, faults),
            (Notes{"sync EIO", "again 0", "read new", "read new"}));
}

TEST(IoFault, AnEvictionRevealsWhatAFailedSyncLost) {
  ScriptedFaults faults = error_at(5, {.kind = FaultKind::kSyncError});
  faults.acts.push_back({SimTime::zero() + milliseconds(40), kServer,
                         [](Room& room) { room.evict(kServer); }});
  faults.at_times.push_back({SimTime::zero() + milliseconds(50), kServer, FaultKind::kKill});
  EXPECT_EQ(notes_of(overwrite, faults),
            (Notes{"sync EIO", "again 0", "read new", "read old"}));
}

// A background writeback fails after the write; the sync that reports it has nothing to write.
TEST(IoFault, ABackgroundFailureIsReportedByTheNextSync) {
  ScriptedFaults faults = error_at(4, {.kind = FaultKind::kSyncError});
  faults.at_times.push_back({SimTime::zero() + milliseconds(50), kServer});
  EXPECT_EQ(notes_of(overwrite, faults),
            (Notes{"sync EIO", "again 0", "read new", "read old"}));
}

Script write_and_read(ScriptedGuest& g) {
  File file;
  co_await g.open("/f", &file);
  co_await g.note("write " + answer(co_await g.write(file, "0123456789")));
  file->offset = 0;
  const Answer got = co_await g.read(file, 100);
  const std::string words = got.ok() ? got.data : answer(got);
  co_await g.note("read " + words);
  co_await g.note("again " + (co_await g.read(file, 100)).data);
  co_await g.wait_forever();
}

TEST(IoFault, AWriteErrorWritesNothing) {
  ScriptedFaults faults = error_at(2, {.kind = FaultKind::kWriteError});
  EXPECT_EQ(notes_of(write_and_read, faults), (Notes{"write EIO", "read ", "again "}));
  ScriptedFaults none;
  EXPECT_EQ(notes_of(write_and_read, none), (Notes{"write 10", "read 0123456789", "again "}));
}

TEST(IoFault, AReadErrorPasses) {
  ScriptedFaults faults = error_at(3, {.kind = FaultKind::kReadError});
  EXPECT_EQ(notes_of(write_and_read, faults),
            (Notes{"write 10", "read EIO", "again 0123456789"}));
}

TEST(IoFault, AShortWriteTakesTheFirstPart) {
  ScriptedFaults faults = error_at(2, {.kind = FaultKind::kShortWrite, .bytes = 4});
  EXPECT_EQ(notes_of(write_and_read, faults), (Notes{"write 4", "read 0123", "again "}));
  ASSERT_EQ(faults.error_reports.size(), 1U);
  EXPECT_EQ(faults.error_reports[0].effect, "took 4 of 10 bytes");
}

// A quiet window that begins while the sync is under way calls its error off.
TEST(IoFault, AQuietWindowCallsOffTheErrorOfASyncUnderWay) {
  for (const bool quiet : {false, true}) {
    ScriptedFaults faults = error_at(3, {.kind = FaultKind::kSyncError});
    NodeDef server = service("server", [](ScriptedGuest& g) -> Script {
      File file;
      co_await g.open("/f", &file);
      co_await g.write(file, "x");
      co_await g.note("sync " + answer(co_await g.fsync(file)));
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
    EXPECT_EQ(room.notes(), Notes{quiet ? "sync 0" : "sync EIO"});
    EXPECT_EQ(faults.error_reports.size(), quiet ? 0U : 1U);
  }
}

// ---- stopping after an error

// Stops when its sync fails, or for no reason.
Script stops(ScriptedGuest& g) {
  co_await g.note("boots");
  File file;
  co_await g.open("/f", &file);
  co_await g.write(file, "x");
  const Answer synced = co_await g.fsync(file);
  if (!synced.ok()) co_await g.leave(1);
  co_await g.wait_forever();
}

TEST(IoFault, AProgramThatStopsAfterAnErrorIsStartedAgainAndIsNoFinding) {
  ScriptedFaults faults = error_at(3, {.kind = FaultKind::kSyncError});
  std::vector<NodeDef> defs;
  defs.push_back(service("server", stops));
  defs.push_back(timer(seconds(2)));
  TestRoom room(std::move(defs), faults, test_settings(), 1);
  room.run();
  EXPECT_EQ(room.notes(), (Notes{"boots", "boots"}));
  EXPECT_TRUE(room.room->findings().empty());
  EXPECT_EQ(room.room->evidence().error_exits, 1U);
}

TEST(IoFault, AProgramThatStopsWithoutAnErrorIsAFinding) {
  ScriptedFaults faults;
  std::vector<NodeDef> defs;
  defs.push_back(service("server", [](ScriptedGuest& g) -> Script {
    File file;
    co_await g.open("/f", &file);
    co_await g.leave(1);
  }));
  defs.push_back(timer(seconds(2)));
  TestRoom room(std::move(defs), faults, test_settings(), 1);
  room.run();
  ASSERT_EQ(room.room->findings().size(), 1U);
  EXPECT_EQ(room.room->findings()[0].kind, FindingKind::kExit);
}

// ---- windows

// Every 10 ms: tries what the window forbids.
Program tries(std::function<Script(ScriptedGuest&)> body) { return body; }

TEST(Window, AFullDiskRefusesNewPagesOnlyWhileItIsOpen) {
  const auto full = [](bool on) {
    return [on](Room& room) {
      Conditions conditions = room.node(kServer).conditions();
      conditions.disk_full = on;
      room.set_conditions(kServer, FaultKind::kDiskFull, conditions, "window");
    };
  };
  ScriptedFaults faults = act_at(milliseconds(10), full(true));
  faults.acts.push_back({SimTime::zero() + milliseconds(30), kServer, full(false)});
  const Program program = tries([](ScriptedGuest& g) -> Script {
    File file;
    co_await g.open("/f", &file);
    co_await g.write(file, std::string(4096, 'a'));
    co_await g.sleep(milliseconds(20));
    co_await g.note("grow " + answer(co_await g.write(file, std::string(4096, 'b'))));
    file->offset = 0;
    co_await g.note("overwrite " + answer(co_await g.write(file, "c")));
    co_await g.sleep(milliseconds(20));
    file->offset = 4096;
    co_await g.note("later " + answer(co_await g.write(file, std::string(4096, 'b'))));
    co_await g.wait_forever();
  });
  EXPECT_EQ(notes_of(program, faults), (Notes{"grow ENOSPC", "overwrite 1", "later 4096"}));
  ScriptedFaults none;
  EXPECT_EQ(notes_of(program, none), (Notes{"grow 4096", "overwrite 1", "later 4096"}));
}

TEST(Window, WithoutDescriptorsNothingOpensAndNothingIsCreated) {
  ScriptedFaults faults = act_at(milliseconds(10), [](Room& room) {
    Conditions conditions;
    conditions.no_descriptors = true;
    room.set_conditions(kServer, FaultKind::kNoDescriptors, conditions, "window");
  });
  faults.acts.push_back({SimTime::zero() + milliseconds(30), kServer, [](Room& room) {
                           room.set_conditions(kServer, FaultKind::kNoDescriptors, {}, "end");
                         }});
  const Program program = tries([](ScriptedGuest& g) -> Script {
    co_await g.sleep(milliseconds(20));
    File file;
    co_await g.note("open " + answer(co_await g.open("/f", &file)));
    co_await g.sleep(milliseconds(20));
    co_await g.note("unlink " + answer(co_await g.unlink("/f")));
    co_await g.note("later " + answer(co_await g.open("/f", &file)));
    co_await g.wait_forever();
  });
  EXPECT_EQ(notes_of(program, faults), (Notes{"open EMFILE", "unlink ENOENT", "later 0"}));
  ScriptedFaults none;
  EXPECT_EQ(notes_of(program, none), (Notes{"open 0", "unlink 0", "later 0"}));
}

// How long a sync took that began at 20 ms.
std::int64_t sync_length(ScriptedFaults& faults) {
  NodeDef server = service("server", [](ScriptedGuest& g) -> Script {
    File file;
    co_await g.open("/f", &file);
    co_await g.sleep(milliseconds(20) - (g.now() - SimTime::zero()));
    const SimTime begin = g.now();
    co_await g.fsync(file);
    co_await g.note("took", ((g.now() - begin).ns() + 500'000) / 1'000'000);
    co_await g.wait_forever();
  });
  server.spec.sync_time = Spread{.low = milliseconds(2), .high = milliseconds(2)};
  std::vector<NodeDef> defs;
  defs.push_back(std::move(server));
  defs.push_back(timer(milliseconds(500)));
  TestRoom room(std::move(defs), faults, test_settings(), 1);
  room.run();
  return room.value("took").value_or(-1);
}

TEST(Window, AStalledDiskSyncsAtTheEndOfTheWindowAndASlowOneSlowly) {
  const auto slow = [](std::uint32_t times) {
    return act_at(milliseconds(10), [times](Room& room) {
      Conditions conditions;
      conditions.slow_until = SimTime::zero() + milliseconds(100);
      conditions.slowdown = times;
      room.set_conditions(kServer, FaultKind::kDiskStall, conditions, "window");
    });
  };
  ScriptedFaults none, stalled = slow(0), slower = slow(7);
  EXPECT_EQ(sync_length(none), 2);
  EXPECT_EQ(sync_length(stalled), 82);
  EXPECT_EQ(sync_length(slower), 14);
}

// ---- bit rot

TEST(Moment, BitRotChangesASyncedFileAndTheSameBytesAreReadAgain) {
  const Program program = tries([](ScriptedGuest& g) -> Script {
    File file;
    co_await g.open("/f", &file);
    const std::string data(3000, 'x');
    co_await g.write(file, data);
    co_await g.fsync(file);
    co_await g.sleep(milliseconds(50));
    file->offset = 0;
    const std::string first = (co_await g.read(file, 4000)).data;
    file->offset = 0;
    const std::string second = (co_await g.read(file, 4000)).data;
    const std::string content = first == data ? "whole" : "rotten";
    const std::string again = first == second ? "stable" : "changing";
    co_await g.note(content);
    co_await g.note(again);
    co_await g.wait_forever();
  });
  ScriptedFaults faults =
      act_at(milliseconds(20), [](Room& room) { room.rot(kServer, Dice(7)); });
  EXPECT_EQ(notes_of(program, faults), (Notes{"rotten", "stable"}));
  ScriptedFaults none;
  EXPECT_EQ(notes_of(program, none), (Notes{"whole", "stable"}));
}

// ---- background writeback

TEST(Writeback, OldDataSurvivesAPowerLossWithoutASync) {
  for (const bool on : {true, false}) {
    ScriptedFaults faults;
    faults.at_times.push_back({SimTime::zero() + milliseconds(100), kServer});
    NodeDef server = service("server", [](ScriptedGuest& g) -> Script {
      File file;
      co_await g.open("/f", &file);
      if (g.process().incarnation() > 1) {
        co_await g.note("read " + (co_await g.read(file, 10)).data);
      } else {
        co_await g.write(file, "data");
      }
      co_await g.wait_forever();
    });
    if (on) server.spec.writeback = milliseconds(20);
    std::vector<NodeDef> defs;
    defs.push_back(std::move(server));
    defs.push_back(timer(milliseconds(200)));
    faults.nothing_survives = true;
    TestRoom room(std::move(defs), faults, test_settings(), 1);
    room.run();
    EXPECT_EQ(room.notes(), Notes{on ? "read data" : "read "});
  }
}

}  // namespace
}  // namespace sf::kernel::testing
