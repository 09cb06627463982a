// Entries keep their slots for life, are found by name, and come once each in the order of slots.
//
// Method: random inserts and erases on tables with a handful of slots, so that names collide, go
// around the end and fill the table, against a twin that scans an array.
#include "kernel/disk/directory_entries.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace sf::kernel::disk {
namespace {

using Slot = DirectoryEntries::Slot;

class NaiveEntries {
 public:
  explicit NaiveEntries(Slot slots) : table_(slots) {}
  bool insert(const std::string& name, Ino ino) {
    if (find(name) != 0) return false;
    Slot slot = DirectoryEntries::home_of(name, static_cast<Slot>(table_.size()));
    while (table_[slot]) slot = (slot + 1) % static_cast<Slot>(table_.size());
    table_[slot] = DirectoryEntries::Entry{name, ino};
    return true;
  }
  bool replace(const std::string& name, Ino ino) {
    for (auto& entry : table_) {
      if (!entry || entry->name != name) continue;
      entry->ino = ino;
      return true;
    }
    return false;
  }
  bool erase(const std::string& name) {
    for (auto& entry : table_) {
      if (!entry || entry->name != name) continue;
      entry.reset();
      return true;
    }
    return false;
  }
  Ino find(const std::string& name) const {
    for (const auto& entry : table_) {
      if (entry && entry->name == name) return entry->ino;
    }
    return 0;
  }
  bool full() const {
    return std::all_of(table_.begin(), table_.end(), [](const auto& e) { return e.has_value(); });
  }
  std::string dump(Slot from) const {
    std::string out;
    for (Slot slot = from; slot < table_.size(); ++slot) {
      if (!table_[slot]) continue;
      out += std::to_string(slot) + "=" + table_[slot]->name + ":" +
             std::to_string(table_[slot]->ino) + " ";
    }
    return out;
  }

 private:
  std::vector<std::optional<DirectoryEntries::Entry>> table_;
};

std::string dump(const DirectoryEntries& entries, Slot from) {
  std::string out;
  for (auto at = entries.from(from); at != entries.end(); ++at) {
    out += std::to_string(at->first) + "=" + at->second.name + ":" +
           std::to_string(at->second.ino) + " ";
  }
  return out;
}

RC_GTEST_PROP(DirectoryEntries, AgreeWithAnArrayThatIsScanned, ()) {
  const Slot slots = *rc::gen::inRange(1U, 20U);
  DirectoryEntries entries(slots);
  NaiveEntries naive(slots);
  const int steps = *rc::gen::inRange(0, 120);
  for (int step = 0; step < steps; ++step) {
    const std::string name = "n" + std::to_string(*rc::gen::inRange(0, 30));
    const Ino ino = static_cast<Ino>(step) + 1;
    RC_ASSERT(entries.full() == naive.full());
    const int what = *rc::gen::inRange(0, 6);
    if (what < 3) {
      if (naive.full()) continue;
      RC_ASSERT(entries.insert(name, ino) == naive.insert(name, ino));
    } else if (what == 3) {
      RC_ASSERT(entries.replace(name, ino) == naive.replace(name, ino));
    } else {
      RC_ASSERT(entries.erase(name) == naive.erase(name));
    }
    RC_ASSERT(entries.find(name) == naive.find(name));
    const Slot from = *rc::gen::inRange(Slot{0}, slots + 1);
    RC_ASSERT(dump(entries, from) == naive.dump(from));
    if (*rc::gen::inRange(0, 10) == 0) {
      const DirectoryEntries copy = entries;   // a copy stands for itself
      entries = copy;
    }
  }
}

TEST(DirectoryEntries, OrderOfSlotsIsThatOfTheHash) {
  for (int i = 0; i < 10'000; ++i) {
    const std::string a = "a" + std::to_string(i);
    const std::string b = "b" + std::to_string(i);
    const Slot at_a = DirectoryEntries::home_of(a);
    const Slot at_b = DirectoryEntries::home_of(b);
    EXPECT_LT(at_a, DirectoryEntries::kSlots);
    if (at_a == at_b) continue;
    EXPECT_EQ(at_a < at_b, hash64(a) < hash64(b));
  }
}

// Names that all want one of a few slots lie in one long run; each is found whatever went before.
TEST(DirectoryEntries, NamesOfAFewHomesAreAllFoundAlsoWhenOthersHaveGone) {
  constexpr Slot kSlots = 1U << 20, kHomes = 1000, kNames = 2000;
  std::vector<std::string> names;
  for (int i = 0; names.size() < kNames; ++i) {
    const std::string name = std::to_string(i);
    if (DirectoryEntries::home_of(name, kSlots) < kHomes) names.push_back(name);
  }
  DirectoryEntries entries(kSlots);
  EXPECT_FALSE(entries.have_collided());
  for (Slot i = 0; i < kNames; ++i) ASSERT_TRUE(entries.insert(names[i], i + 1));
  EXPECT_TRUE(entries.have_collided());
  for (Slot i = 0; i < kNames; i += 2) ASSERT_TRUE(entries.erase(names[i]));
  for (Slot i = 0; i < kNames; ++i) ASSERT_EQ(entries.find(names[i]), i % 2 == 0 ? 0 : i + 1);
  EXPECT_EQ(entries.size(), kNames / 2);
}

}  // namespace
}  // namespace sf::kernel::disk
