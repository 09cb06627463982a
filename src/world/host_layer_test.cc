// Folders of the host beneath a disk: what is shown, in which order it is asked, and what is saved.
//
// Method: real folders and a volume; for what is saved, random changes, and as oracle the tree that
// comes out when what is named as gone is removed from the folder and the rest copied over it.
#include "world/host_layer.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>

#include "base/host/file.h"
#include "kernel/choices.h"
#include "kernel/disk/volume_test_util.h"
#include "world/prepare_disk.h"

namespace sf::world {
namespace {

using kernel::Errno;
using kernel::disk::Disk;
using kernel::disk::NodeType;

// Path -> kind and content.
using Listing = std::map<std::string, std::string>;

Listing listing_of(const std::string& folder) {
  Listing found;
  for (const auto& at : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = at.path().string().substr(folder.size());
    found[path] = at.is_symlink()     ? "-> " + std::filesystem::read_symlink(at).string()
                  : at.is_directory() ? "folder"
                                      : "file " + host::read_file(at.path().string()).value();
  }
  return found;
}

void add_listing(const Disk& disk, const std::string& path, const std::string& cut,
                 Listing& found) {
  const auto entries = *disk.volume.list(disk.ino(path), 2, 1000);
  for (const auto& entry : entries) {
    const std::string at = path + "/" + entry.name;
    found[at.substr(cut.size())] =
        entry.type == NodeType::kDirectory ? "folder"
        : entry.type == NodeType::kSymlink ? "-> " + *disk.volume.read_symlink(entry.ino)
                                           : "file " + content_of(disk.volume, entry.ino);
    if (entry.type == NodeType::kDirectory) add_listing(disk, at, cut, found);
  }
}

class HostLayers : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = host::absolute_path(host::make_temporary_directory("sf-layer-test-").value()).value();
  }
  void TearDown() override { EXPECT_TRUE(host::remove_tree(folder_)); }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void file(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(host::make_directories(at(name.substr(0, name.rfind('/')))));
    ASSERT_TRUE(host::write_file(at(name), text));
  }
  void show(Disk& disk, const std::vector<HostFolder>& folders) const {
    const auto shown = show_folders(folders, disk.volume);
    ASSERT_TRUE(shown.has_value()) << shown.error().text();
    disk.volume.watch_changes();
  }
  std::string folder_;
};

TEST_F(HostLayers, NamesLeadToTheSameWhetherListedOrAskedForBefore) {
  file("in/a", "1");
  file("in/b/c", "22");
  ASSERT_TRUE(host::make_symlink("a", at("in/l")));
  HostLayer layer;
  const auto top = layer.add(at("in"));
  const auto b = layer.find(top, "b");
  ASSERT_TRUE(b && *b);
  EXPECT_FALSE(layer.find(top, "none")->has_value());
  const auto entries = layer.list(top);
  ASSERT_TRUE(entries && entries->size() == 3);
  for (const auto& entry : *entries) {
    const auto found = layer.find(top, entry.name);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->id, entry.id);
    EXPECT_EQ((*found)->type, entry.type);
  }
  EXPECT_EQ((*entries)[1].id, (*b)->id);
  EXPECT_EQ(layer.path(layer.list((*b)->id)->front().id), at("in/b/c"));
  EXPECT_FALSE(layer.find(top, "none")->has_value());
}

TEST_F(HostLayers, AnOuterFolderIsNotListedForAnInnerOne) {
  file("out/x/y/f", "deep");
  file("inner/g", "mine");
  const std::vector<HostFolder> folders = {{at("inner"), "/o/x/y", ""}, {at("out"), "/o", ""}};
  Disk disk;
  show(disk, folders);
  EXPECT_EQ(disk.read("/o/x/y/g"), "mine");
  EXPECT_FALSE(disk.exists("/o/x/y/f"));
  EXPECT_FALSE(disk.volume.lower_state(disk.ino("/o")).listed);
  const auto before = disk.ino("/o/x/y/g");
  file("out/0", "");
  file("out/x/1", "");
  Disk other;
  show(other, folders);
  EXPECT_EQ(other.volume.list(other.ino("/o"), 2, 9)->size(), 2U);
  EXPECT_EQ(other.ino("/o/x/y/g"), before);
  EXPECT_EQ(other.ino("/o/x"), disk.ino("/o/x"));
}

TEST_F(HostLayers, AFolderCannotBeShownAtAFile) {
  file("out/x", "");
  Disk disk;
  const auto shown =
      show_folders({{at("out"), "/o", "-dir a"}, {at("out"), "/o/x/y", "-dir b"}}, disk.volume);
  ASSERT_FALSE(shown.has_value());
  EXPECT_NE(shown.error().text().find("-dir b"), std::string::npos);
  EXPECT_NE(shown.error().text().find("ENOTDIR"), std::string::npos);
}

TEST_F(HostLayers, ResultsAreNotSavedIntoAFolderThatWasAskedFor) {
  file("in/a", "1");
  std::vector<HostFolder> folders = {{at("in"), "/w", "-dir in"}};
  ASSERT_TRUE(host::make_symlink("in", at("link")));
  for (const char* name : {"in/new", "link/new/x"}) {
    const auto refused = prepare_save_target(at(name), folders);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().text().find("shown to the program"), std::string::npos);
  }
  EXPECT_FALSE(host::exists(at("in/new")));
  EXPECT_TRUE(prepare_save_target(at("into/new"), folders));
  EXPECT_TRUE(host::is_directory(at("into/new")));
  folders.front().place = "";
  EXPECT_TRUE(prepare_save_target(at("in/new"), folders));
}

// ---- what is saved

class Saving : public HostLayers {
 protected:
  void SetUp() override {
    HostLayers::SetUp();
    file("in/f", "1");
    file("in/sub/g", "2");
    file("in/sub/deep/h", "3");
    start();
  }
  void start() {
    disk_ = std::make_unique<Disk>();
    show(*disk_, {{at("in"), "/w", ""}});
  }

  SavedChanges save() {
    const auto saved = save_changes(disk_->volume, at("out"));
    SF_CHECK_MSG(saved.has_value(), saved.error().text());
    return *saved;
  }

  // The folder with the changes made to it.
  Listing merged(const SavedChanges& saved) const {
    std::filesystem::copy(at("in"), at("merged"),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::copy_symlinks);
    for (const std::string& path : saved.removed) {
      const std::string gone = at("merged") + path.substr(2);
      EXPECT_GT(std::filesystem::remove_all(gone), 0U) << path << " was not there";
    }
    if (host::is_directory(at("out/w"))) {
      for (const auto& [path, what] : listing_of(at("out/w"))) {
        const std::string to = at("merged") + path;
        if (what == "folder") {
          EXPECT_TRUE(host::make_directories(to));
        } else {
          std::filesystem::remove(to);
          std::filesystem::copy(at("out/w") + path, to,
                                std::filesystem::copy_options::copy_symlinks);
        }
      }
    }
    const Listing found = listing_of(at("merged"));
    std::filesystem::remove_all(at("merged"));
    std::filesystem::remove_all(at("out"));
    return found;
  }

  Listing seen() const {
    Listing found;
    add_listing(*disk_, "/w", "/w", found);
    return found;
  }

  std::unique_ptr<Disk> disk_;
};

using Names = std::vector<std::string>;

TEST_F(Saving, NothingChangedSavesNothingAndListsNothing) {
  disk_->read("/w/sub/g");
  const SavedChanges saved = save();
  EXPECT_EQ(saved.saved, 0U);
  EXPECT_EQ(saved.removed, Names());
  EXPECT_FALSE(disk_->volume.lower_state(disk_->ino("/w/sub")).listed);
  EXPECT_EQ(merged(saved), seen());
}

TEST_F(Saving, AFolderThatWasReplacedByANewOneNamesWhatItHeld) {
  disk_->unlink("/w/sub/deep/h");
  disk_->rmdir("/w/sub/deep");
  disk_->unlink("/w/sub/g");
  disk_->rmdir("/w/sub");
  disk_->mkdir("/w/sub");
  const SavedChanges saved = save();
  EXPECT_EQ(saved.removed, (Names{"/w/sub/deep", "/w/sub/g"}));
  EXPECT_EQ(merged(saved), seen());
}

TEST_F(Saving, AFolderThatMovedAwayAndHasASuccessor) {
  disk_->rename("/w/sub", "/w/t");
  disk_->mkdir("/w/sub");
  disk_->mkdir("/w/sub/deep");
  disk_->create("/w/sub/new");
  const SavedChanges saved = save();
  EXPECT_EQ(saved.removed, (Names{"/w/sub/deep/h", "/w/sub/g"}));
  EXPECT_EQ(merged(saved), seen());
}

// Goal: what is saved into a folder that is shown is not met and saved again, however it moved.
TEST_F(Saving, ItsOwnTargetIsNotShown) {
  std::vector<HostFolder> folders = {{at("in"), "/w", ""}};
  ASSERT_TRUE(prepare_save_target(at("in/sub/saved"), folders));
  disk_ = std::make_unique<Disk>();
  show(*disk_, folders);
  disk_->rename("/w/sub", "/w/sub2");
  const auto saved = save_changes(disk_->volume, at("in/sub/saved"));
  ASSERT_TRUE(saved) << saved.error().text();
  EXPECT_EQ(saved->saved, 2U);
  EXPECT_EQ(saved->removed, Names{"/w/sub"});
  EXPECT_TRUE(host::exists(at("in/sub/saved/w/sub2/deep/h")));
  EXPECT_FALSE(host::exists(at("in/sub/saved/w/sub2/saved")));
}

TEST_F(Saving, AnotherKindOfThingUnderAName) {
  disk_->rename("/w/sub", "/w/t");
  disk_->unlink("/w/f");
  disk_->rename("/w/t", "/w/f");
  disk_->symlink("f", "/w/sub");
  const SavedChanges saved = save();
  EXPECT_EQ(saved.removed, (Names{"/w/f", "/w/sub"}));
  EXPECT_EQ(merged(saved), seen());
}

TEST_F(Saving, AFolderThatWasReadHalfwayAndChanged) {
  disk_->write("/w/sub/deep/h", 0, "changed");
  disk_->create("/w/sub/new");
  const SavedChanges saved = save();
  EXPECT_EQ(saved.saved, 2U);
  EXPECT_FALSE(disk_->volume.lower_state(disk_->ino("/w/sub")).listed);
  EXPECT_EQ(merged(saved), seen());
}

// Random names below /w; what is not possible just fails.
void change(Disk& disk, kernel::Dice& dice, SimTime now) {
  const auto path = [&dice] {
    static constexpr const char* kNames[] = {"f", "sub", "g", "deep", "h", "t"};
    std::string at = "/w";
    for (std::uint64_t level = 1 + dice.next() % 3; level > 0; --level) {
      at += std::string("/") + kNames[dice.next() % 6];
    }
    return at;
  };
  auto& volume = disk.volume;
  const auto resolve = [&](const std::string& name) {
    return resolve_path(volume, volume.root(), name, kernel::disk::FinalSymlink::kName);
  };
  const auto from = resolve(path());
  const auto to = resolve(path());
  if (!from || !to) return;
  switch (dice.next() % 8) {
    case 0: (void)volume.create_file(to->directory, to->name, now); return;
    case 1: (void)volume.make_directory(to->directory, to->name, now); return;
    case 2: (void)volume.make_symlink(to->directory, to->name, "x", now); return;
    case 3: (void)volume.unlink(from->directory, from->name, now); return;
    case 4: (void)volume.remove_directory(from->directory, from->name, now); return;
    case 5: (void)volume.write(from->ino, 0, as_bytes("changed"), now); return;
    default: (void)volume.rename(from->directory, from->name, to->directory, to->name, now); return;
  }
}

TEST_F(Saving, WhatIsSavedAndWhatIsNamedMakeWhatTheProgramSaw) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    start();
    kernel::Dice dice(mix64(seed));
    for (int step = 0; step < 100; ++step) change(*disk_, dice, SimTime(step + 1));
    const SavedChanges saved = save();
    removed += saved.removed.size();
    ASSERT_EQ(merged(saved), seen()) << "seed " << seed;
  }
  EXPECT_GT(removed, 50U);
}

}  // namespace
}  // namespace sf::world
