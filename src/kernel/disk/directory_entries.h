// The entries of one directory: names, what they lead to, and for each a slot that never changes.
//
// A slot is the cookie of a listing (plus a constant), and a cookie has to fit 31 bits: telldir(3)
// of C programs returns it as a `long`, which has 32 bits on wasm32. Slots lie in the order of a
// hash of the names, as in ext4's hashed directories: programs that hope for creation order or
// alphabetical order are disappointed here as they are there. Where two names want one slot, the
// later one takes the next that is free (directory_entries.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

class DirectoryEntries {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kSlots = (1U << 31) - 4;   // leaves cookies for "start", "." and ".."

  DirectoryEntries() = default;
  explicit DirectoryEntries(Slot slots) : slots_(slots) {}   // fewer, for tests
  DirectoryEntries(const DirectoryEntries& other);
  DirectoryEntries& operator=(const DirectoryEntries& other);
  DirectoryEntries(DirectoryEntries&&) = default;
  DirectoryEntries& operator=(DirectoryEntries&&) = default;
  ~DirectoryEntries() = default;

  struct Entry {
    std::string name;
    Ino ino = 0;
  };
  using Slots = std::map<Slot, Entry>;

  Ino find(std::string_view name) const;           // 0: none
  // False when the name is there. Must not be full.
  bool insert(const std::string& name, Ino ino);
  // The name leads elsewhere from now on and keeps its slot. False when it is not there.
  bool replace(std::string_view name, Ino ino);
  bool erase(std::string_view name);               // false when it is not there
  std::size_t size() const { return by_slot_.size(); }
  bool empty() const { return by_slot_.empty(); }
  bool full() const { return by_slot_.size() >= slots_; }

  // In the order of their slots. Where names have collided it says something of their history.
  bool have_collided() const { return collisions_ && !collisions_->away.empty(); }
  Slots::const_iterator begin() const { return by_slot_.begin(); }
  Slots::const_iterator end() const { return by_slot_.end(); }
  Slots::const_iterator from(Slot slot) const { return by_slot_.lower_bound(slot); }

  // Where a name goes when nothing is in its way.
  static Slot home_of(std::string_view name, Slot slots = kSlots);

 private:
  // Most directories have none.
  struct Collisions {
    std::map<std::string, Slot, std::less<>> away;   // names that are not at home
    std::map<Slot, Slot> runs;                       // of two or more used slots: first -> end
    bool empty() const { return away.empty() && runs.empty(); }
  };

  Slots::const_iterator at(std::string_view name) const;
  Collisions& collisions();
  Slot end_of_run(Slot used) const;
  Slot free_slot(Slot home) const;
  void join_run(Slots::const_iterator added);
  void leave_run(Slot slot);

  Slot slots_ = kSlots;
  Slots by_slot_;
  std::unique_ptr<Collisions> collisions_;
};

}  // namespace sf::kernel::disk
