// Sets of survivors, closed under what operations need.
//
// Needs point only to older operations. So the greatest allowed set within a wish is found by one
// walk from the oldest to the newest that drops what needs something dropped (Losses), and the
// least allowed one around a wish by one walk back that takes along what is needed (NameNeeds).
#include "kernel/disk/survivor_sets.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "kernel/disk/name_needs.h"

namespace sf::kernel::disk {

// ---- losses

bool Losses::can_survive(const PendingOp& op) const {
  return op.name != nullptr ? can_survive(*op.name) : can_survive(*op.content);
}

void Losses::add(const PendingOp& op) {
  if (op.name != nullptr) {
    add(*op.name);
  } else {
    add(*op.content);
  }
}

bool Losses::can_survive(const NameOp& op) const {
  if (per_file_) return !any_name_;
  if (entries_.contains({op.directory, op.name})) return false;
  if (births_.contains(op.directory) || births_.contains(op.ino)) return false;
  switch (op.kind) {
    case NameOp::Kind::kUnlink: return !additions_.contains(op.ino);
    case NameOp::Kind::kRemoveDirectory: return !directories_.contains(op.ino);
    case NameOp::Kind::kRename: break;
    default: return true;
  }
  if (entries_.contains({op.to_directory, op.to_name})) return false;
  if (births_.contains(op.to_directory)) return false;
  if (op.moves_directory && moves_) return false;
  if (op.replaced == 0) return true;
  return !(op.replaces_directory ? directories_ : additions_).contains(op.replaced);
}

void Losses::add(const NameOp& op) {
  any_name_ = true;
  entries_.insert({op.directory, op.name});
  directories_.insert(op.directory);
  if (op.makes_inode()) births_.insert(op.ino);
  if (op.adds_a_name()) additions_.insert(op.ino);
  if (op.kind != NameOp::Kind::kRename) return;
  entries_.insert({op.to_directory, op.to_name});
  directories_.insert(op.to_directory);
  if (op.moves_directory) moves_ = true;
}

bool Losses::can_survive(const ContentOp& op) const {
  if (births_.contains(op.ino)) return false;
  if (per_file_) return !contents_.contains(op.ino);
  switch (op.kind) {
    case ContentOp::Kind::kData: return !pages_.contains({op.ino, op.page});
    case ContentOp::Kind::kExtend:
    case ContentOp::Kind::kSize:
    case ContentOp::Kind::kTruncate: return !sizes_.contains(op.ino);
    case ContentOp::Kind::kTimes: return !times_.contains(op.ino);
  }
  return true;
}

void Losses::add(const ContentOp& op) {
  contents_.insert(op.ino);
  switch (op.kind) {
    case ContentOp::Kind::kData: pages_.insert({op.ino, op.page}); break;
    case ContentOp::Kind::kExtend:
    case ContentOp::Kind::kSize:
    case ContentOp::Kind::kTruncate: sizes_.insert(op.ino); break;
    case ContentOp::Kind::kTimes: times_.insert(op.ino); break;
  }
}

// ---- sets

SurvivorSet::SurvivorSet(const std::vector<PendingOp>& order, ProfileRules rules,
                         const VolumeOptions& options)
    : order_(order), rules_(rules), options_(options), lost_(order.size(), false) {}

void SurvivorSet::close_by_losing() {
  Losses losses(rules_.survival);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (!lost_[i] && losses.can_survive(order_[i])) continue;
    lost_[i] = true;
    losses.add(order_[i]);
  }
}

void SurvivorSet::close_by_keeping() {
  const bool per_file = this->per_file();
  NameNeeds names;
  std::set<Ino> contents, sizes, times;
  std::set<std::pair<Ino, std::uint64_t>> pages;
  bool any_name = false;
  for (std::size_t i = order_.size(); i-- > 0;) {
    if (const NameOp* op = order_[i].name) {
      if (lost_[i] && !names.include(*op) && !(per_file && any_name)) continue;
      lost_[i] = false;
      any_name = true;
      names.add_those_of(*op);
      continue;
    }
    const ContentOp& op = *order_[i].content;
    const bool data = op.kind == ContentOp::Kind::kData;
    std::set<Ino>& same_kind = op.kind == ContentOp::Kind::kTimes ? times : sizes;
    const bool needed = per_file ? contents.contains(op.ino)
                        : data   ? pages.contains({op.ino, op.page})
                                 : same_kind.contains(op.ino);
    if (lost_[i] && !needed) continue;
    lost_[i] = false;
    contents.insert(op.ino);
    names.add_birth(op.ino);
    if (data) {
      pages.insert({op.ino, op.page});
    } else {
      same_kind.insert(op.ino);
    }
  }
}

bool SurvivorSet::may_survive(std::size_t i) const {
  Losses losses(rules_.survival);
  for (std::size_t older = 0; older < i; ++older) {
    if (lost_[older]) losses.add(order_[older]);
  }
  return losses.can_survive(order_[i]);
}

// ---- tears

std::uint32_t SurvivorSet::sectors_of(std::size_t i) const {
  const ContentOp* op = order_[i].content;
  if (op == nullptr || op->kind != ContentOp::Kind::kData) return 0;
  if (rules_.tears == ProfileRules::Tears::kNever || options_.tear == TearUnit::kPage) return 0;
  const std::uint32_t first = op->from / options_.sector_bytes;
  const std::uint32_t last = (op->to - 1) / options_.sector_bytes;
  if (first == last) return 0;   // one sector is atomic
  return (2U << last) - (1U << first);
}

std::uint32_t SurvivorSet::tearable(std::size_t i) const {
  return lost_[i] && sectors_of(i) != 0 && may_survive(i) ? sectors_of(i) : 0;
}

std::vector<std::size_t> SurvivorSet::all_tearable() const {
  std::vector<std::size_t> found;
  Losses losses(rules_.survival);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (!lost_[i]) continue;
    if (sectors_of(i) != 0 && losses.can_survive(order_[i])) found.push_back(i);
    losses.add(order_[i]);
  }
  return found;
}

bool SurvivorSet::grows_when_torn(std::size_t i) const {
  const ContentOp& data = *order_[i].content;
  if (!data.grows) return false;
  for (std::size_t j = 0; j < order_.size(); ++j) {
    const ContentOp* op = order_[j].content;
    if (op == nullptr || op->ino != data.ino || op->seq != data.seq + 1) continue;
    return lost_[j] && may_survive(j);
  }
  return false;
}

// ---- as data

Survivors SurvivorSet::to_survivors(bool sync_first, std::vector<TornPage> torn) const {
  Survivors survivors;
  survivors.pending = order_.size();
  survivors.sync_first = sync_first;
  for (std::size_t i = 0; i < lost_.size(); ++i) {
    if (lost_[i]) survivors.lost.push_back(i);
  }
  survivors.kept = survivors.pending - survivors.lost.size();
  survivors.torn = std::move(torn);
  return survivors;
}

std::vector<TornPage> SurvivorSet::fit(const Survivors& survivors) {
  if (survivors.lost.empty() && survivors.kept < survivors.pending) {   // recorded as a prefix
    for (std::size_t i = survivors.kept; i < size(); ++i) lose(i);
  }
  for (const std::uint64_t position : survivors.lost) {
    if (position < size()) lose(position);
  }
  close_by_losing();
  std::vector<TornPage> torn;
  for (TornPage page : survivors.torn) {
    if (page.operation >= size()) continue;
    const std::uint32_t sectors = tearable(page.operation);
    page.sectors &= sectors;
    if (page.sectors != 0 && page.sectors != sectors) torn.push_back(page);
  }
  return torn;
}

// ---- drawing one

namespace {

// Each inode's content, and each directory's entries, survive or do not survive as one.
void lose_by_object(SurvivorSet& set, const std::vector<PendingOp>& order, Dice& dice) {
  std::map<Ino, bool> contents, directories;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_name = order[i].name != nullptr;
    const Ino object = is_name ? order[i].name->directory : order[i].content->ino;
    std::map<Ino, bool>& drawn = is_name ? directories : contents;
    const auto found = drawn.find(object);
    const bool lost = found != drawn.end() ? found->second : dice.below(2) == 1;
    if (found == drawn.end()) drawn.emplace(object, lost);
    if (lost) set.lose(i);
  }
}

// Weights: fault-models.md 2.6, and a cut within the call in flight, where programs are most often
// surprised.
void draw_losses(SurvivorSet& set, const std::vector<PendingOp>& order, std::size_t in_flight_from,
                 Dice& dice) {
  const std::size_t pending = set.size();
  const auto lose_from = [&](std::size_t first) {
    for (std::size_t i = first; i < pending; ++i) set.lose(i);
  };
  const std::uint64_t mode = dice.below(15);
  if (mode < 1) return;                                           // all
  if (mode < 3) return set.lose_all();                            // none
  if (mode < 5) return lose_from(dice.below(pending + 1));        // prefix
  if (mode < 8) return set.lose(dice.below(pending));             // all but one
  if (mode < 9) {                                                 // only one
    set.lose_all();
    set.keep(dice.below(pending));
    return set.close_by_keeping();
  }
  if (mode < 11) {                                                // each with the same odds
    constexpr std::uint64_t kTenthsLost[] = {1, 5, 9};
    const std::uint64_t tenths = kTenthsLost[dice.below(3)];
    for (std::size_t i = 0; i < pending; ++i) {
      if (dice.below(10) < tenths) set.lose(i);
    }
    return;
  }
  if (mode < 13) return lose_by_object(set, order, dice);
  lose_from(in_flight_from + dice.below(pending - in_flight_from + 1));
}

// Some of the sectors, not all: the front, the back, all but one, any.
std::uint32_t draw_sectors(std::uint32_t all, bool front_only, Dice& dice) {
  std::vector<std::uint32_t> bits;
  for (std::uint32_t bit = 1; bit <= all; bit <<= 1) {
    if ((all & bit) != 0) bits.push_back(bit);
  }
  const std::uint64_t shape = front_only ? 0 : dice.below(4);
  const std::size_t cut = 1 + dice.below(bits.size() - 1);
  std::uint32_t front = 0;
  for (std::size_t i = 0; i < cut; ++i) front |= bits[i];
  switch (shape) {
    case 0: return front;
    case 1: return all & ~front;
    case 2: return all & ~bits[dice.below(bits.size())];
    default: break;
  }
  const std::uint64_t pattern = 1 + dice.below((1ULL << bits.size()) - 2);
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if ((pattern >> i & 1) != 0) mask |= bits[i];
  }
  return mask;
}

}  // namespace

Survivors draw_set(SurvivorSet set, const std::vector<PendingOp>& order, bool sync_first,
                   std::size_t in_flight_from, Dice& dice, Tearing torn) {
  if (order.empty()) return set.to_survivors(sync_first, {});
  draw_losses(set, order, in_flight_from, dice);
  set.close_by_losing();
  if (torn == Tearing::kWhole) return set.to_survivors(sync_first, {});
  if (set.all_tearable().empty()) {
    std::size_t last = order.size();   // then the last write that can tear does
    while (last > 0 && set.sectors_of(last - 1) == 0) --last;
    if (last == 0) return set.to_survivors(sync_first, {});
    set.lose(last - 1);
    set.close_by_losing();
  }
  const std::vector<std::size_t> candidates = set.all_tearable();
  if (candidates.empty()) return set.to_survivors(sync_first, {});
  const bool front_only = set.per_file();
  const std::size_t sure = dice.below(candidates.size());
  std::vector<TornPage> pages;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i != sure && dice.below(2) == 0) continue;
    const std::size_t at = candidates[i];
    pages.push_back({at, draw_sectors(set.sectors_of(at), front_only, dice)});
  }
  return set.to_survivors(sync_first, std::move(pages));
}

}  // namespace sf::kernel::disk
