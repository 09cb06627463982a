// The volume and its naive twin (twin.h) must answer every call alike, show the same disk after it,
// and allow exactly the same disks after a power loss, at any moment of any program.
//
// Method: random programs (random_program.h) on both. Planted bugs in the twin show that the
// comparison would notice each.
#include "kernel/disk/twin.h"

#include "kernel/disk/random_program.h"

namespace sf::kernel::disk {
namespace {

struct Conditions {
  Profile profile = Profile::kInOrder;
  TearUnit tear = TearUnit::kByte;
  Style style = {};
  Mutant mutant = Mutant::kNone;
  PrefixScope prefix_scope = PrefixScope::kNode;
  Dirents dirents = Dirents::kImplied;
  bool one_order() const {
    return profile != Profile::kStrictPosix && prefix_scope == PrefixScope::kNode;
  }
};

std::string perform(const Call& c, Twin& twin) {
  const auto errno_text = [](Errno error) { return std::string(errno_name(error)); };
  const auto count_text = [&](const auto& outcome) {
    return outcome ? std::to_string(*outcome) : errno_text(outcome.error());
  };
  switch (c.kind) {
    case Call::Kind::kFile:
      return count_text(twin.make(NodeType::kFile, c.directory, c.name, "", c.now));
    case Call::Kind::kDirectory:
      return count_text(twin.make(NodeType::kDirectory, c.directory, c.name, "", c.now));
    case Call::Kind::kSymlink:
      return count_text(twin.make(NodeType::kSymlink, c.directory, c.name, "to", c.now));
    case Call::Kind::kLink: return errno_text(twin.link(c.ino, c.directory, c.name, c.now));
    case Call::Kind::kUnlink: return errno_text(twin.remove(false, c.directory, c.name, c.now));
    case Call::Kind::kRmdir: return errno_text(twin.remove(true, c.directory, c.name, c.now));
    case Call::Kind::kRename:
      return errno_text(twin.rename(c.directory, c.name, c.to_directory, c.to_name, c.now));
    case Call::Kind::kWrite: return count_text(twin.write(c.ino, c.at, c.data, c.now));
    case Call::Kind::kTruncate: return errno_text(twin.truncate(c.ino, c.at, c.now));
    case Call::Kind::kTimes:
      return errno_text(twin.set_times(c.ino, c.accessed, c.modified, c.now));
    case Call::Kind::kSync: return errno_text(twin.sync(c.ino, SyncKind::kFull));
    case Call::Kind::kDataSync: return errno_text(twin.sync(c.ino, SyncKind::kDataOnly));
    case Call::Kind::kRetain: twin.retain(c.ino); return {};
    case Call::Kind::kRelease: twin.release(c.ino); return {};
    case Call::Kind::kKill: twin.kill(c.pages_kept); return {};
    case Call::Kind::kFailWriteback: return std::to_string(twin.fail_writeback(c.ino, c.pages));
    case Call::Kind::kEvict: twin.evict(); return {};
  }
  return {};
}

// Runs one program on both, up to the first difference.
class Pair {
 public:
  explicit Pair(const Conditions& conditions)
      : options_{.profile = conditions.profile,
                 .tear = conditions.tear,
                 .prefix_scope = conditions.prefix_scope,
                 .dirents = conditions.dirents},
        one_order_(conditions.one_order()),
        real_(options_),
        twin_(options_, conditions.mutant),
        caller_(conditions.style) {}

  // The calls made and the difference; empty if there is none.
  std::string run(const Program& program) {
    for (const Command& command : program) {
      if (const auto call = caller_.next(command, real_)) make(*call);
      // Without one order there are exponentially many states: they are compared while few.
      constexpr std::size_t kPendingMax = 6;
      const bool few = one_order_ || real_.pending_operations() <= kPendingMax;
      if (difference_.empty() && few && command[5] % 4 == 0) compare_crashes(command[4]);
      if (difference_.empty() && !few) start_anew();
      if (!difference_.empty()) return calls_ + difference_;
    }
    if (one_order_) compare_crashes(1);
    return difference_.empty() ? "" : calls_ + difference_;
  }

 private:
  void compare(const std::string& what, const std::string& real, const std::string& twin) {
    if (difference_.empty() && real != twin) {
      difference_ = what + "\n-- real\n" + real + "\n-- twin\n" + twin;
    }
  }
  void make(const Call& call) {
    Ino made = 0;
    const std::string real = disk::perform(call, real_, &made);
    const std::string twin = perform(call, twin_);
    if (made != 0) caller_.made(made);
    caller_.done(call);
    calls_ += describe(call) + " = " + real + "\n";
    compare("answer", real, twin);
    compare("view", dump(real_), twin_.view().dump());
  }
  // A power loss that keeps all.
  void start_anew() {
    real_.power_loss(kIdle, {});
    Twin::State all;
    for (std::size_t i = 0; i < twin_.steps(); ++i) all.kept.insert(i);
    twin_.crash(all);
    caller_.crashed();
    compare("view after a power loss that kept all", dump(real_), twin_.view().dump());
  }
  void compare_crashes(std::uint32_t word) {
    std::vector<InFlight> moments{kIdle, kLastOp};
    if (one_order_) moments.push_back(in_sync(caller_.any_inode(word / 8)));
    for (const InFlight& moment : moments) {
      std::set<std::string> twin;
      for (const Twin::State& state : twin_.states(moment)) twin.insert(twin_.dump_of(state));
      compare_sets(crash_states(real_, moment), twin);
      if (!difference_.empty()) return;
    }
    if (word % 3 == 0) crash(moments[word / 3 % moments.size()], word / 9);
  }
  void compare_sets(const std::set<std::string>& real, const std::set<std::string>& twin) {
    for (const std::string& state : real) {
      if (!twin.contains(state)) difference_ = "crash state of the real one only\n" + state;
    }
    for (const std::string& state : twin) {
      if (!real.contains(state)) difference_ = "crash state of the twin only\n" + state;
    }
  }
  // Both go on from the same crash state.
  void crash(const InFlight& moment, std::uint32_t word) {
    const std::vector<Twin::State> states = twin_.states(moment);
    const Twin::State& chosen = states[word % states.size()];
    const std::string wanted = twin_.dump_of(chosen);
    std::optional<Survivors> same;
    real_.for_each_survivors(moment, [&](const Survivors& survivors) {
      const auto trial = real_.clone();
      trial->power_loss(moment, survivors);
      if (dump(*trial) == wanted) same = survivors;
      return !same;
    });
    SF_CHECK(same.has_value());
    calls_ += "power loss: " + real_.power_loss(moment, *same).description + "\n";
    twin_.crash(chosen);
    caller_.crashed();
    compare("view after a power loss", dump(real_), twin_.view().dump());
  }

  VolumeOptions options_;
  bool one_order_;
  Volume real_;
  Twin twin_;
  Caller caller_;
  std::string calls_;
  std::string difference_;
};

std::string difference_of(const Conditions& conditions, const Program& program) {
  return Pair(conditions).run(program);
}

struct Batch {
  std::uint64_t first_seed = 0;
  std::uint64_t programs = 0;
  std::size_t length = 0;
};

void expect_equal(const Conditions& conditions, const Batch& batch) {
  for (std::uint64_t seed = batch.first_seed; seed < batch.first_seed + batch.programs; ++seed) {
    const Program program = draw_program(seed, batch.length);
    if (difference_of(conditions, program).empty()) continue;
    const Program least = shrunk(program, [&](const Program& p) {
      return !difference_of(conditions, p).empty();
    });
    FAIL() << "seed " << seed << "\n" << difference_of(conditions, least);
  }
}

TEST(DiskTwin, AgreesUnderControl) {
  expect_equal({.profile = Profile::kControl}, {1, 150, 40});
}

TEST(DiskTwin, AgreesUnderScc) {
  expect_equal({.profile = Profile::kScc}, {1000, 150, 40});
  expect_equal({.profile = Profile::kScc, .tear = TearUnit::kSector,
                .style = {.data_bytes_max = 9000}}, {1500, 50, 30});
}

TEST(DiskTwin, AgreesInOrder) {
  expect_equal({}, {2000, 250, 30});
}

TEST(DiskTwin, AgreesInOrderOnDeepNamespaces) {
  expect_equal({.style = {.names_only = true}}, {2500, 250, 40});
}

TEST(DiskTwin, AgreesInOrderWithSectorsAndPages) {
  expect_equal({.tear = TearUnit::kSector, .style = {.data_bytes_max = 9000}}, {3000, 60, 25});
  expect_equal({.tear = TearUnit::kPage, .style = {.data_bytes_max = 9000}}, {4000, 60, 30});
}

TEST(DiskTwin, AgreesWithStrictDirents) {
  expect_equal({.dirents = Dirents::kStrict}, {5000, 100, 30});
  expect_equal({.style = {.names_only = true}, .dirents = Dirents::kStrict}, {5500, 100, 40});
}

TEST(DiskTwin, AgreesWithPrefixesPerFile) {
  expect_equal({.tear = TearUnit::kPage, .prefix_scope = PrefixScope::kFile}, {6000, 150, 30});
}

TEST(DiskTwin, AgreesUnderStrictPosix) {
  expect_equal({.profile = Profile::kStrictPosix, .tear = TearUnit::kPage}, {7000, 150, 30});
  expect_equal({.profile = Profile::kStrictPosix, .tear = TearUnit::kPage,
                .style = {.names_only = true}}, {7500, 150, 40});
  expect_equal({.profile = Profile::kStrictPosix, .tear = TearUnit::kSector,
                .style = {.data_bytes_max = 3000}}, {8000, 40, 20});
}

TEST(DiskTwin, AgreesOnFailedWritebacks) {
  for (const Profile profile : {Profile::kControl, Profile::kScc, Profile::kInOrder}) {
    expect_equal({.profile = profile, .style = {.faults = true}}, {9000, 80, 30});
  }
  expect_equal({.style = {.data_bytes_max = 9000, .faults = true}, .dirents = Dirents::kStrict},
               {9200, 30, 20});
  expect_equal({.profile = Profile::kStrictPosix, .tear = TearUnit::kPage,
                .style = {.faults = true}}, {9500, 100, 30});
}

// Negative controls: a planted bug must be noticed within some thousand programs, and the program
// that shows it must show nothing without the bug.
class DiskTwinNotices : public testing::TestWithParam<Mutant> {};

TEST_P(DiskTwinNotices, PlantedBug) {
  constexpr std::uint64_t kProgramsMax = 4000;
  for (std::uint64_t seed = 1; seed <= kProgramsMax; ++seed) {
    Conditions conditions{.style = {.names_only = seed % 2 == 0}, .mutant = GetParam()};
    const Program program = draw_program(seed, 40);
    if (difference_of(conditions, program).empty()) continue;
    RecordProperty("programs", static_cast<int>(seed));
    conditions.mutant = Mutant::kNone;
    EXPECT_EQ(difference_of(conditions, program), "");
    return;
  }
  FAIL() << "nothing noticed in " << kProgramsMax << " programs";
}

// The same for what only strict-posix and the faults have. The chain of a page's versions has no
// bug to plant: a version is the whole page, so a later one shows what an earlier one wrote.
class DiskTwinNoticesToo : public testing::TestWithParam<Mutant> {};

TEST_P(DiskTwinNoticesToo, PlantedBug) {
  constexpr std::uint64_t kProgramsMax = 2000;
  for (std::uint64_t seed = 1; seed <= kProgramsMax; ++seed) {
    Conditions conditions{.profile = Profile::kStrictPosix, .tear = TearUnit::kPage,
                          .style = {.faults = true}, .mutant = GetParam()};
    const Program program = draw_program(seed, 30);
    if (difference_of(conditions, program).empty()) continue;
    RecordProperty("programs", static_cast<int>(seed));
    conditions.mutant = Mutant::kNone;
    EXPECT_EQ(difference_of(conditions, program), "");
    return;
  }
  FAIL() << "nothing noticed in " << kProgramsMax << " programs";
}

INSTANTIATE_TEST_SUITE_P(Mutants, DiskTwinNoticesToo,
                         testing::Values(Mutant::kForgetSizeChain, Mutant::kFileSyncFoldsNames,
                                         Mutant::kLostPageIsWritten, Mutant::kFailedSyncFolds));

INSTANTIATE_TEST_SUITE_P(
    Mutants, DiskTwinNotices,
    testing::Values(Mutant::kForgetRenameAtSync, Mutant::kForgetEntryChain, Mutant::kForgetBirth,
                    Mutant::kForgetKeep, Mutant::kForgetEmpty, Mutant::kForgetMoves,
                    Mutant::kTornNeverGrows, Mutant::kTruncateKeepsTail,
                    Mutant::kSyncFoldsEverything));

}  // namespace
}  // namespace sf::kernel::disk
