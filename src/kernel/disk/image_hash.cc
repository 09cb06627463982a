// A hash of what a program can observe after a reboot: names, types, sizes, content, hard links.
//
// The tree is written out as one canonical byte string and that is hashed. Inodes are numbered as
// the walk meets them, so that two volumes with equal content and different histories hash equal; a
// second name of an inode is written as a reference to its number. A page is represented by its own
// digest, which is computed once per image however often it is hashed; pages of zeros are left out,
// as they read like holes. Times, inode numbers and cookies are not part of it (cookies depend on
// names alone, but for those few that met a taken slot). The walk keeps its own stack: a hostile
// program may nest directories very deeply.
#include <map>
#include <string>
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
    for (const auto& [slot, entry] : directory.entries) {
      text(entry.name);
      write_inode(entry.ino);
    }
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
