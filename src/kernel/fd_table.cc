#include "kernel/fd_table.h"

#include <algorithm>
#include <utility>

namespace sf::kernel {

Outcome<Fd> FdTable::add(std::shared_ptr<Description> description) {
  const auto from = slots_.begin() + static_cast<std::ptrdiff_t>(no_free_below_);
  const auto free = std::find(from, slots_.end(), nullptr);
  const auto fd = static_cast<Fd>(free - slots_.begin());
  no_free_below_ = fd;
  if (fd >= limit_) return fail(Errno::kMFile);
  if (free == slots_.end()) {
    slots_.push_back(std::move(description));
  } else {
    *free = std::move(description);
  }
  ++open_count_;
  no_free_below_ = fd + 1;
  return fd;
}

Outcome<std::shared_ptr<Description>> FdTable::get(Fd fd) const {
  if (fd >= slots_.size() || slots_[fd] == nullptr) return fail(Errno::kBadF);
  return slots_[fd];
}

Outcome<std::shared_ptr<Description>> FdTable::remove(Fd fd) {
  if (fd >= slots_.size() || slots_[fd] == nullptr) return fail(Errno::kBadF);
  --open_count_;
  no_free_below_ = std::min(no_free_below_, fd);
  return std::exchange(slots_[fd], nullptr);
}

Outcome<std::shared_ptr<Description>> FdTable::move(Fd from, Fd to) {
  if (from >= slots_.size() || slots_[from] == nullptr) return fail(Errno::kBadF);
  if (to >= slots_.size() || slots_[to] == nullptr) return fail(Errno::kBadF);
  if (from == to) return std::shared_ptr<Description>();
  --open_count_;
  no_free_below_ = std::min(no_free_below_, from);
  return std::exchange(slots_[to], std::exchange(slots_[from], nullptr));
}

}  // namespace sf::kernel
