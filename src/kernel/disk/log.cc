#include "kernel/disk/log.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace sf::kernel::disk {

void PendingLog::push(NameOp op) {
  SF_CHECK(names_.empty() || names_.back().seq < op.seq);
  names_.push_back(std::move(op));
  ++size_;
}

void PendingLog::push(ContentOp op) {
  std::vector<ContentOp>& ops = content_[op.ino];
  SF_CHECK(ops.empty() || ops.back().seq < op.seq);
  ops.push_back(std::move(op));
  ++size_;
}

const std::vector<ContentOp>* PendingLog::content_of(Ino ino) const {
  const auto found = content_.find(ino);
  return found == content_.end() ? nullptr : &found->second;
}

std::vector<Ino> PendingLog::inodes_with_content() const {
  std::vector<Ino> inodes;
  for (const auto& [ino, ops] : content_) inodes.push_back(ino);
  return inodes;
}

std::vector<PendingOp> PendingLog::in_order() const {
  std::vector<PendingOp> all;
  all.reserve(size_);
  for (const NameOp& op : names_) all.push_back({op.seq, &op, nullptr});
  for (const auto& [ino, ops] : content_) {
    for (const ContentOp& op : ops) all.push_back({op.seq, nullptr, &op});
  }
  std::sort(all.begin(), all.end(),
            [](const PendingOp& a, const PendingOp& b) { return a.seq < b.seq; });
  SF_CHECK(all.size() == size_);
  return all;
}

std::vector<NameOp> PendingLog::take_names(const std::vector<bool>& chosen) {
  SF_CHECK(chosen.size() == names_.size());
  std::vector<NameOp> taken;
  std::vector<NameOp> left;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    (chosen[i] ? taken : left).push_back(std::move(names_[i]));
  }
  names_ = std::move(left);
  size_ -= taken.size();
  return taken;
}

std::vector<ContentOp> PendingLog::take_content(Ino ino, const Stays& stays) {
  const auto found = content_.find(ino);
  if (found == content_.end()) return {};
  std::vector<ContentOp> taken;
  std::vector<ContentOp> left;
  for (ContentOp& op : found->second) (stays(op) ? left : taken).push_back(std::move(op));
  size_ -= taken.size();
  found->second = std::move(left);
  if (found->second.empty()) content_.erase(found);
  return taken;
}

const NameOp* PendingLog::leave_only_the_name(Ino ino) {
  for (NameOp& op : names_) {
    if (op.ino != ino || !op.makes_inode()) continue;
    op.inode_is_there = true;
    return &op;
  }
  return nullptr;
}

bool PendingLog::has_birth_of(Ino ino) const {
  return std::any_of(names_.begin(), names_.end(), [ino](const NameOp& op) {
    return op.ino == ino && op.makes_inode();
  });
}

void PendingLog::drop_data(Ino ino, const std::set<std::uint64_t>& pages) {
  const auto found = content_.find(ino);
  if (found == content_.end()) return;
  std::vector<ContentOp>& ops = found->second;
  size_ -= std::erase_if(ops, [&](const ContentOp& op) {
    return op.kind == ContentOp::Kind::kData && pages.contains(op.page);
  });
  for (ContentOp& op : ops) {
    if (op.kind != ContentOp::Kind::kTruncate || !op.image) continue;
    if (!pages.contains(op.size / kPageBytes)) continue;
    op.image = PageRef();
    op.cuts_what_it_finds = true;
  }
  if (ops.empty()) content_.erase(found);
}

void PendingLog::drop_before(OpSeq seq) {
  size_ = 0;
  std::erase_if(names_, [seq](const NameOp& op) { return op.seq < seq; });
  size_ += names_.size();
  for (auto list = content_.begin(); list != content_.end();) {
    std::erase_if(list->second, [seq](const ContentOp& op) { return op.seq < seq; });
    size_ += list->second.size();
    list = list->second.empty() ? content_.erase(list) : std::next(list);
  }
}

void PendingLog::drop_content_from(Ino ino, OpSeq first) {
  const auto found = content_.find(ino);
  if (found == content_.end()) return;
  std::vector<ContentOp>& ops = found->second;
  while (!ops.empty() && ops.back().seq >= first) {
    ops.pop_back();
    --size_;
  }
  if (ops.empty()) content_.erase(found);
}

void PendingLog::clear() {
  names_.clear();
  content_.clear();
  size_ = 0;
}

}  // namespace sf::kernel::disk
