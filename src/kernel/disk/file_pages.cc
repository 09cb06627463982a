#include "kernel/disk/file_pages.h"

#include <iterator>
#include <utility>

namespace sf::kernel::disk {

const PageRef* FilePages::find(std::uint64_t page) const {
  const auto leaf = leaves_.find(page / kLeafPages);
  if (leaf == leaves_.end()) return nullptr;
  const PageRef& image = leaf->second->pages[page % kLeafPages];
  return image ? &image : nullptr;
}

void FilePages::set(std::uint64_t page, PageRef image) {
  const bool present = static_cast<bool>(image);
  if (!present && find(page) == nullptr) return;
  const auto leaf = leaves_.try_emplace(page / kLeafPages).first;
  set_in(unshare(leaf->second), page % kLeafPages, std::move(image));
  if (!present && leaf->second->used == 0) leaves_.erase(leaf);
}

void FilePages::erase_from(std::uint64_t first_page) {
  auto leaf = leaves_.lower_bound(first_page / kLeafPages);
  while (leaf != leaves_.end()) {
    const std::uint64_t base = leaf->first * kLeafPages;
    if (base >= first_page) {
      count_ -= leaf->second->used;
      leaf = leaves_.erase(leaf);
      continue;
    }
    Leaf& partly = unshare(leaf->second);
    for (std::uint64_t i = first_page - base; i < kLeafPages; ++i) set_in(partly, i, PageRef());
    leaf = partly.used == 0 ? leaves_.erase(leaf) : std::next(leaf);
  }
}

FilePages::Leaf& FilePages::unshare(std::shared_ptr<Leaf>& leaf) {
  if (!leaf) {
    leaf = std::make_shared<Leaf>();
  } else if (leaf.use_count() > 1) {
    leaf = std::make_shared<Leaf>(*leaf);
  }
  return *leaf;
}

void FilePages::set_in(Leaf& leaf, std::uint64_t index, PageRef image) {
  PageRef& slot = leaf.pages[index];
  if (slot) {
    --leaf.used;
    --count_;
  }
  slot = std::move(image);
  if (slot) {
    ++leaf.used;
    ++count_;
  }
}

}  // namespace sf::kernel::disk
