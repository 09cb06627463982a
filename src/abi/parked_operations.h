// Operations whose goroutine is parked in the guest's poller, by the numbers that the guest knows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kernel/operations.h"

namespace sf::abi {

class ParkedOperations {
 public:
  struct Entry {
    kernel::OpId id = kernel::OpId::kNone;
    std::string path;   // for traces
  };
  // Above every descriptor, and positive as an i32.
  static constexpr std::uint32_t kFirst = 0x4000'0000;

  // More than any program has under way, so only one that never asks for results meets it.
  bool full() const { return entries_.size() >= 10'000; }

  std::uint32_t add(kernel::OpId id, std::string path) {
    std::uint32_t number = none_free_below_;   // the lowest that is free
    while (entries_.contains(number)) ++number;
    entries_.emplace(number, Entry{id, std::move(path)});
    none_free_below_ = number + 1;
    return number;
  }
  const Entry* find(std::uint32_t number) const {
    const auto found = entries_.find(number);
    return found == entries_.end() ? nullptr : &found->second;
  }
  // The one operation that a signal ends; none is sent yet, so it lasts as long as the program.
  bool has_one_for_signals() const { return for_signals_.has_value(); }
  std::uint32_t for_signals(kernel::Operations& operations) {
    if (!for_signals_) for_signals_ = add(operations.start(), "signals");
    return *for_signals_;
  }
  void remove(std::uint32_t number) {
    entries_.erase(number);
    none_free_below_ = std::min(none_free_below_, number);
  }

 private:
  std::map<std::uint32_t, Entry> entries_;
  std::uint32_t none_free_below_ = kFirst;
  std::optional<std::uint32_t> for_signals_;
};

}  // namespace sf::abi
