// Barriers: what a sync, a synchronous write and a background commit make durable.
//
// A writeback that fails on the way is in writeback.cc; why folding one inode's operations ahead of
// older ones is sound, in sync_closure.cc and docs/design/disk.md.
#include <algorithm>
#include <utility>

#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {

bool Volume::Impl::leaves_times(SyncKind kind) const {
  return kind == SyncKind::kDataOnly &&
         rules.data_sync_times == ProfileRules::DataSyncTimes::kLeft;
}

// The inode without its name. Until the name is folded too, a power loss finds an inode that no
// path leads to, and the check after it throws it away.
void Volume::Impl::fold_inode_of(Ino ino) {
  if (rules.sync_names == ProfileRules::SyncNames::kItsOwn) return;   // folded with its name
  const Inode* inode = volatile_view.find(ino);
  if (inode == nullptr || inode->type != NodeType::kFile) return;
  if (const NameOp* birth = log.leave_only_the_name(ino)) durable_view.make_inode(*birth);
}

// `only`: of the data, these pages. Operations from `before` on stay.
void Volume::Impl::fold_synced(Ino ino, SyncKind kind, Mark before, std::optional<PageSet> only) {
  if (rules.uncertain != ProfileRules::Uncertain::kUntilSynced) return;
  std::vector<NameOp> names = log.names();
  std::erase_if(names, [before](const NameOp& op) { return op.seq >= before; });
  std::vector<bool> chosen = names_to_sync(names, ino, rules.sync_names);
  chosen.resize(log.names().size(), false);
  for (const NameOp& op : log.take_names(chosen)) fold(op);
  fold_inode_of(ino);
  if (log.has_birth_of(ino)) return;   // a new directory: its times go with its name
  // What lies before a truncate goes with it: folded after it, data would come back from the dead.
  OpSeq last_truncate = 0;
  if (const auto* content = log.content_of(ino); only && content != nullptr) {
    for (const ContentOp& op : *content) {
      if (op.kind == ContentOp::Kind::kTruncate && op.seq < before) last_truncate = op.seq;
    }
  }
  const bool times_stay = leaves_times(kind);
  const auto stays = [&](const ContentOp& op) {
    if (op.seq >= before) return true;
    if (op.kind == ContentOp::Kind::kTimes) return times_stay;
    return only && op.kind == ContentOp::Kind::kData && op.seq > last_truncate &&
           !only->contains(op.page);
  };
  for (const ContentOp& op : log.take_content(ino, stays)) fold(op);
}

Mark Volume::mark() const { return impl_->next_seq; }

Errno Volume::sync(Ino ino, SyncKind kind, ErrorCursor& cursor, Mark before) {
  impl_->fail_bad_pages();
  impl_->begin_operation();
  const Errno error = impl_->report(ino, cursor);
  if (error == Errno::kOk) impl_->fold_synced(ino, kind, before, {});
  return error;
}

Errno Volume::sync_range(Ino ino, std::uint64_t offset, std::uint64_t length, SyncKind kind,
                         ErrorCursor& cursor, Mark before) {
  impl_->fail_bad_pages();
  impl_->begin_operation();
  const Errno error = impl_->report(ino, cursor);
  if (error != Errno::kOk) return error;
  PageSet touched;
  if (const auto* content = impl_->log.content_of(ino); content != nullptr && length > 0) {
    const std::uint64_t first = offset / kPageBytes;
    const std::uint64_t last = (offset + length - 1) / kPageBytes;
    for (const ContentOp& op : *content) {
      if (op.page >= first && op.page <= last) touched.insert(op.page);
    }
  }
  impl_->fold_synced(ino, kind, before, std::move(touched));
  return Errno::kOk;
}

void Volume::write_back(SimTime older_than) {
  Impl& impl = *impl_;
  if (impl.rules.uncertain != ProfileRules::Uncertain::kUntilSynced) return;
  impl.fail_bad_pages();
  const std::vector<PendingOp> all = impl.log.in_order();
  const auto young = std::find_if(all.begin(), all.end(), [&](const PendingOp& op) {
    return (op.name != nullptr ? op.name->time : op.content->time) >= older_than;
  });
  if (young != all.begin()) impl.last_write.reset();
  impl.fold_oldest(all, static_cast<std::size_t>(young - all.begin()));
}

std::uint64_t Volume::pending_bytes(Ino ino) const {
  if (impl_->rules.uncertain != ProfileRules::Uncertain::kUntilSynced) return 0;
  std::uint64_t bytes = 0;
  const auto& names = impl_->log.names();
  const auto chosen = names_to_sync(names, ino, impl_->rules.sync_names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (chosen[i]) bytes += names[i].name.size() + names[i].to_name.size();
  }
  if (const auto* content = impl_->log.content_of(ino)) {
    for (const ContentOp& op : *content) bytes += op.to - op.from;
  }
  return bytes;
}

std::size_t Volume::pending_operations() const {
  return impl_->uncertain(InFlight{}, false).size();
}

}  // namespace sf::kernel::disk
