// A volume over a lower layer behaves as one to which everything was copied before the run.
//
// Method: a layer in memory; by hand for laziness, and random programs on both volumes, comparing
// every answer, the view after it and the disks that a power loss may leave.
#include <gtest/gtest.h>

#include "kernel/disk/random_program.h"
#include "kernel/disk/tree.h"
#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

class MemoryLayer final : public LowerLayer {
 public:
  static constexpr LowerId kTop = 1;

  LowerId add(LowerId directory, LowerEntry entry, std::string content = {}) {
    entry.id = next_++;
    entry.size = content.size();
    contents_[entry.id] = std::move(content);
    directories_[directory].push_back(entry);
    return entry.id;
  }
  Outcome<std::vector<LowerEntry>> list(LowerId directory) override {
    ++lists;
    if (gone) return fail(Errno::kAcces);
    return directories_[directory];
  }
  Outcome<std::optional<LowerEntry>> find(LowerId directory, std::string_view name) override {
    ++finds;
    if (gone) return fail(Errno::kAcces);
    for (const LowerEntry& entry : directories_[directory]) {
      if (entry.name == name) return entry;
    }
    return std::nullopt;
  }
  Errno may_read(LowerId file) override {
    SF_CHECK(contents_.contains(file));
    return gone ? Errno::kAcces : Errno::kOk;
  }
  Errno read(LowerId file, std::uint64_t offset, std::span<std::byte> into) override {
    ++reads;
    if (gone) return Errno::kIo;
    const std::string& content = contents_.at(file);
    SF_CHECK(offset + into.size() <= content.size());
    std::memcpy(into.data(), content.data() + offset, into.size());
    return Errno::kOk;
  }

  int lists = 0;
  int finds = 0;
  int reads = 0;
  bool gone = false;

 private:
  LowerId next_ = kTop + 1;
  std::map<LowerId, std::vector<LowerEntry>> directories_;
  std::map<LowerId, std::string> contents_;
};

LowerEntry file(const std::string& name) { return {.name = name, .type = NodeType::kFile}; }
LowerEntry folder(const std::string& name) { return {.name = name, .type = NodeType::kDirectory}; }

// /a (two pages and a bit), /b/a, /b/c -> to; all names are such as random programs use.
std::shared_ptr<MemoryLayer> small_layer() {
  auto layer = std::make_shared<MemoryLayer>();
  layer->add(MemoryLayer::kTop, file("a"), std::string(2 * kPageBytes + 9, 'l'));
  const LowerId b = layer->add(MemoryLayer::kTop, folder("b"));
  layer->add(b, file("a"), "lower");
  layer->add(b, {.name = "c", .type = NodeType::kSymlink, .target = "to"});
  return layer;
}

struct Layered {
  explicit Layered(const VolumeOptions& options = {}) : disk(options) {
    disk.volume.mount(disk.volume.root(), layer, MemoryLayer::kTop);
  }
  std::shared_ptr<MemoryLayer> layer = small_layer();
  Disk disk;
};

TEST(LowerLayer, ShowsNamesContentAndLinks) {
  Layered layered;
  EXPECT_EQ(layered.disk.read("/a"), std::string(2 * kPageBytes + 9, 'l'));
  EXPECT_EQ(layered.disk.read("/b/a"), "lower");
  const Ino link = *layered.disk.volume.lookup(layered.disk.ino("/b"), "c");
  EXPECT_EQ(*layered.disk.volume.read_symlink(link), "to");
  EXPECT_EQ(layered.disk.volume.stat(layered.disk.volume.root())->links, 3U);
  EXPECT_EQ(layered.disk.volume.stat(layered.disk.ino("/b"))->modified, SimTime::zero());
}

TEST(LowerLayer, IsAskedOnlyForWhatIsLookedAt) {
  Layered layered;
  EXPECT_TRUE(layered.disk.exists("/a"));
  EXPECT_TRUE(layered.disk.exists("/a"));
  EXPECT_EQ(layered.layer->finds, 1);
  EXPECT_FALSE(layered.disk.exists("/nothing"));
  EXPECT_EQ(layered.layer->finds, 2);
  EXPECT_EQ(layered.layer->lists, 0);
  EXPECT_EQ(layered.disk.volume.list(layered.disk.volume.root(), 0, 9)->size(), 4U);
  EXPECT_EQ(layered.layer->lists, 1);
  EXPECT_FALSE(layered.disk.exists("/nothing"));
  EXPECT_EQ(layered.layer->finds, 2);
  EXPECT_EQ(layered.layer->lists, 1);
  EXPECT_EQ(layered.layer->reads, 0);
  layered.disk.write("/a", 1, "x");   // copies one page
  EXPECT_EQ(layered.layer->reads, 2); // into both views
}

TEST(LowerLayer, WritesLandAboveItAndSurviveAPowerLossOnceSynced) {
  Layered layered;
  layered.disk.write("/a", kPageBytes + 1, "mine");
  layered.disk.truncate("/b/a", 3);
  layered.disk.fsync("/a");
  layered.disk.volume.power_loss(kIdle, Survivors{});
  std::string expected(2 * kPageBytes + 9, 'l');
  expected.replace(kPageBytes + 1, 4, "mine");
  EXPECT_EQ(layered.disk.read("/a"), expected);
  EXPECT_EQ(layered.disk.read("/b/a"), "low");   // in-order: older than the write
}

TEST(LowerLayer, WhatIsCutAwayNeverComesBackFromBeneath) {
  Layered layered;
  layered.disk.truncate("/a", 10);
  layered.disk.truncate("/a", 2 * kPageBytes);
  EXPECT_EQ(layered.disk.read("/a"),
            std::string(10, 'l') + std::string(2 * kPageBytes - 10, '\0'));
}

TEST(LowerLayer, RemovedNamesStayRemoved) {
  Layered layered;
  layered.disk.unlink("/b/a");
  EXPECT_FALSE(layered.disk.exists("/b/a"));
  layered.disk.rename("/a", "/c");
  EXPECT_EQ(layered.disk.volume.list(layered.disk.volume.root(), 0, 9)->size(), 4U);
  EXPECT_FALSE(layered.disk.exists("/a"));
  EXPECT_EQ(layered.disk.volume.remove_directory(layered.disk.volume.root(), "b", SimTime()),
            Errno::kNotEmpty);
  layered.disk.unlink("/b/c");
  layered.disk.rmdir("/b");
  layered.disk.mkdir("/b");
  EXPECT_EQ(layered.disk.volume.list(layered.disk.ino("/b"), 0, 9)->size(), 2U);
}

TEST(LowerLayer, AFolderThatCannotBeReadIsAnErrorOfTheCall) {
  Layered layered;
  layered.layer->gone = true;
  EXPECT_EQ(layered.disk.volume.lookup(layered.disk.volume.root(), "a").error(), Errno::kAcces);
  EXPECT_EQ(layered.disk.volume.create_file(layered.disk.volume.root(), "n", SimTime()).error(),
            Errno::kAcces);
  layered.layer->gone = false;
  const Ino a = layered.disk.ino("/a");
  layered.layer->gone = true;
  std::byte one{};
  EXPECT_EQ(layered.disk.volume.read(a, 0, std::span(&one, 1)).error(), Errno::kIo);
  EXPECT_EQ(layered.disk.volume.write(a, 0, as_bytes("x"), SimTime()).error(), Errno::kIo);
}

TEST(LowerLayer, SaysWhatAProgramChanged) {
  Layered layered;
  const Ino b = layered.disk.ino("/b");
  EXPECT_FALSE(layered.disk.volume.lower_state(b).listed);
  const Ino a = layered.disk.ino("/b/a");
  EXPECT_FALSE(layered.disk.volume.lower_state(b).listed);
  EXPECT_EQ(layered.disk.volume.known_entries(b).size(), 1U);
  EXPECT_EQ(layered.disk.volume.list(b, 0, 9)->size(), 4U);
  EXPECT_TRUE(layered.disk.volume.lower_state(b).listed);
  EXPECT_EQ(layered.disk.volume.known_entries(b).size(), 2U);
  EXPECT_FALSE(layered.disk.volume.lower_state(a).changed);
  layered.disk.write("/b/a", 0, "L");
  EXPECT_TRUE(layered.disk.volume.lower_state(a).changed);
  EXPECT_EQ(layered.disk.volume.lower_state(layered.disk.create("/new")).lower, 0U);
}

TEST(LowerLayer, InodeNumbersDependOnNothingButThePath) {
  Layered some;
  Layered more;
  more.layer->add(MemoryLayer::kTop, file("0"));
  more.layer->add(MemoryLayer::kTop, folder("1"));
  SF_CHECK(more.disk.volume.list(more.disk.volume.root(), 0, 9).has_value());
  for (const char* path : {"/a", "/b", "/b/a"}) {
    EXPECT_EQ(some.disk.ino(path), more.disk.ino(path)) << path;
  }
  EXPECT_EQ(some.disk.create("/new"), more.disk.create("/new"));
}

TEST(LowerLayer, LinksOfAFolderAreRightBeforeAnybodyLookedIntoIt) {
  Layered layered;
  layered.layer->add(layered.disk.volume.lower_state(layered.disk.ino("/b")).lower, folder("d"));
  EXPECT_EQ(layered.layer->lists, 0);
  EXPECT_EQ(layered.disk.volume.stat(layered.disk.ino("/b"))->links, 3U);
  EXPECT_EQ(layered.layer->lists, 1);
}

TEST(LowerLayer, AFolderThatCannotBeListedHasAStatus) {
  Layered layered;
  const Ino b = layered.disk.ino("/b");
  layered.layer->gone = true;
  EXPECT_EQ(layered.disk.volume.stat(b)->links, 2U);
}

TEST(LowerLayer, SaysWhatMayBeRead) {
  Layered layered;
  const Ino a = layered.disk.ino("/a");
  EXPECT_EQ(layered.disk.volume.may_read(a), Errno::kOk);
  layered.disk.create("/b/own");
  layered.layer->gone = true;
  EXPECT_EQ(layered.disk.volume.may_read(a), Errno::kAcces);
  EXPECT_EQ(layered.disk.volume.may_read(layered.disk.ino("/b/own")), Errno::kOk);
  layered.disk.truncate("/a", 0);
  EXPECT_EQ(layered.disk.volume.may_read(a), Errno::kOk);
}

// rmdir(2), rename(2): EBUSY. The layer is mounted at /x/y, and /x/z is free.
TEST(LowerLayer, WhereOneIsMountedNothingMoves) {
  Disk disk;
  for (const char* path : {"/x", "/x/y", "/x/z", "/free", "/free/full"}) disk.mkdir(path);
  disk.settle();
  disk.volume.mount(disk.ino("/x/y"), small_layer(), MemoryLayer::kTop);
  const Ino root = disk.volume.root();
  const Ino x = disk.ino("/x");
  const auto rename = [&](Ino from, const char* name, Ino to, const char* as) {
    return disk.volume.rename(from, name, to, as, SimTime());
  };
  EXPECT_EQ(disk.volume.remove_directory(x, "y", SimTime()), Errno::kBusy);
  EXPECT_EQ(disk.volume.remove_directory(root, "x", SimTime()), Errno::kNotEmpty);
  EXPECT_EQ(rename(x, "y", root, "y"), Errno::kBusy);
  EXPECT_EQ(rename(x, "z", x, "y"), Errno::kBusy);
  EXPECT_EQ(rename(root, "x", root, "w"), Errno::kBusy);
  EXPECT_EQ(rename(root, "free", root, "x"), Errno::kBusy);
  EXPECT_EQ(rename(x, "y", x, "y"), Errno::kOk);
  EXPECT_EQ(rename(x, "z", root, "z"), Errno::kOk);
  EXPECT_EQ(disk.read("/x/y/b/a"), "lower");
  const Ino b = disk.ino("/x/y/b");   // what it shows is free to go
  EXPECT_EQ(rename(disk.ino("/x/y"), "b", root, "b"), Errno::kOk);
  EXPECT_EQ(disk.ino("/b"), b);
}

// ---- the slow twin: a volume with a copy

void copy_small_layer(Volume& volume) {
  const auto fill = [&](Ino ino, const std::string& text) {
    SF_CHECK(volume.write(ino, 0, as_bytes(text), SimTime()) == text.size());
  };
  fill(*volume.create_file(volume.root(), "a", SimTime()), std::string(2 * kPageBytes + 9, 'l'));
  const Ino b = *volume.make_directory(volume.root(), "b", SimTime());
  fill(*volume.create_file(b, "a", SimTime()), "lower");
  SF_CHECK(volume.make_symlink(b, "c", "to", SimTime()).has_value());
  volume.power_loss(kLastOp, Survivors{.kept = 1, .pending = 1});
}

// The copy numbers its inodes /a, /b, /b/a, /b/c, then what the program makes; the other volume
// has numbers of their own for the first four.
struct Numbers {
  static constexpr Ino kCopied = 4;
  std::vector<Ino> lower;
  Ino of(Ino twin) const {
    if (twin <= Tree::kRoot) return twin;
    return twin - 2 < kCopied ? lower[twin - 2] : twin - kCopied;
  }
  Call of(Call call) const {
    for (Ino* ino : {&call.ino, &call.directory, &call.to_directory}) *ino = of(*ino);
    return call;
  }
};

// Looks at everything, and leaves the volume itself as lazy as it was.
std::string dump_of_clone(const Volume& volume) { return dump(*volume.clone()); }

// Empty when both agree at every step; else the calls and the difference.
std::string compare(const VolumeOptions& options, const Program& program, bool forget_to_copy) {
  Layered layered(options);
  Volume& real = layered.disk.volume;
  Volume twin(options);
  if (forget_to_copy) {
    for (const char* name : {"d", "e", "f", "g"}) {   // so that numbers stay alike
      SF_CHECK(twin.create_file(twin.root(), name, SimTime()).has_value());
    }
  } else {
    copy_small_layer(twin);
  }
  Caller caller({});
  Numbers numbers;
  for (const char* path : {"/a", "/b", "/b/a", "/b/c"}) {
    numbers.lower.push_back(
        resolve_path(real, real.root(), path, FinalSymlink::kKeep)->ino);
  }
  caller.made(Tree::kRoot + Numbers::kCopied);
  std::string calls;
  for (const Command& command : program) {
    const auto call = caller.next(command, twin);
    if (!call) continue;
    Ino made = 0;
    Ino made_here = 0;
    std::string answer = perform(numbers.of(*call), real, &made_here);
    const std::string expected = perform(*call, twin, &made);
    if (made_here != 0) answer = std::to_string(made_here + Numbers::kCopied);
    calls += describe(*call) + " -> " + answer + "\n";
    if (answer != expected) return calls + "twin: " + expected;
    if (made != 0) caller.made(made);
    caller.done(*call);
    if (dump_of_clone(real) != dump(twin)) {
      return calls + dump_of_clone(real) + "twin:\n" + dump(twin);
    }
    constexpr std::size_t kPendingMax = 5;
    if (real.pending_operations() > kPendingMax) {
      const Survivors all{.kept = 1, .pending = 1};
      real.power_loss(kIdle, all);
      twin.power_loss(kIdle, all);
      caller.crashed();
    } else if (crash_states(real, kIdle) != crash_states(twin, kIdle)) {
      return calls + "different disks after a power loss";
    }
  }
  return {};
}

TEST(LowerLayer, BehavesAsACopyInEveryProfile) {
  for (const Profile profile :
       {Profile::kControl, Profile::kScc, Profile::kInOrder, Profile::kStrictPosix}) {
    VolumeOptions options{.profile = profile};
    if (profile == Profile::kStrictPosix) options.tear = TearUnit::kSector;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Program program = draw_program(seed, 25);
      const std::string difference = compare(options, program, false);
      if (difference.empty()) continue;
      const auto fails = [&](const Program& p) { return !compare(options, p, false).empty(); };
      FAIL() << "profile " << static_cast<int>(profile) << " seed " << seed << "\n"
             << compare(options, shrunk(program, fails), false);
    }
  }
}

TEST(LowerLayer, TheComparisonNoticesAMissingLayer) {
  EXPECT_NE(compare({}, draw_program(1, 25), true), "");
}

}  // namespace
}  // namespace sf::kernel::disk
