// What every profile owes its users, tested on random programs without a second implementation.
//
// twin_test.cc shows that the volume does what its rules say; these tests show that the rules are
// sound: nothing that must survive is lost, whatever is folded out of order.
#include "kernel/disk/random_program.h"
#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

using Check = std::function<void(Volume&, const Call&)>;

// Runs programs of both styles; `before` and `after` are called around each call. Stops at the
// first failed expectation.
void for_programs(const VolumeOptions& options, std::uint64_t programs, const Check& before,
                  const Check& after) {
  // Only without one order are sectors torn here, and small writes would lie within one.
  const std::size_t bytes = options.tear == TearUnit::kSector ? 2500 : 12;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    Volume volume(options);
    Caller caller({.names_only = seed % 2 == 0, .data_bytes_max = bytes});
    std::string calls;
    for (const Command& command : draw_program(seed * 7919, 30)) {
      const auto call = caller.next(command, volume);
      if (!call) continue;
      if (before) before(volume, *call);
      Ino made = 0;
      calls += describe(*call) + " = " + perform(*call, volume, &made) + "\n";
      if (made != 0) caller.made(made);
      caller.done(*call);
      after(volume, *call);
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << "\n" << calls << dump(volume);
    }
  }
}

using Names = std::set<std::pair<Ino, std::string>>;   // (directory, name)

void collect(const Volume& volume, Ino directory, std::map<Ino, Names>& names) {
  const std::vector<DirectoryEntry> entries = *volume.list(directory, 0, 100'000);
  for (const DirectoryEntry& entry : entries) {
    if (entry.name == "." || entry.name == "..") continue;
    names[entry.ino].insert({directory, entry.name});
    if (entry.type == NodeType::kDirectory) collect(volume, entry.ino, names);
  }
}

std::map<Ino, Names> all_names(const Volume& volume) {
  std::map<Ino, Names> names;
  collect(volume, volume.root(), names);
  return names;
}

// The inodes that every crash state has.
std::set<Ino> never_lost(const Volume& volume) {
  std::set<Ino> common;
  bool first = true;
  for (const auto& after : crash_volumes(volume, kIdle)) {
    std::set<Ino> here;
    for (const auto& [ino, names] : all_names(*after)) here.insert(ino);
    if (first) {
      common = here;
    } else {
      std::erase_if(common, [&](Ino ino) { return !here.contains(ino); });
    }
    first = false;
  }
  return common;
}

// Where there are exponentially many states, programs are looked at while little is pending.
constexpr std::size_t kPendingMax = 7;
bool is_small(const Volume& volume) {
  return volume.options().profile != Profile::kStrictPosix ||
         volume.pending_operations() <= kPendingMax;
}

const VolumeOptions kStrictByPage{.profile = Profile::kStrictPosix, .tear = TearUnit::kPage};
const VolumeOptions kByPage{.profile = Profile::kInOrder, .tear = TearUnit::kPage};

// An inode that no power loss could remove, and that keeps a name through a call, cannot be lost
// after that call either. This is what folding a removal without the older link would break.
TEST(DiskSoundness, WhatAlwaysHasANameIsNeverLost) {
  for (const VolumeOptions& options : {kByPage, kStrictByPage}) {
    std::set<Ino> safe;
    for_programs(
        options, 400,
        [&](Volume& volume, const Call&) {
          if (!is_small(volume)) volume.write_back(SimTime::never());
          safe = never_lost(volume);
        },
        [&](Volume& volume, const Call& call) {
          const std::set<Ino> now = never_lost(volume);
          const std::map<Ino, Names> named = all_names(volume);
          for (const Ino ino : safe) {
            const bool lost = named.contains(ino) && !now.contains(ino);
            EXPECT_FALSE(lost) << ino << " by " << describe(call);
          }
        });
  }
}

// Under strict-posix, content is certain after fsync(f) wherever f has a name.
TEST(DiskSoundness, SyncedFilesHaveTheirContentUnderStrictPosix) {
  for_programs(kStrictByPage, 600, {}, [&](Volume& volume, const Call& call) {
    const auto stat = volume.stat(call.ino);
    if (call.kind == Call::Kind::kSync && stat && stat->type == NodeType::kFile &&
        is_small(volume)) {
      for (const auto& after : crash_volumes(volume, kIdle)) {
        if (!after->stat(call.ino)) continue;
        EXPECT_EQ(content_of(*after, call.ino), content_of(volume, call.ino));
      }
    }
    if (!is_small(volume)) volume.write_back(SimTime::never());
  });
}

// After fsync(f) every crash state has f's content and every name that f has.
TEST(DiskSoundness, SyncedFilesAreThereWithTheirNames) {
  for_programs(kByPage, 1500, {}, [&](Volume& volume, const Call& call) {
    if (call.kind != Call::Kind::kSync || !volume.stat(call.ino)) return;
    const std::map<Ino, Names> now = all_names(volume);
    const auto named = now.find(call.ino);
    if (named == now.end()) return;
    for (const auto& after : crash_volumes(volume, kIdle)) {
      const Names survived = all_names(*after)[call.ino];
      for (const auto& name : named->second) EXPECT_TRUE(survived.contains(name)) << name.second;
      if (volume.stat(call.ino)->type != NodeType::kFile) continue;
      ASSERT_TRUE(after->stat(call.ino).has_value());
      EXPECT_EQ(content_of(*after, call.ino), content_of(volume, call.ino));
    }
  });
}

// After fsync(directory) every crash state has exactly its entries; under strict-posix unless the
// directory itself is not there.
void expect_entries_after_sync(const VolumeOptions& options, std::uint64_t programs) {
  for_programs(options, programs, {}, [&](Volume& volume, const Call& call) {
    if (!is_small(volume)) volume.write_back(SimTime::never());
    const auto stat = volume.stat(call.ino);
    if (call.kind != Call::Kind::kSync || !stat || stat->type != NodeType::kDirectory) return;
    if (stat->links == 0) return;
    const auto entries = [&](const Volume& v) {
      std::map<std::string, Ino> found;
      const std::vector<DirectoryEntry> listed = *v.list(call.ino, 0, 1000);
      for (const DirectoryEntry& entry : listed) {
        if (entry.name != "..") found[entry.name] = entry.ino;
      }
      return found;
    };
    for (const auto& after : crash_volumes(volume, kIdle)) {
      const bool there = after->stat(call.ino).has_value();
      ASSERT_TRUE(there || options.profile == Profile::kStrictPosix);
      if (!there) continue;
      EXPECT_EQ(entries(*after), entries(volume));
    }
  });
}

TEST(DiskSoundness, SyncedDirectoriesHaveTheirEntries) {
  expect_entries_after_sync(kByPage, 1500);
  expect_entries_after_sync(kStrictByPage, 600);
}

// The weaker profile can do whatever the stronger can, at one tear unit.
void expect_within(VolumeOptions narrow, VolumeOptions wide, TearUnit tear,
                   std::size_t data_bytes_max) {
  narrow.tear = wide.tear = tear;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Volume a(narrow);
    Volume b(wide);
    Caller caller({.data_bytes_max = data_bytes_max});
    SimTime never_older = SimTime::zero();
    for (const Command& command : draw_program(seed, 25)) {
      if (!is_small(b)) {   // both write back all they have
        a.write_back(never_older);
        b.write_back(never_older);
      }
      const auto call = caller.next(command, a);
      if (!call) continue;
      never_older = call->now + nanoseconds(1);
      Ino made = 0;
      EXPECT_EQ(perform(*call, a, &made), perform(*call, b));
      if (made != 0) caller.made(made);
      caller.done(*call);
      if (!is_small(b)) continue;
      for (const InFlight moment : {kIdle, kLastOp, in_sync(call->ino)}) {
        const std::set<std::string> weak = crash_states(b, moment);
        for (const std::string& state : crash_states(a, moment)) {
          ASSERT_TRUE(weak.contains(state)) << "seed " << seed << "\n" << describe(*call) << "\n"
                                            << state;
        }
      }
    }
  }
}

const VolumeOptions kScc{.profile = Profile::kScc};
const VolumeOptions kInOrder{.profile = Profile::kInOrder};
const VolumeOptions kStrictPosix{.profile = Profile::kStrictPosix};
const VolumeOptions kPerFile{.prefix_scope = PrefixScope::kFile};
const VolumeOptions kStrictNames{.dirents = Dirents::kStrict};

TEST(DiskSoundness, SccIsWithinInOrder) {
  for (const TearUnit tear : {TearUnit::kByte, TearUnit::kPage}) {
    expect_within(kScc, kInOrder, tear, 12);
  }
}

TEST(DiskSoundness, InOrderIsWithinStrictPosix) {
  expect_within(kInOrder, kStrictPosix, TearUnit::kPage, 12);
  expect_within(kInOrder, kStrictPosix, TearUnit::kSector, 2500);
}

// With strict names less is folded out of order, so in-order itself is not within it (litmus 10).
TEST(DiskSoundness, SwitchesOfInOrderLieBetween) {
  expect_within(kInOrder, kPerFile, TearUnit::kPage, 12);
  expect_within(kPerFile, kStrictPosix, TearUnit::kPage, 12);
  expect_within(kStrictNames, kStrictPosix, TearUnit::kPage, 12);
}

// Writing back early, to bound memory, adds no state.
TEST(DiskSoundness, WriteBackOnlyTakesStatesAway) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Volume unbounded(kByPage);
    VolumeOptions options = kByPage;
    options.pending_operations_max = 4;
    Volume bounded(options);
    Caller caller(Style{});
    for (const Command& command : draw_program(seed, 40)) {
      const auto call = caller.next(command, bounded);
      if (!call) continue;
      Ino made = 0;
      EXPECT_EQ(perform(*call, bounded, &made), perform(*call, unbounded));
      if (made != 0) caller.made(made);
      caller.done(*call);
      EXPECT_LE(bounded.pending_operations(), 4U + 6U);   // the last call's steps come on top
      const std::set<std::string> all = crash_states(unbounded, kIdle);
      for (const std::string& state : crash_states(bounded, kIdle)) {
        ASSERT_TRUE(all.contains(state)) << "seed " << seed << "\n" << state;
      }
    }
  }
}

// A drawn survivor set is one of those that are enumerated; applying it leaves nothing pending and
// a disk that a second power loss does not change.
// Torn sets are drawn from more than are enumerated: there the untorn part has to be.
TEST(DiskSoundness, DrawnSetsAreAmongTheEnumerated) {
  for (const VolumeOptions& options :
       {VolumeOptions{.profile = Profile::kStrictPosix, .tear = TearUnit::kSector},
        VolumeOptions{.tear = TearUnit::kSector, .prefix_scope = PrefixScope::kFile}}) {
    std::uint64_t draws = 0;
    std::uint64_t torn_draws = 0;
    for_programs(options, 150, {}, [&](Volume& volume, const Call&) {
      if (volume.pending_operations() > kPendingMax) volume.write_back(SimTime::never());
      std::set<std::vector<std::uint64_t>> all;
      volume.for_each_survivors(kIdle, [&](const Survivors& s) {
        all.insert(s.lost);
        return true;
      });
      for (const Tearing tearing : {Tearing::kWhole, Tearing::kTorn}) {
        const Survivors drawn = volume.draw_survivors(kIdle, Dice(++draws), tearing);
        EXPECT_TRUE(all.contains(drawn.lost));
        EXPECT_TRUE(tearing == Tearing::kTorn || drawn.torn.empty());
        torn_draws += drawn.torn.empty() ? 0 : 1;
        const auto after = volume.clone();
        const CrashEffect effect = after->power_loss(kIdle, drawn);
        EXPECT_EQ(effect.applied, drawn) << "a drawn set fits";
        EXPECT_EQ(after->pending_operations(), 0U);
        const auto replayed = volume.clone();
        replayed->power_loss(kIdle, effect.applied);
        EXPECT_EQ(replayed->image_hash(), after->image_hash());
      }
    });
    EXPECT_GT(torn_draws, 0U);
  }
}

TEST(DiskSoundness, DrawnSurvivorsAreAmongTheEnumerated) {
  for (const Profile profile : {Profile::kControl, Profile::kScc, Profile::kInOrder}) {
    std::uint64_t draws = 0;
    for_programs({.profile = profile}, 60, {}, [&](Volume& volume, const Call& call) {
      for (const InFlight moment : {kIdle, kLastOp, in_sync(call.ino)}) {
        std::vector<Survivors> all;
        volume.for_each_survivors(moment, [&](const Survivors& s) {
          all.push_back(s);
          return true;
        });
        for (const Tearing tearing : {Tearing::kWhole, Tearing::kTorn}) {
          const Survivors drawn = volume.draw_survivors(moment, Dice(++draws), tearing);
          EXPECT_NE(std::find(all.begin(), all.end(), drawn), all.end());
          const auto after = volume.clone();
          const CrashEffect effect = after->power_loss(moment, drawn);
          EXPECT_EQ(effect.operations_kept, drawn.kept);
          EXPECT_EQ(effect.operations_kept + effect.operations_lost, drawn.pending);
          EXPECT_EQ(effect.torn, drawn.torn_bytes > 0);
          EXPECT_EQ(after->pending_operations(), 0U);
          EXPECT_EQ(crash_states(*after, kLastOp), std::set<std::string>{dump(*after)});
        }
      }
    });
  }
}

// Keeping everything is like losing only the processes; hashes are equal for equal disks.
TEST(DiskSoundness, KillAndKeepingAllLeaveTheVolatileView) {
  for_programs({.profile = Profile::kInOrder}, 150, {}, [&](Volume& volume, const Call&) {
    const std::string seen = dump(volume);
    const Hash128 hash = volume.image_hash();
    const auto killed = volume.clone();
    killed->kill();
    EXPECT_EQ(dump(*killed), seen);
    const auto kept = volume.clone();
    const std::uint64_t pending = volume.pending_operations();
    kept->power_loss(kIdle, {.kept = pending, .pending = pending});
    EXPECT_EQ(dump(*kept), seen);
    EXPECT_EQ(kept->image_hash(), hash);
    EXPECT_EQ(dump(volume), seen) << "clones must not reach back";
  });
}

}  // namespace
}  // namespace sf::kernel::disk
