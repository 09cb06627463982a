// The pages of one file in one view: page number -> image, with holes.
//
// Copying is cheap: leaves of 64 pages are shared between copies until one of them writes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "kernel/disk/page.h"

namespace sf::kernel::disk {

class FilePages {
 public:
  // Null for a hole.
  const PageRef* find(std::uint64_t page) const;
  void set(std::uint64_t page, PageRef image);    // an empty reference makes a hole
  void erase_from(std::uint64_t first_page);      // this page and all after it
  std::uint64_t count() const { return count_; }  // pages that are not holes

  // visit(page number, image) for each page that is not a hole, ascending.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [number, leaf] : leaves_) {
      for (std::uint64_t i = 0; i < kLeafPages; ++i) {
        if (leaf->pages[i]) visit(number * kLeafPages + i, leaf->pages[i]);
      }
    }
  }

 private:
  static constexpr std::uint64_t kLeafPages = 64;
  struct Leaf {
    std::array<PageRef, kLeafPages> pages;
    std::uint32_t used = 0;
  };
  static Leaf& unshare(std::shared_ptr<Leaf>& leaf);
  void set_in(Leaf& leaf, std::uint64_t index, PageRef image);

  std::map<std::uint64_t, std::shared_ptr<Leaf>> leaves_;   // none is empty
  std::uint64_t count_ = 0;
};

}  // namespace sf::kernel::disk
