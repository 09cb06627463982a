// Path resolution, after path_resolution(7).
#include "kernel/disk/path.h"

#include "kernel/disk/volume_test_util.h"

namespace sf::kernel::disk {
namespace {

class DiskPath : public testing::Test {
 protected:
  DiskPath() {
    disk.mkdir("a");
    disk.mkdir("a/b");
    disk.create("a/b/file");
  }
  Outcome<Resolved> at(Ino start, std::string_view path,
                       FinalSymlink final_symlink = FinalSymlink::kFollow) const {
    return resolve_path(disk.volume, start, path, final_symlink);
  }
  Outcome<Resolved> from_root(std::string_view path,
                              FinalSymlink final_symlink = FinalSymlink::kFollow) const {
    return at(disk.volume.root(), path, final_symlink);
  }
  Disk disk;
};

TEST_F(DiskPath, RelativeAndAbsolute) {
  const Ino b = disk.ino("a/b");
  const Ino file = disk.ino("a/b/file");
  EXPECT_EQ(from_root("a/b/file")->ino, file);
  EXPECT_EQ(from_root("a/b/file")->directory, b);
  EXPECT_EQ(from_root("a/b/file")->name, "file");
  EXPECT_EQ(at(b, "file")->ino, file);
  EXPECT_EQ(at(b, "/a//b///file")->ino, file);
  EXPECT_EQ(at(b, "../../a/./b/file")->ino, file);
  EXPECT_EQ(at(b, "/")->ino, disk.volume.root());
  EXPECT_EQ(at(b, "/")->name, ".");
  EXPECT_EQ(at(b, ".")->ino, b);
}

TEST_F(DiskPath, DotsStayInsideTheRoot) {
  EXPECT_EQ(from_root("../../../a")->ino, disk.ino("a"));
  EXPECT_EQ(from_root("..")->ino, disk.volume.root());
}

TEST_F(DiskPath, AMissingLastComponentIsAnAnswer) {
  const auto missing = from_root("a/b/none");
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(missing->ino, 0U);
  EXPECT_EQ(missing->directory, disk.ino("a/b"));
  EXPECT_EQ(missing->name, "none");
  EXPECT_TRUE(from_root("a/b/none/")->must_be_directory);
  EXPECT_EQ(from_root("a/none/x").error(), Errno::kNoEnt);
}

TEST_F(DiskPath, Errors) {
  EXPECT_EQ(from_root("").error(), Errno::kNoEnt);
  EXPECT_EQ(from_root("a/b/file/x").error(), Errno::kNotDir);
  EXPECT_EQ(from_root("a/b/file/").error(), Errno::kNotDir);
  EXPECT_EQ(from_root("a/b/file/.").error(), Errno::kNotDir);
  EXPECT_EQ(from_root(std::string(256, 'n')).error(), Errno::kNameTooLong);
  EXPECT_EQ(from_root(std::string(255, 'n'))->ino, 0U);
  EXPECT_EQ(from_root(std::string(4096, '/')).error(), Errno::kNameTooLong);
  EXPECT_EQ(from_root(std::string(4095, '/'))->ino, disk.volume.root());
  EXPECT_EQ(from_root(std::string_view("a\0b", 3)).error(), Errno::kInval);
  EXPECT_EQ(at(disk.ino("a/b/file"), "x").error(), Errno::kNotDir);
  EXPECT_TRUE(from_root("a/b/")->must_be_directory);
}

TEST_F(DiskPath, SymlinksInTheMiddleAreFollowed) {
  disk.symlink("a/b", "s");
  disk.symlink("/a", "a/b/absolute");
  disk.symlink("../b/file", "a/b/relative");
  EXPECT_EQ(from_root("s/file")->ino, disk.ino("a/b/file"));
  EXPECT_EQ(from_root("s/absolute/b/file")->ino, disk.ino("a/b/file"));
  EXPECT_EQ(from_root("s/relative")->ino, disk.ino("a/b/file"));
  EXPECT_EQ(from_root("s/..")->ino, disk.ino("a")) << "the parent of what the link leads to";
}

TEST_F(DiskPath, TheLastSymlinkIsFollowedOrKept) {
  disk.symlink("a", "s");
  const Ino link = *disk.volume.lookup(disk.volume.root(), "s");
  EXPECT_EQ(from_root("s")->ino, disk.ino("a"));
  EXPECT_EQ(from_root("s", FinalSymlink::kKeep)->ino, link);
  EXPECT_EQ(from_root("s/", FinalSymlink::kKeep)->ino, disk.ino("a")) << "a slash follows";
  EXPECT_EQ(from_root("s/b", FinalSymlink::kKeep)->ino, disk.ino("a/b"));
}

TEST_F(DiskPath, ADanglingSymlinkLeadsToWhereTheFileWouldBe) {
  disk.symlink("a/new", "s");
  const auto found = from_root("s");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->ino, 0U);
  EXPECT_EQ(found->directory, disk.ino("a"));
  EXPECT_EQ(found->name, "new");
  EXPECT_EQ(from_root("s/x").error(), Errno::kNoEnt);
  disk.symlink("/", "top");
  EXPECT_EQ(from_root("top")->ino, disk.volume.root());
  disk.symlink("a/b/file/", "slash");
  EXPECT_EQ(from_root("slash").error(), Errno::kNotDir);
}

TEST_F(DiskPath, FortySymlinksAreEnough) {
  disk.create("l0");
  for (int i = 1; i <= 41; ++i) {
    disk.symlink("l" + std::to_string(i - 1), "l" + std::to_string(i));
  }
  EXPECT_EQ(from_root("l40")->ino, disk.ino("l0"));
  EXPECT_EQ(from_root("l41").error(), Errno::kLoop);
  disk.symlink("loop", "loop");
  EXPECT_EQ(from_root("loop").error(), Errno::kLoop);
  EXPECT_EQ(from_root("loop/x").error(), Errno::kLoop);
  EXPECT_TRUE(from_root("loop", FinalSymlink::kKeep).has_value());
}

// What makes, removes or renames a name means the name: nothing of it is followed or checked.
TEST_F(DiskPath, ANameIsNeverFollowed) {
  disk.symlink("a", "s");
  disk.symlink("nowhere", "dangling");
  const Ino link = *disk.volume.lookup(disk.volume.root(), "s");
  EXPECT_EQ(from_root("s", FinalSymlink::kName)->ino, link);
  EXPECT_EQ(from_root("s/", FinalSymlink::kName)->ino, link);
  EXPECT_TRUE(from_root("s/", FinalSymlink::kName)->must_be_directory);
  EXPECT_NE(from_root("dangling/", FinalSymlink::kName)->ino, 0U);
  EXPECT_EQ(from_root("a/b/file/", FinalSymlink::kName)->ino, disk.ino("a/b/file"));
  EXPECT_EQ(from_root("s/b/", FinalSymlink::kName)->ino, disk.ino("a/b")) << "before it all are";
  EXPECT_EQ(from_root("a/b/new/", FinalSymlink::kName)->ino, 0U);
}

// Forty links with long texts: the walk is counted, and takes no longer than its steps.
TEST_F(DiskPath, StepsAreCountedWhereverTheyComeFrom) {
  std::uint32_t steps = 0;
  ASSERT_TRUE(resolve_path(disk.volume, disk.volume.root(), "a/./b/file", FinalSymlink::kFollow,
                           &steps));
  EXPECT_EQ(steps, 4U);
  std::string dots;
  for (int i = 0; i < 2000; ++i) dots += "./";
  disk.create("l0");
  for (int i = 1; i <= 40; ++i) {
    disk.symlink(dots + "l" + std::to_string(i - 1), "l" + std::to_string(i));
  }
  steps = 0;
  EXPECT_EQ(resolve_path(disk.volume, disk.volume.root(), "l40", FinalSymlink::kFollow, &steps)
                ->ino,
            disk.ino("l0"));
  EXPECT_EQ(steps, 1 + 40 * 2001U);
  disk.symlink("l40", "l41");
  steps = 0;
  EXPECT_EQ(resolve_path(disk.volume, disk.volume.root(), "l41", FinalSymlink::kFollow, &steps)
                .error(),
            Errno::kLoop);
  EXPECT_GT(steps, 39 * 2001U) << "also when it fails";
}

}  // namespace
}  // namespace sf::kernel::disk
