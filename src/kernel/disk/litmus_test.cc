// The litmus programs of fault-models.md, section 7, rows 1 to 21 (22 to 25 are about EIO).
//
// Each asks whether a power loss can leave a certain disk. Method: run the program step by step and
// enumerate every crash state before, inside and after each step; rows with a "mark" ask only about
// states after the program's end, when somebody may have been told. "Allowed" must be found at
// least once, "forbidden" never. In-order is like scc but for rows 3, 8, 10, 13 and 17; with
// dirents = strict rows 4, 12, 14 and 15 are allowed as well.
#include <algorithm>
#include <array>
#include <functional>

#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

enum class When : std::uint8_t { kAnywhere, kAfterMark };
enum class Answer : std::uint8_t { kForbidden, kAllowed };   // control and scc: all forbidden

struct Step {
  std::function<void(Disk&)> run;
  std::string synced = {};              // path, when it is a sync
};

struct Litmus {
  int row = 0;
  std::string question;
  std::function<void(Disk&)> setup;
  std::vector<Step> body;
  When when = When::kAnywhere;
  std::function<bool(const Volume&)> bad;
  Answer in_order = Answer::kForbidden;
  Answer strict_posix = Answer::kAllowed;
};

void PrintTo(const Litmus& litmus, std::ostream* out) { *out << litmus.row << litmus.question; }

// ---- steps
Step create(const std::string& path) { return {[=](Disk& d) { d.create(path); }}; }
Step mkdir(const std::string& path) { return {[=](Disk& d) { d.mkdir(path); }}; }
Step rename(const std::string& a, const std::string& b) {
  return {[=](Disk& d) { d.rename(a, b); }};
}
Step link(const std::string& a, const std::string& b) { return {[=](Disk& d) { d.link(a, b); }}; }
Step unlink(const std::string& path) { return {[=](Disk& d) { d.unlink(path); }}; }
Step truncate(const std::string& path, std::uint64_t size) {
  return {[=](Disk& d) { d.truncate(path, size); }};
}
Step write(const std::string& path, std::uint64_t at, const std::string& data) {
  return {[=](Disk& d) { d.write(path, at, data); }};
}
Step append(const std::string& path, const std::string& data) {
  return {[=](Disk& d) { d.append(path, data); }};
}
Step utimes(const std::string& path, std::int64_t to) {
  return {[=](Disk& d) {
    SF_CHECK(d.volume.set_times(d.ino(path), {}, SimTime(to), SimTime(to)) == Errno::kOk);
  }};
}
Step fsync(const std::string& path) { return {[=](Disk& d) { d.fsync(path); }, path}; }
Step fdatasync(const std::string& path) { return {[=](Disk& d) { d.fdatasync(path); }, path}; }

// ---- setups and looks
std::function<void(Disk&)> with_files(std::vector<std::pair<std::string, std::string>> files) {
  return [=](Disk& d) {
    for (const auto& [path, content] : files) {
      if (path.back() == '/') {
        d.mkdir(path.substr(0, path.size() - 1));
      } else {
        d.create(path);
        if (!content.empty()) d.write(path, 0, content);
      }
    }
  };
}
std::string look(const Volume& v, const std::string& path) { return Disk::look(v, path); }
bool exists(const Volume& v, const std::string& path) { return Disk::exists(v, path); }
bool has_nul(const std::string& text) { return text.find('\0') != text.npos; }

const std::string kOld(3000, 'o');
const std::string kNew(5000, 'n');

std::vector<Step> replace_by_rename(std::vector<Step> after = {}, bool synced = false) {
  std::vector<Step> body{create("tmp"), append("tmp", kNew)};
  if (synced) body.push_back(fsync("tmp"));
  body.push_back(rename("tmp", "file"));
  body.insert(body.end(), after.begin(), after.end());
  return body;
}

// New bytes only as one run at the front.
bool mixed_but_not_prefix(const std::string& content) {
  const std::size_t last_new = content.rfind('n');
  return last_new != content.npos && content.find('o') < last_new;
}

std::vector<Litmus> data_rows() {
  return {
      {1, "size beyond the old end but nulls behind it",
       with_files({{"f", std::string(2500, 'a')}}), {append("f", std::string(2500, 'b'))},
       When::kAnywhere, [](const Volume& v) { return has_nul(look(v, "f")); }},
      {2, "later write without the earlier",
       with_files({{"f", std::string(40'960, '0')}}),
       {write("f", 36'864, std::string(100, 'l')), write("f", 0, std::string(100, 'f'))},
       When::kAnywhere,
       [](const Volume& v) {
         const std::string f = look(v, "f");
         return f[0] == 'f' && f[36'963] != 'l';
       }},
      {3, "g new, f old", with_files({{"f", "0"}, {"g", "0"}}),
       {write("f", 0, "1"), write("g", 0, "1"), fsync("g")}, When::kAnywhere,
       [](const Volume& v) { return look(v, "g") == "1" && look(v, "f") == "0"; },
       Answer::kAllowed},
      {16, "old size after fdatasync", with_files({{"f", "a"}}), {append("f", "b"), fdatasync("f")},
       When::kAfterMark, [](const Volume& v) { return look(v, "f") != "ab"; },
       Answer::kForbidden, Answer::kForbidden},
      {17, "old mtime after fdatasync", with_files({{"f", "a"}}),
       {utimes("f", 777), fdatasync("f")}, When::kAfterMark,
       [](const Volume& v) {
         return v.stat(Disk::find(v, "f"))->modified != SimTime(777);
       },
       Answer::kAllowed},
      {18, "not zeros in the gap", with_files({{"f", std::string(5000, 'x')}}),
       {truncate("f", 100), truncate("f", 6000), fsync("f")}, When::kAnywhere,
       [](const Volume& v) {
         const std::string f = look(v, "f");
         return f.size() == 6000 && f.substr(100) != std::string(5900, '\0');
       }, Answer::kForbidden, Answer::kForbidden},
      {20, "second page or sector new, an earlier one old",
       with_files({{"f", std::string(8192, 'o')}}), {write("f", 0, std::string(8192, 'n'))},
       When::kAnywhere, [](const Volume& v) { return mixed_but_not_prefix(look(v, "f")); }},
      {21, "size with bytes that were never written", with_files({{"f", ""}}),
       {append("f", std::string(8192, 'n'))}, When::kAnywhere,
       [](const Volume& v) {
         return look(v, "f").find_first_not_of('n') != std::string::npos;
       }},
  };
}

std::vector<Litmus> replace_rows() {
  const auto torn = [](const Volume& v) {
    return look(v, "file") != kOld && look(v, "file") != kNew;
  };
  const auto old = [](const Volume& v) { return look(v, "file") == kOld; };
  return {
      {4, "synced new file missing", with_files({}), {create("f"), append("f", "x"), fsync("f")},
       When::kAfterMark, [](const Volume& v) { return look(v, "f") != "x"; }},
      {5, "neither old nor full new", with_files({{"file", kOld}}), replace_by_rename(),
       When::kAnywhere, torn},
      {6, "present but not full", with_files({}), replace_by_rename(), When::kAnywhere,
       [](const Volume& v) { return exists(v, "file") && look(v, "file") != kNew; }},
      {7, "torn although synced", with_files({{"file", kOld}}), replace_by_rename({}, true),
       When::kAnywhere, torn, Answer::kForbidden, Answer::kForbidden},
      {8, "old content after the mark", with_files({{"file", kOld}}), replace_by_rename({}, true),
       When::kAfterMark, old, Answer::kAllowed},
      {9, "old content after the directory's sync", with_files({{"file", kOld}}),
       replace_by_rename({fsync(".")}, true), When::kAfterMark, old,
       Answer::kForbidden, Answer::kForbidden},
  };
}

std::vector<Litmus> name_rows() {
  return {
      {10, "b without a", with_files({{"d/", ""}, {"e/", ""}}),
       {create("d/a"), create("e/b"), fsync("e/b")}, When::kAnywhere,
       [](const Volume& v) { return exists(v, "e/b") && !exists(v, "d/a"); }, Answer::kAllowed},
      {11, "foo lost", with_files({{"a/", ""}, {"a/b/", ""}, {"a/b/foo", "x"}, {"c/", ""}}),
       {rename("a/b/foo", "c/foo"), create("a/bar"), fsync("a")}, When::kAnywhere,
       [](const Volume& v) { return look(v, "a/b/foo") != "x" && look(v, "c/foo") != "x"; },
       Answer::kForbidden, Answer::kForbidden},
      {12, "new foo missing, old one still called foo", with_files({{"foo", "old"}}),
       {rename("foo", "bar"), create("foo"), fsync("foo")}, When::kAfterMark,
       [](const Volume& v) { return look(v, "foo") != "" || look(v, "bar") != "old"; }},
      {13, "one of both missing", with_files({{"foo", "old"}}),
       {rename("foo", "bar"), create("foo"), fsync("bar")}, When::kAfterMark,
       [](const Volume& v) { return !exists(v, "foo") || !exists(v, "bar"); }, Answer::kAllowed},
      {14, "bar missing", with_files({{"foo", "x"}}), {link("foo", "bar"), fsync("foo")},
       When::kAfterMark, [](const Volume& v) { return look(v, "bar") != "x"; }},
      {15, "rename not visible", with_files({{"x/", ""}, {"x/foo", "1"}, {"x/bar", "2"}}),
       {rename("x", "y"), mkdir("x"), fsync("x")}, When::kAfterMark,
       [](const Volume& v) {
         return look(v, "y/foo") != "1" || look(v, "y/bar") != "2" || !exists(v, "x") ||
                exists(v, "x/foo");
       }},
      {19, "removed file present", with_files({{"f", "x"}}), {unlink("f"), fsync(".")},
       When::kAfterMark, [](const Volume& v) { return exists(v, "f"); },
       Answer::kForbidden, Answer::kForbidden},
  };
}

// ---- the machine

bool any_bad(const Litmus& litmus, const Disk& disk, InFlight in_flight) {
  bool found = false;
  for (const auto& after : crash_volumes(disk.volume, in_flight)) {
    found = found || litmus.bad(*after);
  }
  return found;
}

// The tear of a page is a matter of row 20 alone; under strict-posix the many sets of the others
// need not be multiplied by it.
bool observable(const Litmus& litmus, const VolumeOptions& options) {
  Disk disk(options);
  litmus.setup(disk);
  disk.settle();
  bool found = false;
  for (const Step& step : litmus.body) {
    const bool anywhere = litmus.when == When::kAnywhere;
    if (anywhere && !step.synced.empty()) {
      found = found || any_bad(litmus, disk, in_sync(disk.ino(step.synced)));
    }
    step.run(disk);
    if (anywhere) found = found || any_bad(litmus, disk, kLastOp);
    if (anywhere) found = found || any_bad(litmus, disk, kIdle);
  }
  return found || any_bad(litmus, disk, kIdle);
}

class DiskLitmus : public testing::TestWithParam<Litmus> {};

TEST_P(DiskLitmus, Row) {
  const Litmus& litmus = GetParam();
  SCOPED_TRACE(litmus.question);
  for (const TearUnit tear : {TearUnit::kSector, TearUnit::kByte, TearUnit::kPage}) {
    EXPECT_FALSE(observable(litmus, {.profile = Profile::kControl, .tear = tear}));
    EXPECT_FALSE(observable(litmus, {.profile = Profile::kScc, .tear = tear}));
    EXPECT_EQ(observable(litmus, {.profile = Profile::kInOrder, .tear = tear}),
              litmus.in_order == Answer::kAllowed);
    if (tear == TearUnit::kByte) continue;
    EXPECT_EQ(observable(litmus, {.profile = Profile::kStrictPosix, .tear = tear}),
              litmus.strict_posix == Answer::kAllowed);
  }
}

// dirents = strict: what only a file's sync, not its directory's, stood behind is allowed now.
TEST_P(DiskLitmus, RowWithStrictDirents) {
  const Litmus& litmus = GetParam();
  SCOPED_TRACE(litmus.question);
  constexpr std::array kByName{4, 12, 14, 15};
  const bool by_name = std::find(kByName.begin(), kByName.end(), litmus.row) != kByName.end();
  EXPECT_EQ(observable(litmus, {.profile = Profile::kInOrder, .tear = TearUnit::kSector,
                                .dirents = Dirents::kStrict}),
            (by_name || litmus.in_order == Answer::kAllowed) && litmus.row != 10)
      << "row 10: without implied names nothing is folded out of order";
}

// prefix_scope = file: files are not ordered among each other, nor against names.
TEST_P(DiskLitmus, RowWithPrefixesPerFile) {
  const Litmus& litmus = GetParam();
  SCOPED_TRACE(litmus.question);
  constexpr std::array kAcrossFiles{5, 6};
  const bool across =
      std::find(kAcrossFiles.begin(), kAcrossFiles.end(), litmus.row) != kAcrossFiles.end();
  EXPECT_EQ(observable(litmus, {.profile = Profile::kInOrder, .tear = TearUnit::kSector,
                                .prefix_scope = PrefixScope::kFile}),
            across || litmus.in_order == Answer::kAllowed);
}

std::string row_name(const testing::TestParamInfo<Litmus>& info) {
  return "Row" + std::to_string(info.param.row);
}

INSTANTIATE_TEST_SUITE_P(Data, DiskLitmus, testing::ValuesIn(data_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Replace, DiskLitmus, testing::ValuesIn(replace_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Names, DiskLitmus, testing::ValuesIn(name_rows()), row_name);

// Row 20's other half: the last data operation, and only it, may be torn, and under control none.
TEST(DiskLitmusTorn, OverwriteTearsAtSectors) {
  for (const Profile profile : {Profile::kControl, Profile::kScc, Profile::kInOrder}) {
    Disk disk({.profile = profile, .tear = TearUnit::kSector});
    disk.create("f");
    disk.write("f", 0, std::string(8192, 'o'));
    disk.settle();
    disk.write("f", 0, std::string(8192, 'n'));
    std::set<std::size_t> fresh;
    for (const auto& after : crash_volumes(disk.volume, kLastOp)) {
      const std::string content = look(*after, "f");
      fresh.insert(std::count(content.begin(), content.end(), 'n'));
    }
    EXPECT_EQ(fresh.size(), profile == Profile::kControl ? 1U : 17U);
    for (const std::size_t count : fresh) EXPECT_EQ(count % 512, 0U);
  }
}

// Under strict-posix both pages may be torn in one crash, each into any mix of sectors.
TEST(DiskLitmusTorn, StrictPosixMixesSectorsOfSeveralPages) {
  Disk disk({.profile = Profile::kStrictPosix, .tear = TearUnit::kSector});
  disk.create("f");
  disk.write("f", 0, std::string(8192, 'o'));
  disk.settle();
  disk.write("f", 0, std::string(8192, 'n'));
  const Survivors mix{.kept = 0, .pending = 2, .lost = {0, 1}, .torn = {{0, 0x81}, {1, 0x02}}};
  const CrashEffect effect = disk.volume.power_loss(kLastOp, mix);
  EXPECT_EQ(effect.applied, mix);
  std::string sectors;
  for (std::size_t at = 0; at < 8192; at += 512) sectors += look(disk.volume, "f")[at + 511];
  EXPECT_EQ(sectors, "noooooon" "onoooooo");
}

}  // namespace
}  // namespace sf::kernel::disk
