#include "kernel/fd_table.h"

#include <algorithm>
#include <utility>

namespace sf::kernel {

Outcome<Fd> FdTable::add(std::shared_ptr<Description> description) {
  const auto free = std::find(slots_.begin(), slots_.end(), nullptr);
  const auto fd = static_cast<Fd>(free - slots_.begin());
  if (fd >= limit_) return fail(Errno::kMFile);
  if (free == slots_.end()) {
    slots_.push_back(std::move(description));
  } else {
    *free = std::move(description);
  }
  return fd;
}

Outcome<std::shared_ptr<Description>> FdTable::get(Fd fd) const {
  if (fd >= slots_.size() || slots_[fd] == nullptr) return fail(Errno::kBadF);
  return slots_[fd];
}

Outcome<std::shared_ptr<Description>> FdTable::remove(Fd fd) {
  if (fd >= slots_.size() || slots_[fd] == nullptr) return fail(Errno::kBadF);
  return std::exchange(slots_[fd], nullptr);
}

Outcome<std::shared_ptr<Description>> FdTable::move(Fd from, Fd to) {
  if (from >= slots_.size() || slots_[from] == nullptr) return fail(Errno::kBadF);
  if (to >= slots_.size() || slots_[to] == nullptr) return fail(Errno::kBadF);
  if (from == to) return std::shared_ptr<Description>();
  return std::exchange(slots_[to], std::exchange(slots_[from], nullptr));
}

std::uint32_t FdTable::open_count() const {
  return static_cast<std::uint32_t>(std::count_if(
      slots_.begin(), slots_.end(), [](const auto& slot) { return slot != nullptr; }));
}

std::vector<std::shared_ptr<Description>> FdTable::descriptions() const {
  std::vector<std::shared_ptr<Description>> all;
  for (const auto& slot : slots_) {
    if (slot && std::find(all.begin(), all.end(), slot) == all.end()) all.push_back(slot);
  }
  return all;
}

}  // namespace sf::kernel
