// Kills and power losses: what one of them leaves, what is drawn, what is told.
#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

// ---- kills

class DiskKill : public testing::TestWithParam<Profile> {};

TEST_P(DiskKill, LeavesTheFirstPagesOfAWrite) {
  for (std::uint32_t kept = 0; kept <= 4; ++kept) {
    Disk disk({.profile = GetParam()});
    const Ino f = disk.create("f");
    disk.write("f", 0, std::string(6000, 'o'));
    const std::string before = dump(disk.volume);
    disk.write("f", 100, std::string(9000, 'n'));
    ASSERT_EQ(disk.volume.last_write_pages(), 3U);
    disk.volume.kill(kept);
    EXPECT_EQ(disk.volume.last_write_pages(), 0U);
    const std::size_t ends[] = {6000, 6000, 8192, 9100, 9100};
    const std::size_t fresh[] = {0, 3996, 8092, 9000, 9000};
    std::string wanted = std::string(100, 'o') + std::string(fresh[kept], 'n');
    if (wanted.size() < 6000) wanted += std::string(6000 - wanted.size(), 'o');
    EXPECT_EQ(wanted.size(), ends[kept]);
    EXPECT_EQ(content_of(disk.volume, f), wanted);
    EXPECT_EQ(dump(disk.volume) == before, kept == 0);
    const std::string seen = dump(disk.volume);
    disk.settle();
    EXPECT_EQ(dump(disk.volume), seen);
  }
}

TEST_P(DiskKill, WithoutACountLosesNothing) {
  Disk disk({.profile = GetParam()});
  disk.create("f");
  disk.write("f", 0, std::string(9000, 'n'));
  const std::string seen = dump(disk.volume);
  disk.volume.kill();
  EXPECT_EQ(dump(disk.volume), seen);
}

TEST_P(DiskKill, OnlyTheLastOperationCounts) {
  Disk disk({.profile = GetParam()});
  const Ino f = disk.create("f");
  disk.write("f", 0, std::string(9000, 'n'));
  disk.fsync("f");
  EXPECT_EQ(disk.volume.last_write_pages(), 0U);
  disk.volume.kill(0);
  EXPECT_EQ(disk.volume.stat(f)->size, 9000U);
  disk.write("f", 0, "one page");
  EXPECT_EQ(disk.volume.last_write_pages(), 1U);
  disk.volume.kill(0);   // a copy within one page is not torn by a kill
  EXPECT_EQ(disk.read("f").substr(0, 8), "one page");
}

INSTANTIATE_TEST_SUITE_P(Profiles, DiskKill,
                         testing::Values(Profile::kControl, Profile::kScc, Profile::kInOrder));

// ---- survivors of another history

TEST(DiskPower, SurvivorsAreAppliedAsFarAsTheyFit) {
  const auto size_after = [](const Survivors& survivors) {
    Disk d;
    d.create("f");
    d.settle();
    d.write("f", 0, "0123456789");
    d.write("f", 10, "abcdefghij");   // DATA EXT DATA SIZE
    d.volume.power_loss(kIdle, survivors);
    return d.read("f").size();
  };
  EXPECT_EQ(size_after({.kept = 9, .pending = 9}), 20U);
  EXPECT_EQ(size_after({.kept = 0, .pending = 0}), 20U) << "all of nothing is all";
  EXPECT_EQ(size_after({.kept = 50, .pending = 90}), 20U);
  EXPECT_EQ(size_after({.kept = 0, .pending = 9}), 0U);
  EXPECT_EQ(size_after({.kept = 2, .pending = 9, .torn_bytes = 4}), 14U);
  EXPECT_EQ(size_after({.kept = 2, .pending = 9, .torn_bytes = 4000}), 19U);
  EXPECT_EQ(size_after({.kept = 3, .pending = 9, .torn_bytes = 4}), 10U) << "SIZE cannot tear";
  EXPECT_EQ(size_after({.kept = 2, .pending = 9, .sync_first = true}), 10U);
}

TEST(DiskPower, TheEffectNamesWhatWasLost) {
  Disk disk;
  disk.mkdir("data");
  disk.create("data/log");
  disk.settle();
  disk.write("data/log", 5000, std::string(64, 'x'));
  disk.rename("data/log", "data/old");
  const auto effect = [&](const Survivors& s) {
    return disk.volume.clone()->power_loss(kIdle, s).description;
  };
  EXPECT_EQ(effect({.kept = 0, .pending = 3, .torn_bytes = 14}),
            "kept 0 of 3 pending operations; 14 of 64 bytes of page 1 of /data/old");
  EXPECT_EQ(effect({.kept = 2, .pending = 3}),
            "kept 2 of 3 pending operations; first lost: rename /data/log to /data/old");
  EXPECT_EQ(effect({.kept = 3, .pending = 3}), "kept 3 of 3 pending operations");
  disk.settle();
  EXPECT_EQ(effect({}), "nothing was pending");
}

TEST(DiskPower, TheEffectNamesTheMissingBarrier) {
  for (const Profile profile : {Profile::kInOrder, Profile::kStrictPosix}) {
    const bool strict = profile == Profile::kStrictPosix;
    Disk disk({.profile = profile, .tear = TearUnit::kSector});
    disk.mkdir("data");
    disk.create("data/log");
    disk.settle();
    disk.write("data/log", 0, "abc");
    disk.rename("data/log", "data/old");
    disk.create("data/new");
    const auto barrier = [&](const Survivors& s, InFlight in_flight) {
      return disk.volume.clone()->power_loss(in_flight, s).missing_barrier;
    };
    const std::string created = strict ? "fsync of directory /data after create"
                                       : "fsync of /data/new after create";
    EXPECT_EQ(barrier({.kept = 0, .pending = 4}, kIdle),
              "would have survived with: fsync of /data/old after the write; fsync of directory "
              "/data after rename; " + created);
    EXPECT_EQ(barrier({.kept = 3, .pending = 4}, kIdle), "would have survived with: " + created);
    EXPECT_EQ(barrier({.kept = 3, .pending = 4}, kLastOp), "") << "the create had not returned";
    EXPECT_EQ(barrier({.kept = 4, .pending = 4}, kIdle), "");
    EXPECT_EQ(barrier({.kept = 2, .pending = 4}, in_sync(disk.ino("data"))), "")
        << "the sync was under way";
  }
}

TEST(DiskPower, SetsAreAppliedAsFarAsTheyFit) {
  Disk disk({.profile = Profile::kStrictPosix, .tear = TearUnit::kSector});
  disk.mkdir("data");
  disk.create("data/log");
  disk.settle();
  disk.write("data/log", 0, std::string(2000, 'x'));   // DATA EXT
  disk.rename("data/log", "data/old");
  disk.create("data/log");
  const auto apply = [&](const Survivors& s) { return disk.volume.clone()->power_loss(kIdle, s); };
  const CrashEffect rename = apply({.kept = 3, .pending = 4, .lost = {2}});
  EXPECT_EQ(rename.applied, (Survivors{.kept = 2, .pending = 4, .lost = {2, 3}}))
      << "the new owner of a name goes with the old one's departure";
  EXPECT_EQ(rename.description, "kept 2 of 4 pending operations; lost: rename /data/log to "
                                "/data/old, create /data/log");
  const CrashEffect torn = apply({.kept = 2, .pending = 4, .lost = {0, 1},
                                  .torn = {{0, 0xff}, {1, 1}}});
  EXPECT_EQ(torn.applied, (Survivors{.kept = 2, .pending = 4, .lost = {0, 1}}))
      << "all sectors of four are no tear, and a size cannot tear";
  const CrashEffect mixed = apply({.kept = 2, .pending = 4, .lost = {0, 1}, .torn = {{0, 0xf5}}});
  EXPECT_EQ(mixed.applied.torn, (std::vector<TornPage>{{0, 5}}));
  EXPECT_EQ(mixed.description,
            "kept 2 of 4 pending operations; only sectors 0, 2 of 2000 bytes of page 0 of "
            "/data/old; lost: growth of /data/old to 2000");
  EXPECT_EQ(apply({.kept = 90, .pending = 100, .lost = {90, 91, 92, 93, 94, 95, 96, 97, 98, 99}})
                .operations_lost, 0U);
  EXPECT_EQ(apply({.kept = 2, .pending = 4}).applied.lost, (std::vector<std::uint64_t>{2, 3}))
      << "a prefix is a set";
  Disk prefix;
  prefix.create("f");
  prefix.settle();
  prefix.write("f", 0, "abc");
  const Survivors set{.kept = 1, .pending = 2, .lost = {0}};
  EXPECT_EQ(prefix.volume.power_loss(kIdle, set).applied.kept, 0U)
      << "and a set a prefix";
}

TEST(DiskPower, AFileSyncedUnderStrictPosixNeedsItsDirectory) {
  const auto survives = [](bool sync_directory) {
    Disk disk({.profile = Profile::kStrictPosix, .tear = TearUnit::kPage});
    disk.mkdir("d");
    disk.settle();
    disk.create("d/f");
    disk.write("d/f", 0, "abc");
    disk.fsync("d/f");
    if (sync_directory) disk.fsync("d");
    return [found = crash_states(disk.volume, kIdle).size(), &disk] {
      std::set<std::string> contents;
      for (const auto& after : crash_volumes(disk.volume, kIdle)) {
        contents.insert(Disk::look(*after, "d/f"));
      }
      EXPECT_GE(found, contents.size());
      return contents;
    }();
  };
  EXPECT_EQ(survives(false), (std::set<std::string>{"-", "abc"}));
  EXPECT_EQ(survives(true), (std::set<std::string>{"abc"}));
}

// ---- moments and draws

std::set<std::string> contents(const Disk& disk, InFlight in_flight, const std::string& path) {
  std::set<std::string> found;
  for (const auto& after : crash_volumes(disk.volume, in_flight)) {
    found.insert(Disk::look(*after, path));
  }
  return found;
}
using Texts = std::set<std::string>;

TEST(DiskPower, UnderSccOnlyTheOperationInFlightIsUncertain) {
  Disk disk({.profile = Profile::kScc});
  disk.create("f");
  EXPECT_EQ(contents(disk, kIdle, "f"), (Texts{""}));
  EXPECT_EQ(contents(disk, kLastOp, "f"), (Texts{"-", ""}));
  disk.write("f", 0, "abc");
  EXPECT_EQ(contents(disk, kIdle, "f"), (Texts{"abc"}));
  EXPECT_EQ(contents(disk, kLastOp, "f"), (Texts{"", "a", "ab", "abc"}));
  EXPECT_EQ(contents(disk, in_sync(disk.ino("f")), "f"), (Texts{"abc"}));
  EXPECT_EQ(disk.volume.pending_operations(), 0U);
  EXPECT_EQ(disk.volume.unlink(1, "none", SimTime(5)), Errno::kNoEnt);
  EXPECT_EQ(contents(disk, kLastOp, "f"), (Texts{"abc"})) << "a call that failed changed nothing";
}

TEST(DiskPower, UnderControlNothingIsUncertain) {
  Disk disk({.profile = Profile::kControl});
  disk.create("f");
  disk.write("f", 0, "abc");
  for (const InFlight& moment : {kIdle, kLastOp, in_sync(disk.ino("f"))}) {
    EXPECT_EQ(contents(disk, moment, "f"), (Texts{"abc"}));
  }
}

// Power fails inside fsync(g): g's operations may be there, in part too, without f's older ones.
TEST(DiskPower, ASyncInFlightWritesItsOwnFirst) {
  Disk disk({.tear = TearUnit::kPage});
  disk.create("f");
  disk.create("g");
  disk.settle();
  disk.write("f", 0, "1");
  disk.write("g", 0, "2");
  disk.append("g", "3");
  const auto both = [&](InFlight in_flight) {
    std::set<std::string> found;
    for (const auto& after : crash_volumes(disk.volume, in_flight)) {
      found.insert(Disk::look(*after, "f") + "," + Disk::look(*after, "g"));
    }
    return found;
  };
  EXPECT_EQ(both(kIdle), (Texts{",", "1,", "1,2", "1,23"}));
  EXPECT_EQ(both(in_sync(disk.ino("g"))), (Texts{",", "1,", "1,2", ",2", ",23", "1,23"}));
  disk.fsync("g");
  EXPECT_EQ(both(kIdle), (Texts{",23", "1,23"}));
}

TEST(DiskPower, EverySetIsDrawnSometimes) {
  Disk disk({.tear = TearUnit::kSector});
  disk.create("f");
  disk.settle();
  for (int i = 0; i < 5; ++i) disk.append("f", std::string(1000, 'x'));
  for (const InFlight& moment : {kIdle, kLastOp, in_sync(disk.ino("f"))}) {
    std::set<std::string> all;
    disk.volume.for_each_survivors(moment, [&](const Survivors& s) {
      all.insert(to_json(s).dump());
      return true;
    });
    std::set<std::string> drawn;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const Tearing tearing = i % 2 == 0 ? Tearing::kWhole : Tearing::kTorn;
      drawn.insert(to_json(disk.volume.draw_survivors(moment, Dice(mix64(i)), tearing)).dump());
    }
    EXPECT_EQ(drawn, all);
  }
}

TEST(DiskPower, ATornDrawTearsWheneverSomethingCan) {
  Disk disk;
  disk.create("f");
  disk.append("f", "some bytes");
  disk.create("g");
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_GT(disk.volume.draw_survivors(kIdle, Dice(i), Tearing::kTorn).torn_bytes, 0U);
    EXPECT_EQ(disk.volume.draw_survivors(kIdle, Dice(i), Tearing::kWhole).torn_bytes, 0U);
  }
}

}  // namespace
}  // namespace sf::kernel::disk
