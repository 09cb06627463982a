// Writeback that fails, by the contract at the top of writeback.h; fault-models.md section 7, rows
// 22 to 25, and what a faulty device does besides.
#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

const std::string kOldPage(kPageBytes, 'o');
const std::string kNewPage(kPageBytes, 'n');

// A file of two durable old pages, overwritten with new ones.
class DiskWriteback : public testing::TestWithParam<Profile> {
 protected:
  DiskWriteback() : disk({.profile = GetParam()}) {
    f = disk.create("f");
    disk.write("f", 0, kOldPage + kOldPage);
    disk.fsync("f");
    disk.fsync(".");
    disk.write("f", 0, kNewPage + kNewPage);
  }
  Errno sync(ErrorCursor& cursor) { return disk.volume.sync(f, SyncKind::kFull, cursor); }
  Errno sync_newly_opened() {
    ErrorCursor cursor = disk.volume.open_cursor(f);
    return sync(cursor);
  }
  // What every power loss leaves of the file.
  std::set<std::string> states() const {
    std::set<std::string> found;
    for (const auto& after : crash_volumes(disk.volume, kIdle)) {
      found.insert(Disk::look(*after, "f"));
    }
    return found;
  }
  Disk disk;
  Ino f = 0;
};
using Texts = std::set<std::string>;

// Row 22, and where the divergence shows.
TEST_P(DiskWriteback, LostPagesStayInTheCacheUntilItIsDropped) {
  ErrorCursor cursor = disk.volume.open_cursor(f);
  const WritebackEffect effect = disk.volume.fail_writeback(f, {.pages = {1}});
  EXPECT_EQ(effect.pages_lost, 1U);
  EXPECT_EQ(effect.description, "page 1 of /f turned clean; the disk keeps the old bytes");
  EXPECT_EQ(disk.volume.dirty_pages(f), (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(sync(cursor), Errno::kIo);
  EXPECT_EQ(sync(cursor), Errno::kOk) << "a retry has nothing to write for the page";
  EXPECT_EQ(disk.read("f"), kNewPage + kNewPage);
  EXPECT_EQ(states(), Texts{kNewPage + kOldPage}) << "the other page of the batch is written";
  disk.volume.kill();
  EXPECT_EQ(disk.read("f"), kNewPage + kNewPage) << "a kill recovers from the wrong cache";
  const EvictEffect evicted = disk.volume.evict();
  EXPECT_EQ(evicted.revealed, 1U);
  EXPECT_EQ(evicted.description, "2 clean pages dropped; the disk's bytes show in page 1 of /f");
  EXPECT_EQ(disk.read("f"), kNewPage + kOldPage);
  EXPECT_EQ(disk.volume.evict().revealed, 0U);
}

TEST_P(DiskWriteback, PowerLossRevealsToo) {
  ErrorCursor cursor = disk.volume.open_cursor(f);
  disk.volume.fail_writeback(f, {});
  EXPECT_EQ(sync(cursor), Errno::kIo);
  EXPECT_EQ(sync(cursor), Errno::kOk);
  disk.settle();
  EXPECT_EQ(disk.read("f"), kOldPage + kOldPage);
  EXPECT_EQ(sync_newly_opened(), Errno::kOk) << "errors do not outlive the boot";
}

TEST_P(DiskWriteback, NothingFailsWithoutAFault) {
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
  EXPECT_EQ(disk.volume.evict().revealed, 0U);
  EXPECT_EQ(disk.read("f"), kNewPage + kNewPage);
  EXPECT_EQ(states(), Texts{kNewPage + kNewPage});
}

// Row 23.
TEST_P(DiskWriteback, EachDescriptionIsToldOnce) {
  std::vector<ErrorCursor> cursors(10, disk.volume.open_cursor(f));
  disk.volume.fail_writeback(f, {.error = Errno::kNoSpc});
  for (ErrorCursor& cursor : cursors) EXPECT_EQ(sync(cursor), Errno::kNoSpc);
  for (ErrorCursor& cursor : cursors) EXPECT_EQ(sync(cursor), Errno::kOk);
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
  disk.write("f", 0, "again");
  disk.volume.fail_writeback(f, {});
  for (ErrorCursor& cursor : cursors) EXPECT_EQ(sync(cursor), Errno::kIo);
  for (ErrorCursor& cursor : cursors) EXPECT_EQ(sync(cursor), Errno::kOk);
}

// Row 24, and the failure in the background: a sync with nothing to write reports it.
TEST_P(DiskWriteback, AnErrorThatNobodySawGoesToTheNextOpener) {
  disk.volume.fail_writeback(f, {});
  disk.volume.kill();
  EXPECT_TRUE(disk.volume.dirty_pages(f).empty());
  EXPECT_EQ(sync_newly_opened(), Errno::kIo);
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
}

TEST_P(DiskWriteback, TwoErrorsThatNobodySawAreOne) {
  ErrorCursor cursor = disk.volume.open_cursor(f);
  disk.volume.fail_writeback(f, {});
  disk.write("f", 0, "again");
  disk.volume.fail_writeback(f, {});
  EXPECT_EQ(sync(cursor), Errno::kIo);
  EXPECT_EQ(sync(cursor), Errno::kOk);
}

// Row 25.
TEST_P(DiskWriteback, ALaterWriteAnywhereInThePageHealsIt) {
  disk.volume.fail_writeback(f, {});
  EXPECT_EQ(sync_newly_opened(), Errno::kIo);
  disk.write("f", kPageBytes + 7, "x");
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
  std::string healed = kNewPage;
  healed[7] = 'x';
  EXPECT_EQ(states(), Texts{kOldPage + healed});
  EXPECT_EQ(disk.volume.evict().revealed, 1U);
  EXPECT_EQ(disk.read("f"), kOldPage + healed);
}

TEST_P(DiskWriteback, AKillInsideTheHealingWriteTakesTheHealingBack) {
  disk.volume.fail_writeback(f, {});
  disk.write("f", 0, kOldPage + "zzz");
  disk.volume.kill(1);
  EXPECT_EQ(disk.read("f"), kOldPage + kNewPage);
  EXPECT_EQ(disk.volume.evict().revealed, 1U);
  EXPECT_EQ(disk.read("f"), kOldPage + kOldPage);
}

TEST_P(DiskWriteback, ATruncateThatCutsALostPageHealsIt) {
  disk.volume.fail_writeback(f, {});
  EXPECT_EQ(sync_newly_opened(), Errno::kIo);
  disk.truncate("f", 100);
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
  disk.volume.evict();
  EXPECT_EQ(disk.read("f"), std::string(100, 'n'));
  EXPECT_EQ(states(), Texts{std::string(100, 'n')});
}

TEST_P(DiskWriteback, AFailedWriteOfACutPageLeavesTheDisksBytesCut) {
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
  disk.truncate("f", 100);
  disk.volume.fail_writeback(f, {});
  EXPECT_EQ(sync_newly_opened(), Errno::kIo);
  disk.truncate("f", 200);
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
  EXPECT_EQ(states(), Texts{std::string(100, 'n') + std::string(100, '\0')});
}

TEST_P(DiskWriteback, StickyPagesFailAgainAndOneShotPagesDoNot) {
  for (const BadPage persistence : {BadPage::kOnce, BadPage::kSticky}) {
    const bool sticky = persistence == BadPage::kSticky;
    disk.write("f", 0, kNewPage);
    disk.volume.fail_writeback(f, {.persistence = persistence, .pages = {0}});
    EXPECT_EQ(sync_newly_opened(), Errno::kIo);
    disk.write("f", 0, kNewPage);
    EXPECT_EQ(sync_newly_opened(), sticky ? Errno::kIo : Errno::kOk);
    disk.write("f", kPageBytes, kNewPage);
    EXPECT_EQ(sync_newly_opened(), Errno::kOk) << "another page";
  }
  disk.settle();
  disk.write("f", 0, kNewPage);
  EXPECT_EQ(sync_newly_opened(), Errno::kIo) << "a reboot repairs no sector";
  disk.create("g");
  disk.write("g", 0, kNewPage);
  disk.fsync("g");
}

TEST_P(DiskWriteback, NothingIsLostWhereNothingWaited) {
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
  const WritebackEffect effect = disk.volume.fail_writeback(f, {});
  EXPECT_EQ(effect.pages_lost, 0U);
  EXPECT_EQ(effect.description, "nothing of /f that fails was waiting to be written");
  EXPECT_EQ(sync_newly_opened(), Errno::kOk);
}

INSTANTIATE_TEST_SUITE_P(Profiles, DiskWriteback,
                         testing::Values(Profile::kScc, Profile::kInOrder));

TEST(DiskWritebackSize, PersistsWithTheNextSyncWhileTheLostPageReadsZeros) {
  Disk disk;
  const Ino f = disk.create("f");
  disk.write("f", 0, kOldPage);
  disk.fsync("f");
  disk.append("f", kNewPage);
  disk.volume.fail_writeback(f, {});
  ErrorCursor cursor = disk.volume.open_cursor(f);
  EXPECT_EQ(disk.volume.sync(f, SyncKind::kFull, cursor), Errno::kIo);
  std::set<std::size_t> sizes;
  for (const auto& after : crash_volumes(disk.volume, kIdle)) {
    sizes.insert(Disk::look(*after, "f").size());
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{4096, 8192})) << "the failed sync promised nothing";
  EXPECT_EQ(disk.volume.sync(f, SyncKind::kFull, cursor), Errno::kOk);
  disk.volume.evict();
  EXPECT_EQ(disk.read("f"), kOldPage + std::string(kPageBytes, '\0'));
  disk.settle();
  EXPECT_EQ(disk.read("f"), kOldPage + std::string(kPageBytes, '\0'));
}

TEST(DiskWritebackProfiles, ControlHasNothingThatCouldFail) {
  Disk disk({.profile = Profile::kControl});
  const Ino f = disk.create("f");
  disk.write("f", 0, kNewPage);
  EXPECT_TRUE(disk.volume.dirty_pages(f).empty());
  EXPECT_EQ(disk.volume.fail_writeback(f, {}).pages_lost, 0U);
  ErrorCursor cursor = disk.volume.open_cursor(f);
  EXPECT_EQ(disk.volume.sync(f, SyncKind::kFull, cursor), Errno::kOk);
}

TEST(DiskWritebackProfiles, SccFailsOnlyTheLastOperation) {
  Disk disk({.profile = Profile::kScc});
  const Ino f = disk.create("f");
  disk.write("f", 0, kNewPage);
  disk.write("f", kPageBytes, kNewPage);
  EXPECT_EQ(disk.volume.dirty_pages(f), (std::vector<std::uint64_t>{1}));
}

// ---- eviction

TEST(DiskEvict, KeepsPendingData) {
  Disk disk;
  disk.create("f");
  disk.write("f", 0, kOldPage + kOldPage);
  disk.fsync("f");
  disk.write("f", 0, kNewPage);
  const EvictEffect effect = disk.volume.evict();
  EXPECT_EQ(effect.pages, 1U);
  EXPECT_EQ(effect.revealed, 0U);
  EXPECT_EQ(effect.description, "1 clean pages dropped");
  EXPECT_EQ(disk.read("f"), kNewPage + kOldPage);
}

TEST(DiskEvict, ShowsWhatTheDiskWillHaveAfterAPendingTruncate) {
  Disk disk;
  const Ino f = disk.create("f");
  disk.write("f", 0, kOldPage);
  disk.fsync("f");
  disk.truncate("f", 0);
  disk.write("f", 0, "new");
  disk.volume.fail_writeback(f, {});
  disk.volume.evict();
  EXPECT_EQ(disk.read("f"), std::string(3, '\0'));
}

// ---- synchronous writes

TEST(DiskSyncRange, FoldsTheRangeAndTheSizes) {
  Disk disk;
  const Ino f = disk.create("f");
  disk.fsync("f");
  disk.write("f", 0, kNewPage);
  disk.write("f", kPageBytes, kNewPage);
  ErrorCursor cursor = disk.volume.open_cursor(f);
  EXPECT_EQ(disk.volume.sync_range(f, kPageBytes, 10, SyncKind::kDataOnly, cursor), Errno::kOk);
  Texts found;
  for (const auto& after : crash_volumes(disk.volume, kIdle)) {
    const std::string content = Disk::look(*after, "f");
    ASSERT_EQ(content.size(), 2 * kPageBytes);
    EXPECT_EQ(content.substr(kPageBytes), kNewPage);
    found.insert(content.substr(0, 1) + content.substr(kPageBytes - 1, 1));
  }
  EXPECT_EQ(found, (Texts{std::string(2, '\0'), std::string("n\0", 2), "nn"}));
}

TEST(DiskSyncRange, TakesTheDataBeforeATruncateAlong) {
  Disk disk;
  const Ino f = disk.create("f");
  disk.fsync("f");
  disk.write("f", 0, kNewPage + kNewPage);
  disk.truncate("f", 10);
  ErrorCursor cursor = disk.volume.open_cursor(f);
  EXPECT_EQ(disk.volume.sync_range(f, 1ULL << 20, 1, SyncKind::kDataOnly, cursor), Errno::kOk);
  for (const auto& after : crash_volumes(disk.volume, kIdle)) {
    EXPECT_EQ(Disk::look(*after, "f"), std::string(10, 'n'));
  }
}

TEST(DiskSyncRange, ReportsErrors) {
  Disk disk;
  const Ino f = disk.create("f");
  disk.write("f", 0, kNewPage);
  ErrorCursor cursor = disk.volume.open_cursor(f);
  disk.volume.fail_writeback(f, {.persistence = BadPage::kSticky});
  EXPECT_EQ(disk.volume.sync_range(f, 0, 10, SyncKind::kFull, cursor), Errno::kIo);
  EXPECT_EQ(disk.volume.sync_range(f, 0, 10, SyncKind::kFull, cursor), Errno::kOk);
}

// ---- background commit

TEST(DiskWriteBack, FoldsWhatIsOldEnough) {
  Disk disk;
  disk.create("f");                       // at 1 ns
  disk.write("f", 0, "abc");              // at 2 ns
  disk.volume.write_back(SimTime(1));
  EXPECT_EQ(disk.volume.pending_operations(), 3U);
  disk.volume.write_back(SimTime(2));
  EXPECT_EQ(disk.volume.pending_operations(), 2U);
  disk.volume.write_back(SimTime(3));
  EXPECT_EQ(disk.volume.pending_operations(), 0U);
  EXPECT_EQ(crash_states(disk.volume, kIdle), std::set<std::string>{dump(disk.volume)});
}

TEST(DiskWriteBack, MeetsBadPages) {
  Disk disk;
  const Ino f = disk.create("f");
  disk.volume.fail_writeback(f, {.persistence = BadPage::kSticky, .pages = {0}});
  disk.write("f", 0, "abc");
  disk.volume.write_back(SimTime(1000));
  ErrorCursor cursor = disk.volume.open_cursor(f);
  EXPECT_EQ(disk.volume.sync(f, SyncKind::kFull, cursor), Errno::kIo);
  disk.volume.evict();
  EXPECT_EQ(disk.read("f"), std::string(3, '\0'));
}

// ---- a full disk

TEST(DiskFull, RefusesNewPagesAndInodesOnly) {
  Disk disk;
  const Ino f = disk.create("f");
  disk.write("f", 0, "abc");
  disk.volume.set_full(true);
  disk.write("f", 1, "xyz");
  const std::string three_pages(3 * kPageBytes, 'w');
  EXPECT_EQ(*disk.volume.write(f, 0, as_bytes(three_pages), SimTime(9)), kPageBytes);
  EXPECT_EQ(disk.volume.write(f, kPageBytes, as_bytes("q"), SimTime(9)).error(), Errno::kNoSpc);
  EXPECT_EQ(disk.volume.create_file(disk.volume.root(), "g", SimTime(9)).error(), Errno::kNoSpc);
  EXPECT_EQ(disk.volume.make_directory(disk.volume.root(), "g", SimTime(9)).error(),
            Errno::kNoSpc);
  disk.rename("f", "h");
  disk.unlink("h");
  disk.volume.set_full(false);
  disk.create("g");
  disk.append("g", "abc");
}

// ---- rot

TEST(DiskRot, IsStableAndRepairedByARewrite) {
  for (const Profile profile : {Profile::kControl, Profile::kScc, Profile::kInOrder}) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      Disk disk({.profile = profile});
      disk.create("f");
      disk.write("f", 0, kOldPage + "tail");
      disk.fsync("f");
      disk.create("empty");
      const auto effect = disk.volume.rot(Dice(seed));
      ASSERT_TRUE(effect.has_value());
      EXPECT_NE(effect->description.find("of /f flipped"), std::string::npos);
      const std::string rotten = disk.read("f");
      EXPECT_NE(rotten, kOldPage + "tail") << seed;
      EXPECT_EQ(rotten.size(), kPageBytes + 4U);
      std::set<std::size_t> sectors;
      for (std::size_t i = 0; i < rotten.size(); ++i) {
        if (rotten[i] != (kOldPage + "tail")[i]) sectors.insert(i / 512);
      }
      EXPECT_EQ(sectors.size(), 1U);
      EXPECT_EQ(disk.read("f"), rotten);
      disk.volume.evict();
      disk.settle();
      EXPECT_EQ(disk.read("f"), rotten);
      disk.write("f", 0, kOldPage + "tail");
      EXPECT_EQ(disk.read("f"), kOldPage + "tail");
    }
  }
}

TEST(DiskRot, DoesNotShowUnderPendingData) {
  Disk disk;
  const Ino f = disk.create("f");
  disk.write("f", 0, kOldPage);
  disk.fsync("f");
  disk.write("f", 0, kNewPage);
  ASSERT_TRUE(disk.volume.rot(Dice(1)).has_value());
  EXPECT_EQ(disk.read("f"), kNewPage);
  EXPECT_EQ(disk.volume.dirty_pages(f).size(), 1U);
  disk.volume.power_loss(kIdle, {.kept = 0, .pending = 1});
  EXPECT_NE(disk.read("f"), kOldPage);
}

TEST(DiskRot, NeedsDataOnTheDisk) {
  Disk disk;
  disk.create("f");
  disk.write("f", 0, "pending only");
  EXPECT_FALSE(disk.volume.rot(Dice(1)).has_value());
}

}  // namespace
}  // namespace sf::kernel::disk
