// Kills and power losses.
//
// A process kill loses nothing that the page cache holds. A power loss keeps the durable view, and
// of the uncertain operations those that a survivor set names: under the profiles with one order a
// prefix, and possibly a part of the data operation after it.
//
// A sync in flight has two orders: the one of the calls, for when its writeback had not begun, and
// the one in which the synced inode's operations come first, for when it had. A prefix of the
// second is what a writeback leaves that got that far; a prefix that holds all of them is a sync
// that was complete but had not returned.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
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
  if (impl.rules->tears == ProfileRules::Tears::kNever) return {};
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

std::vector<PendingOp> Volume::Impl::uncertain(const InFlight& in_flight, bool sync_first) const {
  using Uncertain = ProfileRules::Uncertain;
  const bool only_in_flight = rules->uncertain == Uncertain::kOneInFlight;
  if (only_in_flight && in_flight.kind != InFlight::Kind::kLastOperation) return {};
  std::vector<PendingOp> all = log.in_order();
  if (!sync_first || in_flight.kind != InFlight::Kind::kSync) return all;
  std::vector<OpSeq> first;
  const auto chosen = names_to_sync(log.names(), in_flight.ino);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) first.push_back(log.names()[i].seq);
  }
  const auto comes_first = [&](const PendingOp& op) {
    return op.name != nullptr ? std::binary_search(first.begin(), first.end(), op.seq)
                              : op.content->ino == in_flight.ino;
  };
  std::vector<PendingOp> order;
  order.reserve(all.size());
  std::copy_if(all.begin(), all.end(), std::back_inserter(order), comes_first);
  std::copy_if(all.begin(), all.end(), std::back_inserter(order), std::not_fn(comes_first));
  return order;
}

void Volume::for_each_survivors(InFlight in_flight,
                                const std::function<bool(const Survivors&)>& visit) const {
  const bool two_orders = in_flight.kind == InFlight::Kind::kSync &&
                          impl_->rules->uncertain == ProfileRules::Uncertain::kUntilSynced;
  for (const bool sync_first : {false, true}) {
    if (sync_first && !two_orders) return;
    const std::vector<PendingOp> order = impl_->uncertain(in_flight, sync_first);
    Survivors set;
    set.pending = order.size();
    set.sync_first = sync_first;
    for (set.kept = 0; set.kept <= set.pending; ++set.kept) {
      set.torn_bytes = 0;
      if (!visit(set)) return;
      if (set.kept == set.pending) break;
      const Cuts cuts = cuts_of(order[set.kept], *impl_);
      for (std::uint32_t i = 0; i < cuts.count; ++i) {
        set.torn_bytes = cuts.at(i);
        if (!visit(set)) return;
      }
    }
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
  if (in_flight.kind == InFlight::Kind::kSync &&
      impl_->rules->uncertain == ProfileRules::Uncertain::kUntilSynced) {
    set.sync_first = dice.below(2) == 1;
  }
  const std::vector<PendingOp> order = impl_->uncertain(in_flight, set.sync_first);
  set.pending = order.size();
  if (order.empty()) return set;
  const auto before_last =
      std::count_if(order.begin(), order.end(), [this](const PendingOp& op) {
        return op.seq < impl_->operation_start;
      });
  set.kept = draw_kept(dice, set.pending, static_cast<std::uint64_t>(before_last));
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

namespace {

std::string name_in(const Tree& tree, Ino directory, const std::string& name) {
  const std::string path = tree.path_of(directory);
  return path == "/" ? "/" + name : path + "/" + name;
}

std::string describe(const PendingOp& op, const Tree& tree) {
  if (op.name != nullptr) {
    const NameOp& name = *op.name;
    const std::string at = name_in(tree, name.directory, name.name);
    switch (name.kind) {
      case NameOp::Kind::kCreate: return "create " + at;
      case NameOp::Kind::kMakeDirectory: return "mkdir " + at;
      case NameOp::Kind::kMakeSymlink: return "symlink " + at;
      case NameOp::Kind::kLink: return "link " + at;
      case NameOp::Kind::kUnlink: return "unlink " + at;
      case NameOp::Kind::kRemoveDirectory: return "rmdir " + at;
      case NameOp::Kind::kRename:
        return "rename " + at + " to " + name_in(tree, name.to_directory, name.to_name);
    }
  }
  const ContentOp& content = *op.content;
  const std::string path = tree.path_of(content.ino);
  const std::string file = path.empty() ? fmt::format("a removed file ({})", content.ino) : path;
  switch (content.kind) {
    case ContentOp::Kind::kData:
      return fmt::format("{} bytes of page {} of {}", content.to - content.from, content.page,
                         file);
    case ContentOp::Kind::kExtend:
    case ContentOp::Kind::kSize: return fmt::format("growth of {} to {}", file, content.size);
    case ContentOp::Kind::kTruncate: return fmt::format("truncate {} to {}", file, content.size);
    case ContentOp::Kind::kTimes: return "times of " + file;
  }
  return {};
}

std::string describe(const CrashEffect& effect, const std::vector<PendingOp>& order,
                     std::uint32_t torn_bytes, const Tree& tree) {
  constexpr std::size_t kDescriptionBytesMax = 400;
  if (order.empty()) return "nothing was pending";
  std::string text = fmt::format("kept {} of {} pending operations", effect.operations_kept,
                                 order.size());
  if (effect.torn) {
    text += fmt::format("; {} of ", torn_bytes);
  } else if (effect.operations_lost > 0) {
    text += "; first lost: ";
  }
  if (effect.operations_lost > 0) text += describe(order[effect.operations_kept], tree);
  return excerpt(text, kDescriptionBytesMax);
}

}  // namespace

CrashEffect Volume::power_loss(InFlight in_flight, const Survivors& survivors) {
  Impl& impl = *impl_;
  CrashEffect effect;
  const std::vector<PendingOp> order = impl.uncertain(in_flight, survivors.sync_first);
  // What is pending but not uncertain had returned.
  if (order.empty()) {
    impl.fail_bad_pages();
    impl.fold_all_pending();
  }
  const bool all = survivors.kept == survivors.pending || survivors.kept >= order.size();
  effect.operations_kept = all ? order.size() : survivors.kept;
  effect.operations_lost = order.size() - effect.operations_kept;
  std::uint32_t torn_bytes = 0;
  if (!all) {
    torn_bytes = cut_for(cuts_of(order[effect.operations_kept], impl), survivors.torn_bytes);
    effect.torn = torn_bytes > 0;
  }
  effect.applied = Survivors{effect.operations_kept, order.size(), torn_bytes,
                             survivors.sync_first};
  effect.description = describe(effect, order, torn_bytes, impl.volatile_view);
  for (std::size_t i = 0; i < effect.operations_kept; ++i) impl.fold(order[i]);
  if (effect.torn) {
    impl.durable_view.apply_torn(*order[effect.operations_kept].content, torn_bytes, *impl.arena);
  }
  impl.restart_from_durable();
  return effect;
}

void Volume::Impl::restart_from_durable() {
  log.clear();
  references.clear();
  last_write.reset();
  const bool nothing_lost = rules->uncertain == ProfileRules::Uncertain::kNothing;
  Tree& survivor = nothing_lost ? volatile_view : durable_view;
  const std::size_t discarded = survivor.check_and_repair(*arena);
  // A prefix is a disk that once was: only the files that processes held open lose their inode.
  SF_CHECK(nothing_lost || rules->survival != ProfileRules::Survival::kPrefix || discarded == 0);
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
