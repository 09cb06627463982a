// Reading and writing: POSIX behaviour, sparse files, capacity, hashes.
#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

constexpr SimTime kNow{1000};
constexpr std::uint64_t kHuge = 1ULL << 62;

class DiskContent : public testing::Test {
 protected:
  Disk disk;
  Volume& v = disk.volume;
};

TEST_F(DiskContent, WhatIsWrittenIsRead) {
  const Ino f = disk.create("f");
  std::string wanted;
  for (int i = 0; i < 300; ++i) {
    const std::string part = std::to_string(i * 977) + ";";
    disk.append("f", part);
    wanted += part;
  }
  disk.write("f", 3, std::string(9000, 'z'));
  wanted.replace(3, std::min<std::size_t>(9000, wanted.size() - 3), std::string(9000, 'z'));
  EXPECT_EQ(disk.read("f"), wanted);
  std::array<std::byte, 10> part{};
  EXPECT_EQ(v.read(f, wanted.size() - 4, part), 4U);
  EXPECT_EQ(v.read(f, wanted.size(), part), 0U);
  EXPECT_EQ(v.read(f, ~std::uint64_t{0}, part), 0U);
  EXPECT_EQ(v.read(f, 0, std::span<std::byte>()), 0U);
}

TEST_F(DiskContent, OnlyFilesHaveContent) {
  disk.symlink("x", "s");
  const Ino s = *v.lookup(v.root(), "s");
  std::array<std::byte, 1> one{};
  EXPECT_EQ(v.read(v.root(), 0, one).error(), Errno::kIsDir);
  EXPECT_EQ(v.write(v.root(), 0, one, kNow).error(), Errno::kIsDir);
  EXPECT_EQ(v.truncate(v.root(), 0, kNow), Errno::kIsDir);
  EXPECT_EQ(v.read(s, 0, one).error(), Errno::kInval);
  EXPECT_EQ(v.truncate(s, 0, kNow), Errno::kInval);
  EXPECT_EQ(v.write(4711, 0, one, kNow).error(), Errno::kNoEnt);
  EXPECT_EQ(v.set_times(4711, kNow, kNow, kNow), Errno::kNoEnt);
}

TEST_F(DiskContent, HolesReadZerosAndCostNothing) {
  Disk small({.capacity_bytes = 4 * kPageBytes});
  const Ino f = small.create("f");
  small.write("f", 1ULL << 40, "end");
  EXPECT_EQ(small.volume.stat(f)->size, (1ULL << 40) + 3);
  std::string gap(10, 'x');
  EXPECT_EQ(small.volume.read(f, (1ULL << 40) - 5, std::as_writable_bytes(std::span(gap))), 8U);
  EXPECT_EQ(gap.substr(0, 8), std::string(5, '\0') + "end");
  small.truncate("f", kHuge);
  EXPECT_EQ(small.volume.stat(f)->size, kHuge);
  EXPECT_EQ(small.volume.truncate(f, kHuge + 1, kNow), Errno::kFBig);
  EXPECT_EQ(small.volume.write(f, kHuge, as_bytes("x"), kNow).error(), Errno::kFBig);
  EXPECT_EQ(small.volume.write(f, ~std::uint64_t{0}, as_bytes("xyz"), kNow).error(), Errno::kFBig);
  EXPECT_EQ(small.volume.write(f, kHuge - 2, as_bytes("xyz"), kNow), 2U);
}

TEST_F(DiskContent, ShrinkThenGrowReadsZeros) {
  disk.create("f");
  disk.write("f", 0, std::string(10'000, 'x'));
  disk.truncate("f", 5000);
  disk.truncate("f", 10'000);
  EXPECT_EQ(disk.read("f"), std::string(5000, 'x') + std::string(5000, '\0'));
  disk.truncate("f", 4096);
  disk.write("f", 8192, "y");
  EXPECT_EQ(disk.read("f"), std::string(4096, 'x') + std::string(4096, '\0') + "y");
  disk.settle();
  EXPECT_EQ(disk.read("f"), std::string(4096, 'x') + std::string(4096, '\0') + "y");
}

TEST_F(DiskContent, AnEmptyWriteDoesNothing) {
  const Ino f = disk.create("f");
  const std::size_t before = v.pending_operations();
  EXPECT_EQ(v.write(f, 100, {}, kNow), 0U);
  EXPECT_EQ(v.stat(f)->size, 0U);
  EXPECT_EQ(v.pending_operations(), before);
}

TEST_F(DiskContent, FullDisksWriteShortFirst) {
  for (const Profile profile : {Profile::kControl, Profile::kScc, Profile::kInOrder}) {
    Disk small({.profile = profile, .capacity_bytes = 3 * kPageBytes + 100});
    const Ino f = small.create("f");
    const std::string data(5 * kPageBytes, 'x');
    EXPECT_EQ(small.volume.write(f, 10, as_bytes(data), kNow), 3 * kPageBytes - 10);
    EXPECT_EQ(small.volume.write(f, 3 * kPageBytes, as_bytes(data), kNow).error(), Errno::kNoSpc);
    EXPECT_EQ(small.volume.stat(f)->size, 3 * kPageBytes);
    EXPECT_EQ(small.volume.write(f, 0, as_bytes("overwrite"), kNow), 9U);
    const Ino g = small.create("g");
    EXPECT_EQ(small.volume.write(g, 0, as_bytes("x"), kNow).error(), Errno::kNoSpc);
    small.truncate("f", kPageBytes);
    EXPECT_EQ(small.volume.write(g, 0, as_bytes("x"), kNow), 1U);
    small.unlink("f");
    EXPECT_EQ(small.volume.write(g, kPageBytes, as_bytes(data), kNow), 2 * kPageBytes);
    small.settle();
    EXPECT_EQ(small.volume.write(g, 4 * kPageBytes, as_bytes("x"), kNow).error(), Errno::kNoSpc);
  }
}

// ---- bounded pending operations

TEST_F(DiskContent, PendingOperationsAreBounded) {
  Disk small({.pending_operations_max = 100});
  small.create("f");
  for (int i = 0; i < 10'000; ++i) {
    small.append("f", "record;");
    ASSERT_LE(small.volume.pending_operations(), 102U);
  }
  // What was written back has survived even the worst power loss; order is kept.
  const std::uint64_t pending = small.volume.pending_operations();
  small.volume.power_loss(kIdle, {.kept = 0, .pending = pending});
  const std::size_t size = small.read("f").size();
  EXPECT_GE(size, (10'000U - 51U) * 7U);
  EXPECT_LT(size, 70'000U);
}

TEST_F(DiskContent, PendingBytesAreThoseOfASync) {
  disk.create("f");
  disk.create("other");
  disk.settle();
  const Ino f = disk.ino("f");
  EXPECT_EQ(v.pending_bytes(f), 0U);
  disk.write("f", 0, std::string(5000, 'x'));
  disk.write("other", 0, "not mine");
  EXPECT_EQ(v.pending_bytes(f), 5000U);
  disk.rename("f", "renamed");
  EXPECT_EQ(v.pending_bytes(f), 5000U + 8U);
  disk.fsync("renamed");
  EXPECT_EQ(v.pending_bytes(f), 0U);
  EXPECT_EQ(v.pending_operations(), 2U);
}

// ---- hashes

TEST_F(DiskContent, TheImageHashSeesContentNotHistory) {
  Disk other;
  disk.create("f");
  disk.write("f", 0, std::string(20'000, 'a'));
  other.create("x");
  other.create("f");
  other.unlink("x");
  for (int i = 0; i < 20; ++i) other.write("f", i * 1000, std::string(1000, 'a'));
  EXPECT_EQ(v.image_hash(), other.volume.image_hash());
  other.write("f", 19'999, "b");
  EXPECT_NE(v.image_hash(), other.volume.image_hash());
}

TEST_F(DiskContent, TheImageHashTakesZerosForHoles) {
  Disk other;
  disk.create("f");
  disk.truncate("f", 10'000);
  other.create("f");
  other.write("f", 0, std::string(10'000, '\0'));
  EXPECT_EQ(v.image_hash(), other.volume.image_hash());
  disk.truncate("f", 10'001);
  EXPECT_NE(v.image_hash(), other.volume.image_hash());
}

TEST_F(DiskContent, TheImageHashKnowsHardLinksTypesAndTargets) {
  std::set<Hash128> hashes;
  for (int variant = 0; variant < 5; ++variant) {
    Disk d;
    d.create("a");
    if (variant == 0) d.create("b");
    if (variant == 1) d.link("a", "b");
    if (variant == 2) d.mkdir("b");
    if (variant == 3) d.symlink("a", "b");
    if (variant == 4) d.symlink("c", "b");
    hashes.insert(d.volume.image_hash());
  }
  EXPECT_EQ(hashes.size(), 5U);
}

// A sync promises nothing for what is written while it is under way: its mark is taken when it
// begins. Control: a sync without a mark covers both writes.
TEST(DiskSync, WhatIsWrittenAfterItsMarkIsNotCovered) {
  for (const bool marked : {true, false}) {
    Disk disk;
    const Ino ino = disk.create("/f");
    disk.write("/f", 0, std::string(kPageBytes, 'a'));
    const Mark begun = disk.volume.mark();
    disk.write("/f", kPageBytes, "b");
    ErrorCursor cursor = disk.volume.open_cursor(ino);
    const Mark before = marked ? begun : sf::kernel::disk::kNow;
    EXPECT_EQ(disk.volume.sync(ino, SyncKind::kFull, cursor, before), Errno::kOk);
    Survivors nothing;
    nothing.pending = 1;
    disk.volume.power_loss(kIdle, nothing);
    EXPECT_EQ(disk.read("/f"), std::string(kPageBytes, 'a') + (marked ? "" : "b"));
  }
}

// The same for a range, and for names: a rename that comes after the mark stays pending.
TEST(DiskSync, ARangeAndNamesKeepToTheMarkToo) {
  Disk disk;
  const Ino ino = disk.create("/f");
  disk.write("/f", 0, "a");
  const Mark begun = disk.volume.mark();
  disk.rename("/f", "/g");
  ErrorCursor cursor = disk.volume.open_cursor(ino);
  EXPECT_EQ(disk.volume.sync_range(ino, 0, 1, SyncKind::kFull, cursor, begun), Errno::kOk);
  Survivors nothing;
  nothing.pending = 1;
  disk.volume.power_loss(kIdle, nothing);
  EXPECT_TRUE(disk.exists("/f"));
  EXPECT_FALSE(disk.exists("/g"));
  EXPECT_EQ(disk.read("/f"), "a");
}

// posix_fallocate(3): zeros where nothing was, never a shorter file, ENOSPC on a full disk.
TEST(DiskAllocate, FillsHolesWithZerosAndKeepsTheRest) {
  Disk disk;
  const Ino ino = disk.create("/f");
  disk.write("/f", 0, "head");
  EXPECT_EQ(disk.volume.allocate(ino, 2, 3 * kPageBytes, SimTime(1)), Errno::kOk);
  EXPECT_EQ(disk.read("/f"), "head" + std::string(3 * kPageBytes - 2, '\0'));
  EXPECT_EQ(disk.volume.allocate(ino, 0, 1, SimTime(2)), Errno::kOk);
  EXPECT_EQ(disk.volume.stat(ino)->size, 3 * kPageBytes + 2);
  EXPECT_EQ(disk.volume.allocate(ino, 0, 0, SimTime(3)), Errno::kInval);
  EXPECT_EQ(disk.volume.allocate(ino, 1ULL << 62, 1, SimTime(3)), Errno::kFBig);
  disk.volume.set_full(true);
  EXPECT_EQ(disk.volume.allocate(ino, 0, 5 * kPageBytes, SimTime(4)), Errno::kNoSpc);
  EXPECT_EQ(disk.volume.allocate(ino, 0, 4 * kPageBytes, SimTime(5)), Errno::kOk);
}

}  // namespace
}  // namespace sf::kernel::disk
