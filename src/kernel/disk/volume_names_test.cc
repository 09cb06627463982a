// What Linux answers to calls on names. Each test makes the smallest tree that shows one rule.
#include "kernel/disk/directory_entries.h"
#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

constexpr SimTime kNow{1000};

class DiskNames : public testing::Test {
 protected:
  Disk disk;
  Volume& v = disk.volume;
  const Ino root = v.root();
  Errno rename(const std::string& a, const std::string& b) {
    return v.rename(root, a, root, b, kNow);
  }
};

TEST_F(DiskNames, BadNamesAreRefused) {
  const std::string longest(255, 'n');
  EXPECT_TRUE(v.create_file(root, longest, kNow).has_value());
  EXPECT_EQ(v.create_file(root, longest + "n", kNow).error(), Errno::kNameTooLong);
  EXPECT_EQ(v.create_file(root, "", kNow).error(), Errno::kNoEnt);
  EXPECT_EQ(v.create_file(root, "a/b", kNow).error(), Errno::kInval);
  EXPECT_EQ(v.create_file(root, std::string_view("a\0b", 3), kNow).error(), Errno::kInval);
  EXPECT_EQ(v.create_file(root, ".", kNow).error(), Errno::kExist);
  EXPECT_EQ(v.make_directory(root, "..", kNow).error(), Errno::kExist);
  EXPECT_EQ(v.unlink(root, ".", kNow), Errno::kIsDir);
  EXPECT_EQ(v.remove_directory(root, ".", kNow), Errno::kInval);
  EXPECT_EQ(v.remove_directory(root, "..", kNow), Errno::kNotEmpty);
}

TEST_F(DiskNames, OnlyDirectoriesHoldNames) {
  const Ino file = disk.create("f");
  EXPECT_EQ(v.create_file(file, "x", kNow).error(), Errno::kNotDir);
  EXPECT_EQ(v.lookup(file, "x").error(), Errno::kNotDir);
  EXPECT_EQ(v.lookup(4711, "x").error(), Errno::kNotDir);
  EXPECT_EQ(v.list(file, 0, 10).error(), Errno::kNotDir);
  EXPECT_EQ(v.rename(root, "f", file, "x", kNow), Errno::kNotDir);
}

TEST_F(DiskNames, DotAndDotsAreKnown) {
  const Ino a = disk.mkdir("a");
  const Ino b = disk.mkdir("a/b");
  EXPECT_EQ(v.lookup(b, "."), b);
  EXPECT_EQ(v.lookup(b, ".."), a);
  EXPECT_EQ(v.lookup(root, ".."), root);
  disk.rename("a/b", "b");
  EXPECT_EQ(v.lookup(b, ".."), root);
}

TEST_F(DiskNames, LinksAreCounted) {
  const Ino file = disk.create("f");
  disk.link("f", "g");
  EXPECT_EQ(v.stat(file)->links, 2U);
  EXPECT_EQ(v.stat(root)->links, 2U);
  const Ino d = disk.mkdir("d");
  disk.mkdir("d/e");
  EXPECT_EQ(v.stat(d)->links, 3U);
  EXPECT_EQ(v.stat(root)->links, 3U);
  disk.rename("d/e", "e");
  EXPECT_EQ(v.stat(d)->links, 2U);
  EXPECT_EQ(v.stat(root)->links, 4U);
  disk.unlink("f");
  EXPECT_EQ(v.stat(file)->links, 1U);
  EXPECT_EQ(v.link(d, root, "x", kNow), Errno::kPerm);
  EXPECT_EQ(v.link(file, root, "g", kNow), Errno::kExist);
  EXPECT_EQ(v.link(4711, root, "x", kNow), Errno::kNoEnt);
}

TEST_F(DiskNames, UnlinkAndRmdirKnowTheirTypes) {
  disk.create("f");
  disk.mkdir("d");
  disk.create("d/x");
  EXPECT_EQ(v.unlink(root, "d", kNow), Errno::kIsDir);
  EXPECT_EQ(v.remove_directory(root, "f", kNow), Errno::kNotDir);
  EXPECT_EQ(v.remove_directory(root, "d", kNow), Errno::kNotEmpty);
  EXPECT_EQ(v.unlink(root, "none", kNow), Errno::kNoEnt);
  disk.unlink("d/x");
  EXPECT_EQ(v.remove_directory(root, "d", kNow), Errno::kOk);
  EXPECT_FALSE(disk.exists("d"));
}

TEST_F(DiskNames, AnUnlinkedInodeLivesWhileItIsHeld) {
  const Ino file = disk.create("f");
  v.retain(file);
  disk.write("f", 0, "still here");
  disk.unlink("f");
  EXPECT_EQ(v.stat(file)->links, 0U);
  EXPECT_EQ(content_of(v, file), "still here");
  EXPECT_EQ(v.write(file, 0, as_bytes("S"), kNow), 1U);
  EXPECT_EQ(v.link(file, root, "again", kNow), Errno::kNoEnt);
  v.release(file);
  EXPECT_FALSE(v.stat(file).has_value());
}

TEST_F(DiskNames, AHeldRemovedDirectoryTakesNoNames) {
  const Ino d = disk.mkdir("d");
  v.retain(d);
  disk.rmdir("d");
  EXPECT_EQ(v.create_file(d, "x", kNow).error(), Errno::kNoEnt);
  EXPECT_EQ(v.lookup(d, "x").error(), Errno::kNoEnt);
  EXPECT_TRUE(v.list(d, 0, 10)->empty());
  EXPECT_EQ(v.lookup(d, ".."), root);
  disk.create("f");
  EXPECT_EQ(v.rename(root, "f", d, "f", kNow), Errno::kNoEnt);
}

TEST_F(DiskNames, KillAndPowerLossDropReferences) {
  for (const bool power : {false, true}) {
    const Ino file = disk.create("f");
    v.retain(file);
    disk.unlink("f");
    if (power) {
      disk.settle();
    } else {
      v.kill();
    }
    EXPECT_FALSE(v.stat(file).has_value());
  }
}

// ---- rename

TEST_F(DiskNames, RenameReplacesFiles) {
  disk.create("a");
  disk.write("a", 0, "new");
  const Ino old = disk.create("b");
  EXPECT_EQ(rename("a", "b"), Errno::kOk);
  EXPECT_EQ(disk.read("b"), "new");
  EXPECT_FALSE(disk.exists("a"));
  EXPECT_FALSE(v.stat(old).has_value());
}

TEST_F(DiskNames, RenameReplacesEmptyDirectoriesOnly) {
  disk.mkdir("a");
  disk.create("a/x");
  disk.mkdir("b");
  disk.mkdir("full");
  disk.create("full/y");
  EXPECT_EQ(rename("a", "full"), Errno::kNotEmpty);
  EXPECT_EQ(rename("a", "b"), Errno::kOk);
  EXPECT_TRUE(disk.exists("b/x"));
  EXPECT_EQ(v.stat(root)->links, 4U);
}

TEST_F(DiskNames, RenameRefusesMixedTypes) {
  disk.mkdir("d");
  disk.create("f");
  disk.symlink("f", "s");
  EXPECT_EQ(rename("d", "f"), Errno::kNotDir);
  EXPECT_EQ(rename("d", "s"), Errno::kNotDir);
  EXPECT_EQ(rename("f", "d"), Errno::kIsDir);
  EXPECT_EQ(rename("none", "f"), Errno::kNoEnt);
  EXPECT_EQ(rename("f", ""), Errno::kNoEnt);
  EXPECT_EQ(rename("f", "."), Errno::kBusy);
  EXPECT_EQ(rename("..", "x"), Errno::kBusy);
  EXPECT_EQ(rename("f", "s"), Errno::kOk);   // a symlink is replaced, not followed
  EXPECT_EQ(v.stat(disk.ino("s"))->type, NodeType::kFile);
}

TEST_F(DiskNames, RenameOfTwoNamesOfOneInodeDoesNothing) {
  disk.create("a");
  disk.link("a", "b");
  const std::size_t before = v.pending_operations();
  EXPECT_EQ(rename("a", "b"), Errno::kOk);
  EXPECT_EQ(rename("a", "a"), Errno::kOk);
  EXPECT_TRUE(disk.exists("a") && disk.exists("b"));
  EXPECT_EQ(v.pending_operations(), before);
}

TEST_F(DiskNames, ADirectoryDoesNotMoveBelowItself) {
  const Ino a = disk.mkdir("a");
  const Ino b = disk.mkdir("a/b");
  EXPECT_EQ(v.rename(root, "a", b, "x", kNow), Errno::kInval);
  EXPECT_EQ(v.rename(root, "a", a, "x", kNow), Errno::kInval);
  EXPECT_EQ(v.rename(a, "b", root, "a", kNow), Errno::kNotEmpty);
}

// ---- symlinks

TEST_F(DiskNames, SymlinksHoldUpTo4095Bytes) {
  const std::string longest(4095, 't');
  const Ino link = *v.make_symlink(root, "s", longest, kNow);
  EXPECT_EQ(v.read_symlink(link), longest);
  EXPECT_EQ(v.stat(link)->size, 4095U);
  EXPECT_EQ(v.make_symlink(root, "t", longest + "t", kNow).error(), Errno::kNameTooLong);
  EXPECT_EQ(v.make_symlink(root, "t", "", kNow).error(), Errno::kNoEnt);
  EXPECT_EQ(v.read_symlink(root).error(), Errno::kInval);
  EXPECT_EQ(v.read_symlink(4711).error(), Errno::kNoEnt);
}

// ---- list

TEST_F(DiskNames, ListStartsWithDotsAndPagesByCookie) {
  const Ino d = disk.mkdir("d");
  std::set<std::string> wanted{".", ".."};
  for (int i = 0; i < 100; ++i) {
    wanted.insert(std::to_string(i));
    disk.create("d/" + std::to_string(i));
  }
  for (const std::size_t limit : {1U, 2U, 7U, 1000U}) {
    std::vector<std::string> seen;
    std::uint64_t cookie = 0;
    while (true) {
      const auto part = *v.list(d, cookie, limit);
      for (const DirectoryEntry& entry : part) seen.push_back(entry.name);
      if (part.empty()) break;
      cookie = part.back().cookie;
    }
    EXPECT_EQ(seen[0], ".");
    EXPECT_EQ(seen[1], "..");
    EXPECT_EQ(seen.size(), wanted.size());
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), wanted);
  }
}

// The loop of `rm -r`: delete what the last page listed, go on at its cookie.
TEST_F(DiskNames, CookiesStayGoodWhileEntriesChange) {
  const Ino d = disk.mkdir("d");
  for (int i = 0; i < 50; ++i) disk.create("d/" + std::to_string(i));
  std::uint64_t cookie = 2;
  std::size_t removed = 0;
  for (auto part = *v.list(d, cookie, 3); !part.empty(); part = *v.list(d, cookie, 3)) {
    for (const DirectoryEntry& entry : part) disk.unlink("d/" + entry.name);
    removed += part.size();
    cookie = part.back().cookie;
  }
  EXPECT_EQ(removed, 50U);
  disk.rmdir("d");
}

TEST_F(DiskNames, OrderDependsOnNamesAlone) {
  const Ino a = disk.mkdir("a");
  const Ino b = disk.mkdir("b");
  for (const char* name : {"1", "2", "3", "4"}) disk.create(std::string("a/") + name);
  for (const char* name : {"4", "2", "1", "5", "3"}) disk.create(std::string("b/") + name);
  disk.unlink("b/5");
  const auto order = [&](Ino ino) {
    std::string names;
    const auto entries = *v.list(ino, 2, 10);
    for (const DirectoryEntry& entry : entries) names += entry.name;
    return names;
  };
  EXPECT_EQ(order(a), order(b));
}

// Two names that want one slot.
constexpr const char* kOne = "n6848";
constexpr const char* kOther = "n16623";

// Goal: rename(2) onto a name replaces what it leads to, and the name stays where a listing has it.
TEST_F(DiskNames, ARenamedOntoNameKeepsItsPlaceInAListing) {
  ASSERT_EQ(DirectoryEntries::home_of(kOne), DirectoryEntries::home_of(kOther));
  disk.create(kOne);
  disk.create(kOther);
  disk.create("temporary");
  const auto cookie_of = [&](const std::string& name) {
    const auto entries = *v.list(root, 0, 10);
    for (const DirectoryEntry& entry : entries) {
      if (entry.name == name) return entry.cookie;
    }
    return std::uint64_t{0};
  };
  const std::uint64_t before = cookie_of(kOther);
  EXPECT_EQ(before, cookie_of(kOne) + 1);
  disk.unlink(kOne);
  disk.rename("temporary", kOther);
  EXPECT_EQ(cookie_of(kOther), before);
}

TEST_F(DiskNames, TheImageHashKnowsNoHistoryOfNamesThatMet) {
  Disk other;
  for (const char* name : {kOne, kOther}) disk.create(name);
  for (const char* name : {kOther, kOne}) other.create(name);
  EXPECT_EQ(v.image_hash(), other.volume.image_hash());
}

TEST_F(DiskNames, CookiesFitThirtyOneBits) {
  const Ino d = disk.mkdir("d");
  for (int i = 0; i < 1000; ++i) disk.create("d/" + std::to_string(i));
  std::uint64_t last = 0;
  const auto entries = *v.list(d, 0, 2000);
  ASSERT_EQ(entries.size(), 1002U);
  for (const DirectoryEntry& entry : entries) {
    EXPECT_GT(entry.cookie, last);
    EXPECT_LT(entry.cookie, 1ULL << 31);
    EXPECT_EQ(v.list(d, last, 1)->front().name, entry.name);
    last = entry.cookie;
  }
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 31;
  for (const std::uint64_t beyond : {last, kEnd - 1, kEnd, ~std::uint64_t{0}}) {
    EXPECT_TRUE(v.list(d, beyond, 9)->empty());
  }
}

TEST_F(DiskNames, TimesFollowPosix) {
  const Ino file = *v.create_file(root, "f", SimTime(10));
  EXPECT_EQ(v.stat(root)->modified, SimTime(10));
  EXPECT_EQ(v.stat(file)->accessed, SimTime(10));
  ASSERT_EQ(v.link(file, root, "g", SimTime(20)), Errno::kOk);
  EXPECT_EQ(v.stat(file)->changed, SimTime(20));
  EXPECT_EQ(v.stat(file)->modified, SimTime(10));
  ASSERT_TRUE(v.write(file, 0, as_bytes("x"), SimTime(30)).has_value());
  EXPECT_EQ(v.stat(file)->modified, SimTime(30));
  EXPECT_EQ(v.stat(root)->modified, SimTime(20));
  ASSERT_EQ(v.set_times(file, SimTime(1), std::nullopt, SimTime(40)), Errno::kOk);
  EXPECT_EQ(v.stat(file)->accessed, SimTime(1));
  EXPECT_EQ(v.stat(file)->modified, SimTime(30));
  EXPECT_EQ(v.stat(file)->changed, SimTime(40));
}

TEST_F(DiskNames, InodesAreBounded) {
  Volume small({.inodes_max = 3});   // the root counts
  EXPECT_TRUE(small.create_file(small.root(), "a", kNow).has_value());
  EXPECT_TRUE(small.make_directory(small.root(), "b", kNow).has_value());
  EXPECT_EQ(small.create_file(small.root(), "c", kNow).error(), Errno::kNoSpc);
  EXPECT_EQ(small.unlink(small.root(), "a", kNow), Errno::kOk);
  EXPECT_TRUE(small.create_file(small.root(), "c", kNow).has_value());
}

// Names and the texts of links fill a disk too, and removing them makes room again.
TEST_F(DiskNames, WhatIsNoContentIsBounded) {
  constexpr std::uint64_t kCapacity = 64 * 1024;
  Volume small({.capacity_bytes = kCapacity});
  const std::string target(4000, 'x');
  const auto fill = [](auto make) {
    int made = 0;
    while (make("n" + std::to_string(made)) == Errno::kOk) ++made;
    return made;
  };
  const auto symlink = [&](const std::string& name) {
    const auto ino = small.make_symlink(small.root(), name, target, kNow);
    return ino ? Errno::kOk : ino.error();
  };
  const int links = fill(symlink);
  EXPECT_GT(links, 10);
  EXPECT_LT(links, 20);
  EXPECT_EQ(symlink("one more"), Errno::kNoSpc);
  const Ino file = *small.lookup(small.root(), "n0");
  EXPECT_EQ(small.link(file, small.root(), "another name", kNow), Errno::kNoSpc);
  for (int i = 0; i < links; ++i) {
    ASSERT_EQ(small.unlink(small.root(), "n" + std::to_string(i), kNow), Errno::kOk);
  }
  EXPECT_EQ(fill(symlink), links) << "all of it came back";
  small.power_loss(kIdle, {.kept = 0, .pending = small.pending_operations()});
  const auto create = [&small](const std::string& name) {
    const auto ino = small.create_file(small.root(), name, kNow);
    return ino ? Errno::kOk : ino.error();
  };
  const int files = fill(create);
  EXPECT_GT(files, 150);
  EXPECT_LT(files, 256);
}

TEST_F(DiskNames, ARemovedDirectoryThatIsHeldKeepsWhatWasAboveIt) {
  const Ino a = disk.mkdir("a");
  const Ino b = disk.mkdir("a/b");
  v.retain(b);
  disk.rmdir("a/b");
  disk.rmdir("a");
  EXPECT_EQ(*v.lookup(b, ".."), a);
  EXPECT_EQ(*v.lookup(a, ".."), root);
  EXPECT_EQ(v.stat(a)->links, 0U);
  EXPECT_EQ(v.lookup(a, "b").error(), Errno::kNoEnt);
  v.release(b);
  EXPECT_EQ(v.stat(a).error(), Errno::kNoEnt);
  EXPECT_EQ(v.stat(b).error(), Errno::kNoEnt);
}

TEST_F(DiskNames, DeepDirectoriesThatAreRemovedGoWithTheOneThatIsHeld) {
  constexpr std::size_t kDeep = 200'000;
  std::vector<Ino> path{root};
  while (path.size() < kDeep) path.push_back(*v.make_directory(path.back(), "d", kNow));
  const Ino deepest = path.back();
  v.retain(deepest);
  for (path.pop_back(); !path.empty(); path.pop_back()) {
    ASSERT_EQ(v.remove_directory(path.back(), "d", kNow), Errno::kOk);
  }
  const auto clone = v.clone();
  clone->kill();
  EXPECT_FALSE(clone->stat(deepest).has_value());
  const Ino parent = *v.lookup(deepest, "..");
  v.release(deepest);
  EXPECT_EQ(v.stat(deepest).error(), Errno::kNoEnt);
  EXPECT_EQ(v.stat(parent).error(), Errno::kNoEnt);
}

// A hostile program nests directories without end: nothing here may recurse.
TEST_F(DiskNames, DeepNestingIsHarmless) {
  Ino at = root;
  for (int i = 0; i < 200'000; ++i) at = *v.make_directory(at, "d", kNow);
  const Hash128 hash = v.image_hash();
  EXPECT_EQ(v.clone()->image_hash(), hash);
  const CrashEffect effect = v.power_loss(kIdle, {.kept = 0, .pending = v.pending_operations()});
  EXPECT_GT(effect.operations_lost, 0U);
  EXPECT_LT(effect.description.size(), 500U);
}

}  // namespace
}  // namespace sf::kernel::disk
