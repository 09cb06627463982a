#include "kernel/disk/page.h"

#include <cstring>
#include <new>

#include "base/check.h"

namespace sf::kernel::disk {

std::byte* PageRef::fill() {
  SF_CHECK(page_ != nullptr && page_->references == 1);
  page_->digest_state = Page::Digest::kUnknown;
  return page_->bytes;
}

bool PageRef::all_zeros() const {
  compute_digest();
  return page_->digest_state == Page::Digest::kZeros;
}

const Hash128& PageRef::digest() const {
  compute_digest();
  return page_->digest;
}

PageRef PageRef::cut_copy(std::uint32_t end) const { return page_->arena->cut_copy(*this, end); }

void PageRef::compute_digest() const {
  SF_CHECK(page_ != nullptr);
  if (page_->digest_state != Page::Digest::kUnknown) return;
  static constexpr std::array<std::byte, kPageBytes> kZeros{};
  const bool zeros = std::memcmp(page_->bytes, kZeros.data(), kPageBytes) == 0;
  page_->digest = zeros ? Hash128{} : hash128(Bytes{page_->bytes, kPageBytes});
  page_->digest_state = zeros ? Page::Digest::kZeros : Page::Digest::kKnown;
}

PageArena::~PageArena() {
  SF_CHECK(in_use_ == 0);
  for (std::byte* slab : slabs_) ::operator delete(slab, std::align_val_t{kPageBytes});
}

PageRef PageArena::allocate() {
  if (free_ == nullptr) grow();
  Page* page = free_;
  free_ = page->next_free;
  page->next_free = nullptr;
  page->references = 1;
  page->digest_state = Page::Digest::kUnknown;
  ++in_use_;
  return PageRef(page);
}

PageRef PageArena::copy(const PageRef* image) {
  PageRef fresh = allocate();
  if (image != nullptr) {
    std::memcpy(fresh.fill(), image->bytes(), kPageBytes);
  } else {
    std::memset(fresh.fill(), 0, kPageBytes);
  }
  return fresh;
}

PageRef PageArena::cut_copy(const PageRef& image, std::uint32_t end) {
  SF_CHECK(end <= kPageBytes);
  PageRef fresh = copy(&image);
  std::memset(fresh.fill() + end, 0, kPageBytes - end);
  return fresh;
}

void PageArena::give_back(Page* page) {
  SF_CHECK(page->references == 0 && in_use_ > 0);
  page->next_free = free_;
  free_ = page;
  --in_use_;
}

void PageArena::grow() {
  auto* slab = static_cast<std::byte*>(
      ::operator new(kSlabPages * kPageBytes, std::align_val_t{kPageBytes}));
  slabs_.push_back(slab);
  for (std::size_t i = kSlabPages; i-- > 0;) {
    Page& page = headers_.emplace_back();
    page.bytes = slab + i * kPageBytes;
    page.arena = this;
    page.next_free = free_;
    free_ = &page;
  }
}

}  // namespace sf::kernel::disk
