// A hash of what a program can observe after a reboot: names, types, sizes, content, hard links.
//
// The tree is written out as one canonical byte string and that is hashed. Inodes are numbered as
// the walk meets them, so that two volumes with equal content and different histories hash equal; a
// second name of an inode is written as a reference to its number. A page is represented by its own
// digest, which is computed once per image however often it is hashed; pages of zeros are left out,
// as they read like holes. Times, inode numbers and cookies are not part of it. A directory of a
// layer beneath that nobody has listed stands for itself, with those names that were asked for. The
// walk keeps its own stack: a hostile program may nest directories very deeply.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {
namespace {

class Canonical {
 public:
  explicit Canonical(const Tree& tree) : tree_(tree) {}

  const std::string& write() {
    to_visit_.push_back(Tree::kRoot);
    while (!to_visit_.empty()) {
      const Ino at = to_visit_.back();
      to_visit_.pop_back();
      write_directory(*tree_.find(at));
    }
    return out_;
  }

 private:
  void word(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) out_.push_back(static_cast<char>(value >> shift));
  }
  void text(const std::string& value) {
    word(value.size());
    out_ += value;
  }

  // Subdirectories follow later, the last one first: one fixed order.
  void write_directory(const Inode& directory) {
    if (directory.unlisted) word(directory.lower);
    word(directory.entries.size());
    for (const DirectoryEntries::Entry* entry : in_order(directory.entries)) {
      text(entry->name);
      write_inode(entry->ino);
    }
  }

  // As they are listed; names that met, as they would be in a fresh directory.
  static std::vector<const DirectoryEntries::Entry*> in_order(const DirectoryEntries& entries) {
    std::vector<const DirectoryEntries::Entry*> out;
    out.reserve(entries.size());
    for (const auto& [slot, entry] : entries) out.push_back(&entry);
    if (!entries.have_collided()) return out;
    const auto key = [](const DirectoryEntries::Entry* entry) {
      return std::pair<DirectoryEntries::Slot, std::string_view>(
          DirectoryEntries::home_of(entry->name), entry->name);
    };
    std::sort(out.begin(), out.end(),
              [&](const auto* a, const auto* b) { return key(a) < key(b); });
    return out;
  }

  void write_inode(Ino ino) {
    const auto [number, is_new] = numbers_.emplace(ino, numbers_.size());
    word(number->second);
    if (!is_new) return;
    const Inode* inode = tree_.find(ino);
    SF_CHECK(inode != nullptr);
    word(static_cast<std::uint64_t>(inode->type));
    switch (inode->type) {
      case NodeType::kDirectory: to_visit_.push_back(ino); break;
      case NodeType::kSymlink: text(inode->target); break;
      case NodeType::kFile: write_content(*inode); break;
      case NodeType::kDevice: break;
    }
  }

  void write_content(const Inode& file) {
    word(file.size);
    file.pages.for_each([this](std::uint64_t page, const PageRef& image) {
      if (image.all_zeros()) return;
      word(page);
      word(image.digest().high);
      word(image.digest().low);
    });
    if (file.lower_bytes > 0) {
      word(file.lower);
      word(file.lower_bytes);
    }
    word(~std::uint64_t{0});   // no page has this number: the end
  }

  const Tree& tree_;
  std::string out_;
  std::map<Ino, std::uint64_t> numbers_;
  std::vector<Ino> to_visit_;
};

}  // namespace

Hash128 Volume::image_hash() const {
  return hash128(as_bytes(Canonical(impl_->volatile_view).write()));
}

}  // namespace sf::kernel::disk
