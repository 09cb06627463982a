// A volume over a lower layer behaves as one to which everything was copied before the run.
//
// Method: a layer in memory; by hand for laziness, and random programs on both volumes, comparing
// every answer, the view after it and the disks that a power loss may leave.
#include <gtest/gtest.h>

#include "kernel/disk/random_program.h"
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
  Errno read(LowerId file, std::uint64_t offset, std::span<std::byte> into) override {
    ++reads;
    if (gone) return Errno::kIo;
    const std::string& content = contents_.at(file);
    SF_CHECK(offset + into.size() <= content.size());
    std::memcpy(into.data(), content.data() + offset, into.size());
    return Errno::kOk;
  }

  int lists = 0;
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
  EXPECT_EQ(layered.layer->lists, 0);
  EXPECT_TRUE(layered.disk.exists("/a"));
  EXPECT_EQ(layered.layer->lists, 1);
  EXPECT_FALSE(layered.disk.exists("/nothing"));
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
  EXPECT_TRUE(layered.disk.volume.lower_state(b).listed);
  EXPECT_FALSE(layered.disk.volume.lower_state(a).changed);
  layered.disk.write("/b/a", 0, "L");
  EXPECT_TRUE(layered.disk.volume.lower_state(a).changed);
  EXPECT_EQ(layered.disk.volume.lower_state(layered.disk.create("/new")).lower, 0U);
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

// Empty when both agree at every step; else the calls and the difference.
std::string compare(const VolumeOptions& options, const Program& program, bool forget_to_copy) {
  Layered layered(options);
  Volume& real = layered.disk.volume;
  Volume twin(options);
  if (!forget_to_copy) copy_small_layer(twin);
  Caller caller({});
  dump(real);   // takes over all entries, so that both number them alike
  caller.made(5);
  std::string calls;
  for (const Command& command : program) {
    const auto call = caller.next(command, real);
    if (!call) continue;
    Ino made = 0;
    const std::string answer = perform(*call, real, &made);
    const std::string expected = perform(*call, twin);
    calls += describe(*call) + " -> " + answer + "\n";
    if (answer != expected) return calls + "twin: " + expected;
    if (made != 0) caller.made(made);
    caller.done(*call);
    if (dump(real) != dump(twin)) return calls + dump(real) + "twin:\n" + dump(twin);
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
