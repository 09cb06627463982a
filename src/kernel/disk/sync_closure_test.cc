// One smallest program for each need of sync_closure.cc. In each, a sync folds an operation whose
// needs are pending; the worst power loss after it, which loses everything else, must leave a disk
// that makes sense.
#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

// What a power loss leaves that loses all that is pending, and what one leaves that keeps the
// oldest `kept` of it.
std::unique_ptr<Volume> after_loss(const Disk& disk, std::uint64_t kept = 0) {
  auto volume = disk.volume.clone();
  volume->power_loss(kIdle, {.kept = kept, .pending = 1'000});
  return volume;
}

class DiskSyncNeeds : public testing::Test {
 protected:
  Disk disk{{.tear = TearUnit::kPage}};
};

TEST_F(DiskSyncNeeds, TheOldOwnerOfAnEntryLeavesIt) {
  disk.create("name");
  disk.write("name", 0, "old");
  disk.settle();
  disk.rename("name", "moved");
  disk.create("name");
  disk.fsync("name");
  EXPECT_EQ(Disk::look(*after_loss(disk), "moved"), "old");
  EXPECT_EQ(Disk::look(*after_loss(disk), "name"), "");
}

TEST_F(DiskSyncNeeds, AllNewDirectoriesAboveExist) {
  disk.mkdir("a");
  disk.mkdir("unrelated");
  disk.mkdir("a/b");
  disk.create("a/b/f");
  disk.write("a/b/f", 0, "x");
  disk.fsync("a/b/f");
  EXPECT_EQ(Disk::look(*after_loss(disk), "a/b/f"), "x");
  EXPECT_FALSE(Disk::exists(*after_loss(disk), "unrelated"));
}

TEST_F(DiskSyncNeeds, AMovedFileArrivesInANewDirectory) {
  disk.create("f");
  disk.settle();
  disk.mkdir("d");
  disk.rename("f", "d/f");
  disk.fsync("d/f");
  EXPECT_TRUE(Disk::exists(*after_loss(disk), "d/f"));
  EXPECT_FALSE(Disk::exists(*after_loss(disk), "f"));
}

TEST_F(DiskSyncNeeds, ASyncedDirectoryHasWhatMovedIn) {
  disk.mkdir("d");
  disk.create("f");
  disk.settle();
  disk.rename("f", "d/f");
  disk.fsync("d");
  EXPECT_TRUE(Disk::exists(*after_loss(disk), "d/f"));
}

TEST_F(DiskSyncNeeds, ALinkHasItsInode) {
  disk.mkdir("d");
  disk.settle();
  disk.create("f");
  disk.link("f", "d/g");
  disk.fsync("d");
  EXPECT_TRUE(Disk::exists(*after_loss(disk), "d/g"));
}

TEST_F(DiskSyncNeeds, WhatARenameReplacedWasThere) {
  disk.mkdir("a");
  disk.settle();
  disk.mkdir("b");
  disk.rename("a", "b");
  disk.fsync("b");
  EXPECT_TRUE(Disk::exists(*after_loss(disk), "b"));
  EXPECT_FALSE(Disk::exists(*after_loss(disk), "a"));
}

TEST_F(DiskSyncNeeds, RemovingANameKeepsTheOthers) {
  disk.mkdir("d");
  disk.create("f");
  disk.write("f", 0, "x");
  disk.settle();
  disk.link("f", "d/other");
  disk.unlink("f");
  disk.fsync(".");   // an entry operation of the root alone is the unlink
  EXPECT_EQ(Disk::look(*after_loss(disk), "d/other"), "x");
  EXPECT_FALSE(Disk::exists(*after_loss(disk), "f"));
}

TEST_F(DiskSyncNeeds, ReplacingANameKeepsTheOthers) {
  disk.mkdir("d");
  disk.create("f");
  disk.write("f", 0, "x");
  disk.create("g");
  disk.settle();
  disk.link("f", "d/other");
  disk.rename("g", "f");
  disk.fsync("f");
  EXPECT_EQ(Disk::look(*after_loss(disk), "d/other"), "x");
}

TEST_F(DiskSyncNeeds, RemovingADirectoryKeepsWhatMovedOut) {
  disk.mkdir("d");
  disk.create("d/f");
  disk.mkdir("e");
  disk.settle();
  disk.rename("d/f", "e/f");
  disk.rmdir("d");
  disk.fsync(".");
  EXPECT_TRUE(Disk::exists(*after_loss(disk), "e/f"));
  EXPECT_FALSE(Disk::exists(*after_loss(disk), "d"));
}

TEST_F(DiskSyncNeeds, ReplacingADirectoryKeepsWhatMovedOut) {
  disk.mkdir("d");
  disk.create("d/f");
  disk.mkdir("e");
  disk.mkdir("fresh");
  disk.settle();
  disk.rename("d/f", "e/f");
  disk.rename("fresh", "d");
  disk.fsync("d");
  EXPECT_TRUE(Disk::exists(*after_loss(disk), "e/f"));
  EXPECT_FALSE(Disk::exists(*after_loss(disk), "fresh"));
}

// Folding only the last of three moves, and then losing all but the first, would put b into a and a
// into b, and no path would lead to either.
TEST_F(DiskSyncNeeds, MovesOfDirectoriesMakeNoCycle) {
  disk.mkdir("a");
  disk.mkdir("b");
  disk.create("a/x");
  disk.settle();
  disk.rename("b", "a/b");
  disk.rename("a/b", "c");
  disk.rename("a", "c/a");
  disk.create("a");          // takes the entry, so that syncing it folds the last move
  disk.fsync("a");
  for (std::uint64_t kept = 0; kept <= disk.volume.pending_operations(); ++kept) {
    EXPECT_TRUE(Disk::exists(*after_loss(disk, kept), "c/a/x"));
  }
}

TEST_F(DiskSyncNeeds, OthersKeepTheirOrder) {
  disk.create("f");
  disk.create("g");
  disk.settle();
  disk.write("f", 0, "1");
  disk.write("g", 0, "2");
  disk.append("f", "3");
  disk.fsync("g");
  std::set<std::string> states;
  for (const auto& after : crash_volumes(disk.volume, kIdle)) {
    states.insert(Disk::look(*after, "f") + "," + Disk::look(*after, "g"));
  }
  EXPECT_EQ(states, (std::set<std::string>{",2", "1,2", "13,2"}));
}

}  // namespace
}  // namespace sf::kernel::disk
