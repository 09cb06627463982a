// Open addressing over a sparse table. An entry that finds its home slot taken goes to the first
// free one after it, around the end if need be, and stays there when its home becomes free: a
// listing that stopped anywhere goes on without losing or repeating a name.
//
// A table that is never rebuilt must find names whose way has holes by now. So those away from home
// are kept in an index of their own, which is as good as always empty: of a million names about two
// hundred. Neighbouring used slots are kept as runs, so that a program which makes names collide on
// purpose pays a look-up for each, and not a walk over all that collided before.
#include "kernel/disk/directory_entries.h"

#include <iterator>
#include <utility>

#include "base/check.h"

namespace sf::kernel::disk {

DirectoryEntries::DirectoryEntries(const DirectoryEntries& other)
    : slots_(other.slots_),
      by_slot_(other.by_slot_),
      collisions_(other.collisions_ ? std::make_unique<Collisions>(*other.collisions_) : nullptr) {}

DirectoryEntries& DirectoryEntries::operator=(const DirectoryEntries& other) {
  if (this != &other) *this = DirectoryEntries(other);
  return *this;
}

// The top bits of the hash, scaled: the order of the slots is the order of the hashes.
DirectoryEntries::Slot DirectoryEntries::home_of(std::string_view name, Slot slots) {
  return static_cast<Slot>((hash64(name) >> 32) * slots >> 32);
}

DirectoryEntries::Slots::const_iterator DirectoryEntries::at(std::string_view name) const {
  const auto home = by_slot_.find(home_of(name, slots_));
  if (home != by_slot_.end() && home->second.name == name) return home;
  if (!collisions_) return by_slot_.end();
  const auto away = collisions_->away.find(name);
  return away == collisions_->away.end() ? by_slot_.end() : by_slot_.find(away->second);
}

Ino DirectoryEntries::find(std::string_view name) const {
  const auto found = at(name);
  return found == by_slot_.end() ? 0 : found->second.ino;
}

bool DirectoryEntries::insert(const std::string& name, Ino ino) {
  if (at(name) != by_slot_.end()) return false;
  const Slot home = home_of(name, slots_);
  const Slot slot = free_slot(home);
  if (slot != home) collisions().away.emplace(name, slot);
  join_run(by_slot_.emplace(slot, Entry{name, ino}).first);
  return true;
}

bool DirectoryEntries::replace(std::string_view name, Ino ino) {
  const auto found = at(name);
  if (found == by_slot_.end()) return false;
  by_slot_.find(found->first)->second.ino = ino;
  return true;
}

bool DirectoryEntries::erase(std::string_view name) {
  const auto found = at(name);
  if (found == by_slot_.end()) return false;
  const Slot slot = found->first;
  if (collisions_) {
    if (const auto away = collisions_->away.find(name); away != collisions_->away.end()) {
      collisions_->away.erase(away);
    }
    leave_run(slot);
    if (collisions_->empty()) collisions_.reset();
  }
  by_slot_.erase(found);
  return true;
}

// ---- slots

DirectoryEntries::Collisions& DirectoryEntries::collisions() {
  if (!collisions_) collisions_ = std::make_unique<Collisions>();
  return *collisions_;
}

DirectoryEntries::Slot DirectoryEntries::end_of_run(Slot used) const {
  if (collisions_) {
    const auto after = collisions_->runs.upper_bound(used);
    if (after != collisions_->runs.begin() && std::prev(after)->second > used) {
      return std::prev(after)->second;
    }
  }
  return used + 1;
}

DirectoryEntries::Slot DirectoryEntries::free_slot(Slot home) const {
  SF_CHECK(!full());
  if (!by_slot_.contains(home)) return home;
  const Slot after = end_of_run(home);
  if (after < slots_) return after;
  return by_slot_.contains(0) ? end_of_run(0) : 0;
}

void DirectoryEntries::join_run(Slots::const_iterator added) {
  Slot first = added->first;
  Slot end = first + 1;
  if (const auto next = std::next(added); next != by_slot_.end() && next->first == end) {
    end = end_of_run(next->first);
    if (collisions_) collisions_->runs.erase(next->first);
  }
  if (added != by_slot_.begin() && std::prev(added)->first + 1 == first) {
    first = std::prev(added)->first;
    if (collisions_) {
      const auto after = collisions_->runs.upper_bound(first);
      if (after != collisions_->runs.begin() && std::prev(after)->second > first) {
        first = std::prev(after)->first;
      }
    }
  }
  if (end - first > 1) collisions().runs[first] = end;
}

void DirectoryEntries::leave_run(Slot slot) {
  const auto after = collisions_->runs.upper_bound(slot);
  if (after == collisions_->runs.begin()) return;
  const auto run = std::prev(after);
  const auto [first, end] = *run;
  if (end <= slot) return;
  collisions_->runs.erase(run);
  if (slot - first > 1) collisions_->runs.emplace(first, slot);
  if (end - slot > 2) collisions_->runs.emplace(slot + 1, end);
}

}  // namespace sf::kernel::disk
