// Kills and power losses.
//
// A process kill loses nothing that the page cache holds. A power loss keeps the durable view, and
// of the uncertain operations those that a survivor set names: under the profiles with one order a
// prefix, and possibly a part of the data operation after it; under the others a closed set
// (survivor_sets.h).
//
// A sync in flight has two orders: the one of the calls, for when its writeback had not begun, and
// the one in which the synced inode's operations come first, for when it had. A prefix of the
// second is what a writeback leaves that got that far; a prefix that holds all of them is a sync
// that was complete but had not returned.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"
#include "kernel/disk/crash_text.h"
#include "kernel/disk/survivor_sets.h"
#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {

// ---- kill

namespace {

// Takes back the pages of the last write from the given one on.
void undo_last_write(Volume::Impl& impl, std::uint32_t pages_kept) {
  const LastWrite& write = *impl.last_write;
  if (pages_kept >= write.pages.size()) return;
  for (std::size_t i = write.pages.size(); i-- > pages_kept;) {
    const LastWrite::PageBefore& before = write.pages[i];
    impl.volatile_view.restore_page(write.ino, before.page, before.image, before.size);
    if (before.lost) impl.writeback[write.ino].lost.insert(before.page);
  }
  impl.log.drop_content_from(write.ino, write.pages[pages_kept].first_seq);
  if (pages_kept > 0) return;
  Inode& inode = impl.volatile_view.edit(write.ino);
  inode.modified = write.modified;
  inode.changed = write.changed;
}

}  // namespace

void Volume::kill(std::optional<std::uint32_t> pages_kept) {
  if (pages_kept && impl_->last_write) undo_last_write(*impl_, *pages_kept);
  impl_->drop_references();
  impl_->begin_operation();
}

// ---- the survivor sets

namespace {

// Where a data operation may be cut: after `first` bytes, first + step, ... below its length.
struct Cuts {
  std::uint32_t first = 1;
  std::uint32_t step = 1;
  std::uint32_t count = 0;
  std::uint32_t at(std::uint64_t index) const {
    return first + step * static_cast<std::uint32_t>(index);
  }
};

Cuts cuts_of(const PendingOp& op, const Volume::Impl& impl) {
  if (impl.rules.tears == ProfileRules::Tears::kNever) return {};
  if (op.content == nullptr || op.content->kind != ContentOp::Kind::kData) return {};
  if (impl.options.tear == TearUnit::kPage) return {};
  const ContentOp& data = *op.content;
  const std::uint32_t unit = impl.options.tear == TearUnit::kByte ? 1 : impl.options.sector_bytes;
  const std::uint32_t first = (data.from / unit + 1) * unit - data.from;
  const std::uint32_t length = data.to - data.from;
  if (first >= length) return {};
  return {first, unit, (length - 1 - first) / unit + 1};
}

// The greatest allowed cut that is not above the wanted one; 0: none.
std::uint32_t cut_for(const Cuts& cuts, std::uint32_t wanted) {
  if (cuts.count == 0 || wanted < cuts.first) return 0;
  return cuts.at(std::min((wanted - cuts.first) / cuts.step, cuts.count - 1));
}

}  // namespace

bool Volume::Impl::has_two_orders(const InFlight& in_flight) const {
  return in_flight.kind == InFlight::Kind::kSync &&
         rules.uncertain == ProfileRules::Uncertain::kUntilSynced &&
         rules.survival != ProfileRules::Survival::kFree;
}

std::vector<bool> Volume::Impl::covered_by_sync(const std::vector<PendingOp>& order,
                                                Ino ino) const {
  std::vector<OpSeq> names;
  const auto chosen = names_to_sync(log.names(), ino, rules.sync_names);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) names.push_back(log.names()[i].seq);
  }
  // Where its name stays behind, only a file can go ahead of it (fold_inode_of).
  const Inode* inode = volatile_view.find(ino);
  const bool is_file = inode != nullptr && inode->type == NodeType::kFile;
  const bool waits_for_name =
      !is_file && std::any_of(log.names().begin(), log.names().end(), [&](const NameOp& op) {
        return op.ino == ino && op.makes_inode() &&
               !std::binary_search(names.begin(), names.end(), op.seq);
      });
  std::vector<bool> covered(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    covered[i] = order[i].name != nullptr
                     ? std::binary_search(names.begin(), names.end(), order[i].seq)
                     : order[i].content->ino == ino && !waits_for_name;
  }
  return covered;
}

std::vector<PendingOp> Volume::Impl::uncertain(const InFlight& in_flight, bool sync_first) const {
  using Uncertain = ProfileRules::Uncertain;
  const bool only_in_flight = rules.uncertain == Uncertain::kOneInFlight;
  if (only_in_flight && in_flight.kind != InFlight::Kind::kLastOperation) return {};
  std::vector<PendingOp> all = log.in_order();
  if (!sync_first || !has_two_orders(in_flight)) return all;
  const std::vector<bool> covered = covered_by_sync(all, in_flight.ino);
  std::vector<PendingOp> order;
  order.reserve(all.size());
  for (const bool wanted : {true, false}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (covered[i] == wanted) order.push_back(all[i]);
    }
  }
  return order;
}

namespace {

using Visit = std::function<bool(const Survivors&)>;

// All prefixes, and the tears of the operation after each.
bool visit_prefixes(const std::vector<PendingOp>& order, const Volume::Impl& impl, bool sync_first,
                    const Visit& visit) {
  Survivors set;
  set.pending = order.size();
  set.sync_first = sync_first;
  for (set.kept = 0; set.kept <= set.pending; ++set.kept) {
    set.torn_bytes = 0;
    if (!visit(set)) return false;
    if (set.kept == set.pending) break;
    const Cuts cuts = cuts_of(order[set.kept], impl);
    for (std::uint32_t i = 0; i < cuts.count; ++i) {
      set.torn_bytes = cuts.at(i);
      if (!visit(set)) return false;
    }
  }
  return true;
}

bool visit_torn(const SurvivorSet& set, bool sync_first, const Visit& visit) {
  for (const std::size_t at : set.all_tearable()) {
    const std::uint32_t all = set.sectors_of(at);
    const std::uint32_t first = all & (~all + 1);
    for (std::uint32_t end = first << 1; end <= all; end <<= 1) {
      const std::uint32_t front = all & (end - 1);
      for (const std::uint32_t sectors : {front, all & ~front}) {
        const bool is_front = sectors == front;
        if (set.per_file() && !is_front) continue;
        if (!visit(set.to_survivors(sync_first, {{at, sectors}}))) return false;
      }
    }
  }
  return true;
}

// All allowed sets, by deciding about one operation after the other.
bool visit_sets(SurvivorSet& set, const std::vector<PendingOp>& order, std::size_t at,
                const Losses& losses, bool sync_first, const Visit& visit) {
  if (at == order.size()) {
    return visit(set.to_survivors(sync_first, {})) && visit_torn(set, sync_first, visit);
  }
  if (losses.can_survive(order[at])) {
    if (!visit_sets(set, order, at + 1, losses, sync_first, visit)) return false;
  }
  Losses more = losses;
  more.add(order[at]);
  set.lose(at);
  const bool go_on = visit_sets(set, order, at + 1, more, sync_first, visit);
  set.keep(at);
  return go_on;
}

}  // namespace

void Volume::for_each_survivors(InFlight in_flight, const Visit& visit) const {
  for (const bool sync_first : {false, true}) {
    if (sync_first && !impl_->has_two_orders(in_flight)) return;
    const std::vector<PendingOp> order = impl_->uncertain(in_flight, sync_first);
    bool go_on = true;
    if (impl_->rules.one_order()) {
      go_on = visit_prefixes(order, *impl_, sync_first, visit);
    } else {
      SurvivorSet set(order, impl_->rules, impl_->options);
      go_on = visit_sets(set, order, 0, Losses(impl_->rules.survival), sync_first, visit);
    }
    if (!go_on) return;
  }
}

// ---- drawing one

namespace {

// How many of `pending` operations survive. The weights follow fault-models.md 2.6 as far as they
// mean something for a prefix: everything, nothing, everything but the last (its "all but one"), a
// cut inside the operation in flight, a cut anywhere.
std::uint64_t draw_kept(Dice& dice, std::uint64_t pending, std::uint64_t before_last_operation) {
  const std::uint64_t mode = dice.below(12);
  if (mode < 1) return pending;
  if (mode < 3) return 0;
  if (mode < 5) return pending - 1;
  if (mode < 7) return before_last_operation + dice.below(pending - before_last_operation + 1);
  return dice.below(pending + 1);
}

}  // namespace

Survivors Volume::draw_survivors(InFlight in_flight, Dice dice, Tearing torn) const {
  Survivors set;
  if (impl_->has_two_orders(in_flight)) set.sync_first = dice.below(2) == 1;
  const std::vector<PendingOp> order = impl_->uncertain(in_flight, set.sync_first);
  set.pending = order.size();
  if (order.empty()) return set;
  const auto before_last = static_cast<std::size_t>(
      std::count_if(order.begin(), order.end(), [this](const PendingOp& op) {
        return op.seq < impl_->operation_start;
      }));
  if (!impl_->rules.one_order()) {
    return draw_set(SurvivorSet(order, impl_->rules, impl_->options), order, set.sync_first,
                    before_last, dice, torn);
  }
  set.kept = draw_kept(dice, set.pending, before_last);
  if (torn == Tearing::kWhole) return set;
  // The cut moves to the next data operation that can tear, else to the last one before.
  const auto can_tear = [&](std::uint64_t i) { return cuts_of(order[i], *impl_).count > 0; };
  std::uint64_t at = set.kept;
  while (at < set.pending && !can_tear(at)) ++at;
  if (at == set.pending) {
    at = set.kept;
    while (at > 0 && !can_tear(at - 1)) --at;
    if (at == 0) return set;
    --at;
  }
  const Cuts cuts = cuts_of(order[at], *impl_);
  set.kept = at;
  set.torn_bytes = cuts.at(dice.below(cuts.count));
  return set;
}

// ---- applying one

CrashEffect Volume::power_loss(InFlight in_flight, const Survivors& survivors) {
  Impl& impl = *impl_;
  const bool sync_first = survivors.sync_first && impl.has_two_orders(in_flight);
  if (sync_first) impl.fold_inode_of(in_flight.ino);
  const std::vector<PendingOp> order = impl.uncertain(in_flight, sync_first);
  // What is pending but not uncertain had returned.
  if (order.empty()) {
    impl.fail_bad_pages();
    impl.fold_all_pending();
  }
  const Loss loss = impl.rules.one_order() ? impl.fit_prefix(order, survivors)
                                           : impl.fit_set(order, survivors, sync_first);
  CrashEffect effect;
  effect.applied = loss.applied;
  effect.operations_kept = loss.applied.kept;
  effect.operations_lost = loss.applied.lost_count();
  effect.torn = loss.applied.tears();
  effect.description = describe_loss(loss, order, impl.volatile_view);
  effect.missing_barrier = impl.missing_barrier(loss, order, in_flight);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!loss.lost[i]) impl.fold(order[i]);
    for (const Loss::Torn& torn : loss.torn) {
      if (torn.operation == i) impl.fold_torn(*order[i].content, torn);
    }
  }
  impl.restart_from_durable();
  return effect;
}

Loss Volume::Impl::fit_prefix(const std::vector<PendingOp>& order,
                              const Survivors& survivors) const {
  Loss loss;
  const std::uint64_t kept = survivors.lost.empty() ? survivors.kept : survivors.lost.front();
  const bool all = survivors.kept == survivors.pending || kept >= order.size();
  loss.applied = {.kept = all ? order.size() : kept,
                  .pending = order.size(),
                  .sync_first = survivors.sync_first};
  loss.lost.assign(order.size(), false);
  for (std::size_t i = loss.applied.kept; i < order.size(); ++i) loss.lost[i] = true;
  if (all) return loss;
  const std::uint32_t bytes = cut_for(cuts_of(order[kept], *this), survivors.torn_bytes);
  loss.applied.torn_bytes = bytes;
  if (bytes > 0) loss.torn.push_back({.operation = kept, .bytes = bytes});
  return loss;
}

Loss Volume::Impl::fit_set(const std::vector<PendingOp>& order, const Survivors& survivors,
                           bool sync_first) const {
  SurvivorSet set(order, rules, options);
  Loss loss;
  loss.applied = set.to_survivors(sync_first, set.fit(survivors));
  loss.lost.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) loss.lost[i] = set.lost(i);
  for (const TornPage& page : loss.applied.torn) {
    const auto growth = set.grows_when_torn(page.operation) ? Tree::Growth::kReaches
                                                            : Tree::Growth::kStays;
    loss.torn.push_back(
        {.operation = page.operation, .sectors = page.sectors, .growth = growth});
  }
  return loss;
}

void Volume::Impl::fold_torn(const ContentOp& op, const Loss::Torn& torn) {
  if (torn.bytes > 0) {
    durable_view.apply_torn(op, torn.bytes, *arena);
  } else {
    durable_view.apply_sectors(op, {torn.sectors, options.sector_bytes}, torn.growth, *arena);
  }
}

void Volume::Impl::restart_from_durable() {
  log.clear();
  references.clear();
  holds_parent.clear();
  last_write.reset();
  const bool nothing_lost = rules.uncertain == ProfileRules::Uncertain::kNothing;
  Tree& survivor = nothing_lost ? volatile_view : durable_view;
  const std::size_t discarded = survivor.check_and_repair(*arena);
  // A prefix is a disk that once was: only the files that processes held open lose their inode.
  const bool always_named =
      rules.one_order() && rules.sync_names == ProfileRules::SyncNames::kItsOwn;
  SF_CHECK(nothing_lost || !always_named || discarded == 0);
  if (!nothing_lost) volatile_view = durable_view;
  // Bad sectors stay bad; errors and what the cache knew better than the disk are gone.
  std::erase_if(writeback, [this](const auto& entry) {
    return entry.second.bad.empty() || volatile_view.find(entry.first) == nullptr;
  });
  for (auto& [ino, state] : writeback) {
    state = WritebackState{.bad = std::move(state.bad), .bad_error = state.bad_error};
  }
  operation_start = next_seq;
}

}  // namespace sf::kernel::disk
