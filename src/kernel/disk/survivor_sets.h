// Which sets of uncertain operations a power loss may keep where the profile has no one order.
//
// A set is allowed if with each operation it holds those that the operation needs:
//   names      entry, birth, keep, empty and moves, as for a sync (sync_closure.cc); S2, S3, S5
//   content    the birth of its inode (S2)
//   data       the older versions of the same page (S1): writeback writes the page as cached
//   sizes      the older growths and truncates of the same inode (S4)
//   times      the older changes of times of the same inode: they share its block on the disk
// Under kPrefixPerFile all operations on names need all older ones, and all content of an inode the
// older content of that inode. S6 is Tree::check_and_repair, S7 lies in `keep`.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/choices.h"
#include "kernel/disk/log.h"
#include "kernel/disk/profile.h"
#include "kernel/disk/survivors.h"

namespace sf::kernel::disk {

// What is lost already, in a walk from the oldest operation to the newest.
class Losses {
 public:
  explicit Losses(ProfileRules::Survival survival)
      : per_file_(survival == ProfileRules::Survival::kPrefixPerFile) {}

  // Whether nothing that it needs was lost.
  bool can_survive(const PendingOp& op) const;
  void add(const PendingOp& op);

 private:
  using Page = std::pair<Ino, std::uint64_t>;
  bool can_survive(const NameOp& op) const;
  bool can_survive(const ContentOp& op) const;
  void add(const NameOp& op);
  void add(const ContentOp& op);

  bool per_file_;
  bool any_name_ = false;
  bool moves_ = false;
  std::set<std::pair<Ino, std::string>> entries_;
  std::set<Ino> births_, additions_, directories_, sizes_, times_, contents_;
  std::set<Page> pages_;
};

// A view of the pending operations and of what of them is lost; positions as in Survivors.
class SurvivorSet {
 public:
  // Nothing is lost.
  SurvivorSet(const std::vector<PendingOp>& order, ProfileRules rules,
              const VolumeOptions& options);

  std::size_t size() const { return order_.size(); }
  bool per_file() const { return rules_.survival == ProfileRules::Survival::kPrefixPerFile; }
  bool lost(std::size_t i) const { return lost_[i]; }
  void lose(std::size_t i) { lost_[i] = true; }
  void lose_all() { lost_.assign(lost_.size(), true); }
  void keep(std::size_t i) { lost_[i] = false; }
  // Loses also what cannot survive without the lost; keeps also what the kept need.
  void close_by_losing();
  void close_by_keeping();

  // The sectors of a lost operation that may come through alone: bits of all that it writes, at
  // least two, or 0. Requires a closed set.
  std::uint32_t tearable(std::size_t i) const;
  std::vector<std::size_t> all_tearable() const;
  // Whether the part of a torn operation that came through grows the file: its own growth is lost,
  // no older one is.
  bool grows_when_torn(std::size_t i) const;
  // Bits of the sectors that data operation i writes; 0 if it is none, or pages do not tear.
  std::uint32_t sectors_of(std::size_t i) const;

  // As data; and the nearest set to a recorded one that is allowed here.
  Survivors to_survivors(bool sync_first, std::vector<TornPage> torn) const;
  std::vector<TornPage> fit(const Survivors& survivors);

 private:
  bool may_survive(std::size_t i) const;   // nothing older that it needs is lost
  const std::vector<PendingOp>& order_;
  ProfileRules rules_;
  const VolumeOptions& options_;
  std::vector<bool> lost_;
};

// A draw by the mixture of fault-models.md 2.6. Operations from `in_flight_from` on are steps of
// the call during which power fails.
Survivors draw_set(SurvivorSet set, const std::vector<PendingOp>& order, bool sync_first,
                   std::size_t in_flight_from, Dice& dice, Tearing torn);

}  // namespace sf::kernel::disk
