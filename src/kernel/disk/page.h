// Page images: reference-counted blocks of 4096 bytes at stable addresses.
//
// An image is shared by the views and the pending operations of a volume and by its clones. It is
// written only while nobody else holds it (between allocation and the first copy of its reference),
// so a version, once cut, never changes. All holders live on one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

class PageArena;

// The header of one block. Handled only by PageRef and PageArena.
struct Page {
  std::byte* bytes = nullptr;
  PageArena* arena = nullptr;
  Page* next_free = nullptr;
  std::uint32_t references = 0;
  enum class Digest : std::uint8_t { kUnknown, kZeros, kKnown } digest_state = Digest::kUnknown;
  Hash128 digest;
};

// One holder of an image, or of nothing (a hole, which reads as zeros).
class PageRef {
 public:
  PageRef() = default;
  PageRef(const PageRef& other) : page_(other.page_) {
    if (page_ != nullptr) ++page_->references;
  }
  PageRef(PageRef&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
  PageRef& operator=(PageRef other) noexcept {
    std::swap(page_, other.page_);
    return *this;
  }
  ~PageRef();

  explicit operator bool() const { return page_ != nullptr; }
  const std::byte* bytes() const { return page_->bytes; }
  // For filling a new block: requires to be the only holder.
  std::byte* fill();

  bool all_zeros() const;
  const Hash128& digest() const;   // of the 4096 bytes, computed once per image
  PageRef cut_copy(std::uint32_t end) const;   // bytes from `end` on are zeros

 private:
  friend class PageArena;
  explicit PageRef(Page* page) : page_(page) {}
  void compute_digest() const;
  Page* page_ = nullptr;
};

// Where the blocks lie. Outlives every reference to them; blocks are given back to a free list, the
// memory to the host only when the arena goes.
class PageArena {
 public:
  PageArena() = default;
  ~PageArena();
  PageArena(const PageArena&) = delete;
  PageArena& operator=(const PageArena&) = delete;

  PageRef allocate();                       // content undefined: fill all of it
  // A copy (of zeros, for a hole) for patching; one whose bytes from `end` on are zeros.
  PageRef copy(const PageRef* image);
  PageRef cut_copy(const PageRef& image, std::uint32_t end);
  std::size_t in_use() const { return in_use_; }

 private:
  friend class PageRef;
  void give_back(Page* page);
  void grow();

  static constexpr std::size_t kSlabPages = 64;
  std::deque<Page> headers_;
  std::vector<std::byte*> slabs_;
  Page* free_ = nullptr;
  std::size_t in_use_ = 0;
};

inline PageRef::~PageRef() {
  if (page_ != nullptr && --page_->references == 0) page_->arena->give_back(page_);
}

}  // namespace sf::kernel::disk
