// The frame of a Volume: two views and the log between them. Names are in volume_names.cc, content
// in volume_content.cc, barriers in barriers.cc, what a faulty device does in writeback.cc, kills
// and power losses in crash.cc.
#include "kernel/disk/volume.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {

Volume::Impl::Impl(const VolumeOptions& chosen)
    : options(chosen), rules(rules_of(chosen)), arena(std::make_shared<PageArena>()) {
  SF_CHECK(chosen.sector_bytes == 512 || chosen.sector_bytes == kPageBytes);
  SF_CHECK(chosen.pending_operations_max > 0);
  SF_CHECK(rules.one_order() || chosen.tear != TearUnit::kByte);
}

Volume::Volume(const VolumeOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Volume::Volume(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Volume::~Volume() = default;

const VolumeOptions& Volume::options() const { return impl_->options; }
Ino Volume::root() const { return Tree::kRoot; }

std::unique_ptr<Volume> Volume::clone() const {
  return std::unique_ptr<Volume>(new Volume(std::make_unique<Impl>(*impl_)));
}

// ---- operations

void Volume::Impl::begin_operation() {
  last_write.reset();
  if (rules.uncertain == ProfileRules::Uncertain::kOneInFlight) {
    fail_bad_pages();
    fold_all_pending();
  }
  if (log.size() >= options.pending_operations_max) write_back_oldest_half();
  operation_start = next_seq;
}

// A fold of the oldest operations, without regard to whose they are, is what some moment of a
// background writeback leaves: every state that is possible after it was possible before.
void Volume::Impl::write_back_oldest_half() {
  fail_bad_pages();
  const std::vector<PendingOp> all = log.in_order();
  fold_oldest(all, (all.size() + 1) / 2);
}

void Volume::Impl::fold_oldest(const std::vector<PendingOp>& all, std::size_t count) {
  if (count == 0) return;
  for (std::size_t i = 0; i < count; ++i) fold(all[i]);
  log.drop_before(all[count - 1].seq + 1);
}

NameOp Volume::Impl::name_op(NameOp::Kind kind, Ino ino, Ino directory, std::string_view name,
                             SimTime now) {
  NameOp op;
  op.kind = kind;
  op.seq = next_seq++;
  op.time = now;
  op.ino = ino;
  op.directory = directory;
  op.name = name;
  return op;
}

ContentOp Volume::Impl::content_op(ContentOp::Kind kind, Ino ino, SimTime now) {
  ContentOp op;
  op.kind = kind;
  op.seq = next_seq++;
  op.time = now;
  op.ino = ino;
  return op;
}

void Volume::Impl::perform(NameOp op) {
  const Ino orphan = volatile_view.apply(op);
  if (rules.uncertain != ProfileRules::Uncertain::kNothing) log.push(std::move(op));
  if (orphan != 0) free_if_unused(orphan);
}

void Volume::Impl::perform(ContentOp op) {
  volatile_view.apply(op);
  if (rules.uncertain != ProfileRules::Uncertain::kNothing) log.push(std::move(op));
}

void Volume::Impl::fold(const NameOp& op) {
  const Ino orphan = durable_view.apply(op);
  if (orphan != 0) durable_view.drop(orphan);
}

void Volume::Impl::fold(const ContentOp& op) { durable_view.apply(op); }

void Volume::Impl::fold(const PendingOp& op) {
  if (op.name != nullptr) {
    fold(*op.name);
  } else {
    fold(*op.content);
  }
}

void Volume::Impl::fold_all_pending() {
  if (log.empty()) return;
  for (const PendingOp& op : log.in_order()) fold(op);
  log.clear();
}

// ---- references

void Volume::retain(Ino ino) {
  SF_CHECK(impl_->volatile_view.find(ino) != nullptr);
  ++impl_->references[ino];
}

void Volume::release(Ino ino) {
  if (impl_->unreference(ino)) impl_->free_if_unused(ino);
}

// Whether that was the last one.
bool Volume::Impl::unreference(Ino ino) {
  const auto held = references.find(ino);
  SF_CHECK(held != references.end());
  if (--held->second > 0) return false;
  references.erase(held);
  return true;
}

// A loop, since a program may nest directories very deeply and remove all of them.
void Volume::Impl::free_if_unused(Ino ino) {
  while (true) {
    const Inode* inode = volatile_view.find(ino);
    if (inode == nullptr || inode->links > 0) return;
    const Ino parent = inode->parent;
    if (references.contains(ino)) {
      const bool is_directory = inode->type == NodeType::kDirectory;
      if (is_directory && holds_parent.insert(ino).second) ++references[parent];
      return;
    }
    volatile_view.drop(ino);
    writeback.erase(ino);
    if (holds_parent.erase(ino) == 0 || !unreference(parent)) return;
    ino = parent;
  }
}

void Volume::Impl::drop_references() {
  const std::map<Ino, std::uint64_t> dropped = std::exchange(references, {});
  holds_parent.clear();
  for (const auto& [ino, count] : dropped) free_if_unused(ino);
}

std::vector<std::uint64_t> Volume::collect_mapped_dirty(Ino) { return {}; }

}  // namespace sf::kernel::disk
