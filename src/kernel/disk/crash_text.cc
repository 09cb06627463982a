#include "kernel/disk/crash_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "kernel/disk/volume_impl.h"

namespace sf::kernel::disk {
namespace {

std::string name_in(const Tree& tree, Ino directory, const std::string& name) {
  const std::string path = tree.path_of(directory);
  return path == "/" ? "/" + name : path + "/" + name;
}

std::string file_text(const Tree& tree, Ino ino) {
  const std::string path = tree.path_of(ino);
  return path.empty() ? fmt::format("a removed file ({})", ino) : path;
}

const char* verb(NameOp::Kind kind) {
  switch (kind) {
    case NameOp::Kind::kCreate: return "create";
    case NameOp::Kind::kMakeDirectory: return "mkdir";
    case NameOp::Kind::kMakeSymlink: return "symlink";
    case NameOp::Kind::kLink: return "link";
    case NameOp::Kind::kUnlink: return "unlink";
    case NameOp::Kind::kRemoveDirectory: return "rmdir";
    case NameOp::Kind::kRename: return "rename";
  }
  return "";
}

std::string describe(const PendingOp& op, const Tree& tree) {
  if (op.name != nullptr) {
    const NameOp& name = *op.name;
    const std::string at = name_in(tree, name.directory, name.name);
    const std::string text = fmt::format("{} {}", verb(name.kind), at);
    if (name.kind != NameOp::Kind::kRename) return text;
    return text + " to " + name_in(tree, name.to_directory, name.to_name);
  }
  const ContentOp& content = *op.content;
  const std::string file = file_text(tree, content.ino);
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

std::string sectors_text(std::uint32_t sectors) {
  std::string text = (sectors & (sectors - 1)) == 0 ? "sector " : "sectors ";
  bool first = true;
  for (std::uint32_t i = 0; sectors >> i != 0; ++i) {
    if ((sectors >> i & 1) == 0) continue;
    text += fmt::format("{}{}", first ? "" : ", ", i);
    first = false;
  }
  return text;
}

// Of a set: what is lost, and of which of that some sectors came through.
std::string set_text(const Loss& loss, const std::vector<PendingOp>& order, const Tree& tree) {
  constexpr std::size_t kNamedMax = 4;
  std::string text;
  for (const Loss::Torn& torn : loss.torn) {
    text += fmt::format("; only {} of {}", sectors_text(torn.sectors),
                        describe(order[torn.operation], tree));
  }
  std::size_t named = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool torn = std::any_of(loss.torn.begin(), loss.torn.end(),
                                  [i](const Loss::Torn& t) { return t.operation == i; });
    if (!loss.lost[i] || torn) continue;
    if (named == kNamedMax) {
      return text + fmt::format(" and {} more",
                                loss.applied.lost_count() - loss.torn.size() - named);
    }
    text += (named++ == 0 ? "; lost: " : ", ") + describe(order[i], tree);
  }
  return text;
}

std::string prefix_text(const Loss& loss, const std::vector<PendingOp>& order, const Tree& tree) {
  if (loss.applied.lost_count() == 0) return {};
  const std::string next = describe(order[loss.applied.kept], tree);
  if (loss.torn.empty()) return "; first lost: " + next;
  return fmt::format("; {} of ", loss.torn.front().bytes) + next;
}

}  // namespace

std::string describe_loss(const Loss& loss, const std::vector<PendingOp>& order,
                          const Tree& tree) {
  constexpr std::size_t kDescriptionBytesMax = 400;
  if (order.empty()) return "nothing was pending";
  std::string text = fmt::format("kept {} of {} pending operations", loss.applied.kept,
                                 order.size());
  text += loss.applied.lost.empty() ? prefix_text(loss, order, tree)
                                    : set_text(loss, order, tree);
  return excerpt(text, kDescriptionBytesMax);
}

std::string barrier_for(const PendingOp& op, const Tree& tree, ProfileRules::SyncNames rule) {
  if (op.content != nullptr) {
    const char* what = op.content->kind == ContentOp::Kind::kTruncate ? "the truncate"
                       : op.content->kind == ContentOp::Kind::kTimes  ? "the change of times"
                                                                      : "the write";
    return fmt::format("fsync of {} after {}", file_text(tree, op.content->ino), what);
  }
  const NameOp& name = *op.name;
  const bool implied = rule == ProfileRules::SyncNames::kItsOwn;
  if (implied && name.kind == NameOp::Kind::kCreate && !tree.path_of(name.ino).empty()) {
    return fmt::format("fsync of {} after create", tree.path_of(name.ino));
  }
  const Ino directory = name.kind == NameOp::Kind::kRename ? name.to_directory : name.directory;
  return fmt::format("fsync of directory {} after {}", file_text(tree, directory),
                     verb(name.kind));
}

// Operations of the call in flight, or of the sync in flight, had no barrier to be missed.
std::string Volume::Impl::missing_barrier(const Loss& loss, const std::vector<PendingOp>& order,
                                          const InFlight& in_flight) const {
  constexpr std::size_t kNamedMax = 3;
  constexpr std::size_t kTextBytesMax = 400;
  if (rules.uncertain != ProfileRules::Uncertain::kUntilSynced) return {};
  std::vector<bool> excused(order.size(), false);
  if (in_flight.kind == InFlight::Kind::kSync) excused = covered_by_sync(order, in_flight.ino);
  std::vector<std::string> barriers;
  for (std::size_t i = 0; i < order.size() && barriers.size() < kNamedMax; ++i) {
    const bool flying =
        in_flight.kind == InFlight::Kind::kLastOperation && order[i].seq >= operation_start;
    if (!loss.lost[i] || excused[i] || flying) continue;
    std::string barrier = barrier_for(order[i], volatile_view, rules.sync_names);
    if (std::find(barriers.begin(), barriers.end(), barrier) == barriers.end()) {
      barriers.push_back(std::move(barrier));
    }
  }
  if (barriers.empty()) return {};
  return excerpt("would have survived with: " + join(barriers, "; "), kTextBytesMax);
}

}  // namespace sf::kernel::disk
