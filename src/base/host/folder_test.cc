// Folders of the host: listing, finding by name, reading at offsets, writing with holes, and what
// stands in the way of a new folder.
#include "base/host/folder.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host/file.h"

namespace sf::host {
namespace {

// Permissions do not bind the superuser, so a test of them sets that aside.
class Unprivileged {
 public:
  Unprivileged() : was_(::geteuid()) {
    if (was_ == 0) {
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
  }
  ~Unprivileged() {
    if (was_ == 0) {
      EXPECT_EQ(::seteuid(was_), 0);
    }
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  uid_t was_;
};

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = absolute_path(make_temporary_directory("sf-folder-test-").value()).value();
    EXPECT_EQ(::chmod(folder_.c_str(), 0755), 0);
  }
  void TearDown() override { EXPECT_TRUE(remove_tree(folder_)); }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::string folder_;
};

std::string describe(const FolderEntry& entry) {
  switch (entry.kind) {
    case EntryKind::kFile: return entry.name + " file " + std::to_string(entry.size);
    case EntryKind::kDirectory: return entry.name + " folder";
    case EntryKind::kSymlink: return entry.name + " -> " + entry.target;
    case EntryKind::kOther: return entry.name + " other";
  }
  return {};
}

TEST_F(Folder, EntriesComeInTheOrderOfTheirNamesAndAreFoundByThem) {
  ASSERT_TRUE(write_file(at("b"), "12345"));
  ASSERT_TRUE(make_directories(at("a/inner")));
  ASSERT_TRUE(make_symlink("nowhere", at("c")));
  ASSERT_EQ(::mkfifo(at("B").c_str(), 0600), 0);
  std::vector<FolderEntry> entries;
  ASSERT_EQ(list_folder(folder_, entries), 0);
  std::vector<std::string> found;
  for (const FolderEntry& entry : entries) {
    found.push_back(describe(entry));
    std::optional<FolderEntry> alone;
    ASSERT_EQ(find_in_folder(folder_, entry.name, alone), 0);
    ASSERT_TRUE(alone.has_value());
    EXPECT_EQ(describe(*alone), describe(entry));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"B other", "a folder", "b file 5", "c -> nowhere"}));
}

TEST_F(Folder, WhatIsNotThereIsNoError) {
  std::optional<FolderEntry> found = FolderEntry{};
  EXPECT_EQ(find_in_folder(folder_, "none", found), 0);
  EXPECT_FALSE(found.has_value());
  EXPECT_EQ(find_in_folder(folder_, std::string(300, 'x'), found), 0);
  EXPECT_FALSE(found.has_value());
  std::vector<FolderEntry> entries;
  EXPECT_EQ(find_in_folder(at("none"), "x", found), ENOENT);
  EXPECT_EQ(list_folder(at("none"), entries), ENOENT);
}

TEST_F(Folder, PermissionsAreThoseOfTheHost) {
  ASSERT_TRUE(write_file(at("open"), "x"));
  ASSERT_TRUE(write_file(at("closed"), "x"));
  ASSERT_EQ(::chmod(at("open").c_str(), 0644), 0);
  ASSERT_EQ(::chmod(at("closed").c_str(), 0), 0);
  const Unprivileged here;
  EXPECT_EQ(may_read(at("open")), 0);
  EXPECT_EQ(may_read(at("closed")), EACCES);
  EXPECT_EQ(may_read(at("none")), ENOENT);
}

TEST_F(Folder, AReaderGivesBytesAndZerosBehindTheEnd) {
  ASSERT_TRUE(write_file(at("x"), "0123456789"));
  ASSERT_TRUE(make_symlink("x", at("link")));
  FileReader reader;
  std::string bytes(4, '?');
  EXPECT_EQ(reader.read(at("x"), 8, std::as_writable_bytes(std::span(bytes))), 0);
  EXPECT_EQ(bytes, std::string("89\0\0", 4));
  EXPECT_EQ(reader.read(at("link"), 0, std::as_writable_bytes(std::span(bytes))), ELOOP);
  EXPECT_EQ(reader.read(at("none"), 0, std::as_writable_bytes(std::span(bytes))), ENOENT);
  EXPECT_EQ(reader.read(at("x"), 0, std::as_writable_bytes(std::span(bytes))), 0);
  EXPECT_EQ(bytes, "0123");
}

TEST_F(Folder, ANewFileHasItsHoles) {
  const auto letters = [](std::uint64_t, std::span<std::byte> into) -> Result<void> {
    for (std::byte& byte : into) byte = std::byte{'x'};
    return {};
  };
  constexpr std::uint64_t kSize = 1ULL << 30;
  ASSERT_TRUE(write_new_file(at("big"), kSize, {{0, 3}, {1 << 20, 2}}, letters));
  struct stat status {};
  ASSERT_EQ(::stat(at("big").c_str(), &status), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(status.st_size), kSize);
  EXPECT_LT(status.st_blocks, 1024);
  FileReader reader;
  std::string bytes(5, '?');
  EXPECT_EQ(reader.read(at("big"), 0, std::as_writable_bytes(std::span(bytes))), 0);
  EXPECT_EQ(bytes, std::string("xxx\0\0", 5));
  EXPECT_FALSE(write_new_file(at("big"), 1, {}, letters));   // it is there
}

TEST_F(Folder, ANewFolderNeedsAPlaceThatIsFree) {
  ASSERT_TRUE(write_file(at("file"), "x"));
  ASSERT_TRUE(make_directories(at("full/x")));
  ASSERT_TRUE(make_directories(at("empty")));
  EXPECT_TRUE(check_new_folder(at("empty")));
  EXPECT_TRUE(check_new_folder(at("none/deeper/")));
  EXPECT_FALSE(exists(at("none")));
  const auto complaint = [&](const std::string& name) {
    return check_new_folder(at(name)).error().text();
  };
  EXPECT_TRUE(complaint("file").starts_with(at("file") + ": is not a folder"));
  EXPECT_TRUE(complaint("full").starts_with(at("full") + ": is not empty"));
  EXPECT_EQ(complaint("file/deeper"),
            at("file/deeper") + ": cannot be made: " + at("file") + " is not a folder");
  ASSERT_EQ(::chmod(at("empty").c_str(), 0555), 0);
  const Unprivileged here;
  EXPECT_EQ(complaint("empty/x"),
            at("empty/x") + ": cannot be made: no permission to write " + at("empty"));
}

TEST_F(Folder, TheRealPathHasNoLinksInIt) {
  ASSERT_TRUE(make_directories(at("real")));
  ASSERT_TRUE(make_symlink("real", at("link")));
  EXPECT_EQ(real_path_of_new(at("link/new/../x/")), at("real/x"));
  EXPECT_EQ(real_path_of_new(at("real")), at("real"));
}

}  // namespace
}  // namespace sf::host
