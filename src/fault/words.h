// The words of a schedule file: how kinds, phases and operations are spelled. For this folder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strings.h"
#include "fault/schedule.h"

namespace sf::fault {

inline constexpr std::pair<FaultKind, std::string_view> kWords[] = {
    {FaultKind::kPower, "power"},
    {FaultKind::kKill, "kill"},
    {FaultKind::kPartition, "partition"},
    {FaultKind::kSyncError, "fsync-eio"},
    {FaultKind::kWriteError, "write-eio"},
    {FaultKind::kReadError, "read-eio"},
    {FaultKind::kShortWrite, "short-write"},
    {FaultKind::kDiskFull, "disk-full"},
    {FaultKind::kNoDescriptors, "no-descriptors"},
    {FaultKind::kDiskStall, "disk-stall"},
    {FaultKind::kEvict, "evict"},
    {FaultKind::kBitRot, "bit-rot"}};
inline constexpr std::pair<kernel::disk::BadPage, std::string_view> kBadPages[] = {
    {kernel::disk::BadPage::kOnce, "once"}, {kernel::disk::BadPage::kSticky, "sticky"}};
inline constexpr std::pair<kernel::Phase, std::string_view> kPhaseWords[] = {
    {kernel::Phase::kBefore, "before"},
    {kernel::Phase::kInside, "inside"},
    {kernel::Phase::kAfter, "after"}};

using kernel::DiskOp;
inline constexpr std::pair<DiskOp, std::string_view> kOps[] = {
    {DiskOp::kOpen, "open"},         {DiskOp::kRead, "read"},
    {DiskOp::kWrite, "write"},       {DiskOp::kSync, "fsync"},
    {DiskOp::kTruncate, "truncate"}, {DiskOp::kRename, "rename"},
    {DiskOp::kLink, "link"},         {DiskOp::kUnlink, "unlink"},
    {DiskOp::kMakeDirectory, "mkdir"}, {DiskOp::kRemoveDirectory, "rmdir"},
    {DiskOp::kSymlink, "symlink"},   {DiskOp::kSetTimes, "utimes"},
    {DiskOp::kAllocate, "allocate"}};

template <class Value, std::size_t N>
std::string_view word_of(const std::pair<Value, std::string_view> (&table)[N], Value wanted) {
  for (const auto& [value, word] : table) {
    if (value == wanted) return word;
  }
  return "unknown";
}

template <class Value, std::size_t N>
Result<Value> value_of(const std::pair<Value, std::string_view> (&table)[N],
                       const std::string& word, const std::string& where) {
  std::vector<std::string_view> words;
  for (const auto& [value, name] : table) {
    if (name == word) return value;
    words.push_back(name);
  }
  const auto near = nearest(word, words);
  return usage_error(
      where, fmt::format("unknown word \"{}\"", excerpt(word, 40)),
      near ? "did you mean " + *near + "?" : "one of " + fmt::format("{}", fmt::join(words, ", ")));
}

}  // namespace sf::fault
