// A second, deliberately naive implementation of the disk, for tests only.
//
// It keeps every step of every call since the beginning in one list and marks the durable ones. A
// view or a crash state is made by replaying a subset of the list from an empty disk, always in the
// original order; nothing is ever folded, shared or cached, files are strings, and what a sync
// makes durable is a fixed point over all pairs of steps. It shares no code with the real one but
// the types of the interface. Where the two differ, one of them is wrong.
//
// Mutant switches plant bugs, so that a test can show that the comparison would notice them.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/disk/naive_disk.h"

namespace sf::kernel::disk {

class Twin {
 public:
  Twin(const VolumeOptions& options, Mutant mutant) : options_(options), mutant_(mutant) {}

  // ---- calls; the answers are Linux's
  Outcome<Ino> make(NodeType type, Ino directory, const std::string& name, const std::string& body,
                    SimTime now) {
    ++call_;
    const NaiveDisk v = view();
    if (!is_directory(v, directory)) return fail(Errno::kNotDir);
    if (v.links(directory) == 0) return fail(Errno::kNoEnt);
    if (v.entry(directory, name) != 0) return fail(Errno::kExist);
    Step s = step(Step::Kind::kMake, next_ino_++, now);
    s.type = type;
    s.directory = directory;
    s.name = name;
    s.body = body;
    history_.push_back(s);
    return s.ino;
  }
  Errno link(Ino existing, Ino directory, const std::string& name, SimTime now) {
    ++call_;
    const NaiveDisk v = view();
    if (!lives(v, existing)) return Errno::kNoEnt;
    if (!is_directory(v, directory)) return Errno::kNotDir;
    if (v.links(directory) == 0) return Errno::kNoEnt;
    if (v.entry(directory, name) != 0) return Errno::kExist;
    if (is_directory(v, existing)) return Errno::kPerm;
    if (v.links(existing) == 0) return Errno::kNoEnt;
    add_named(Step::Kind::kLink, existing, directory, name, now);
    return Errno::kOk;
  }
  Errno remove(bool directory_wanted, Ino directory, const std::string& name, SimTime now) {
    ++call_;
    const NaiveDisk v = view();
    if (!is_directory(v, directory)) return Errno::kNotDir;
    const Ino ino = v.entry(directory, name);
    if (ino == 0) return Errno::kNoEnt;
    if (!directory_wanted && is_directory(v, ino)) return Errno::kIsDir;
    if (directory_wanted && !is_directory(v, ino)) return Errno::kNotDir;
    if (directory_wanted && !v.nodes.at(ino).entries.empty()) return Errno::kNotEmpty;
    const Step::Kind kind = directory_wanted ? Step::Kind::kRmdir : Step::Kind::kUnlink;
    add_named(kind, ino, directory, name, now);
    return Errno::kOk;
  }
  Errno rename(Ino a, const std::string& from, Ino b, const std::string& to, SimTime now);
  Outcome<std::size_t> write(Ino ino, std::uint64_t offset, const std::string& data, SimTime now);
  Errno truncate(Ino ino, std::uint64_t size, SimTime now) {
    ++call_;
    const NaiveDisk v = view();
    if (const Errno bad = check_file(v, ino); bad != Errno::kOk) return bad;
    Step s = step(Step::Kind::kTruncate, ino, now);
    s.at = size;
    history_.push_back(s);
    return Errno::kOk;
  }
  Errno set_times(Ino ino, std::optional<SimTime> a, std::optional<SimTime> m, SimTime now) {
    ++call_;
    if (!lives(view(), ino)) return Errno::kNoEnt;
    Step s = step(Step::Kind::kTimes, ino, now);
    s.accessed = a;
    s.modified = m;
    history_.push_back(s);
    return Errno::kOk;
  }
  void sync(Ino ino, SyncKind kind) {
    ++call_;
    for (const std::size_t i : synced_by(ino, kind)) history_[i].durable = true;
  }
  void kill(std::optional<std::uint32_t> pages_kept) {
    if (pages_kept) drop_pages_of_last_write(*pages_kept);
    open_.clear();
    ++call_;
  }
  void retain(Ino ino) { open_.insert(ino); }
  void release(Ino ino) { open_.erase(open_.find(ino)); }

  NaiveDisk view() const {
    NaiveDisk disk(mutant_);
    for (const Step& s : history_) disk.apply(s);
    return disk;
  }
  bool lives(const NaiveDisk& v, Ino ino) const {
    return v.nodes.contains(ino) && (v.links(ino) > 0 || open_.contains(ino));
  }
  bool is_directory(const NaiveDisk& v, Ino ino) const {
    return lives(v, ino) && v.nodes.at(ino).type == NodeType::kDirectory;
  }

  // ---- crashes: a state is the kept steps, by position, and how much of one more
  struct State {
    std::set<std::size_t> kept;
    std::size_t torn = 0, torn_bytes = 0;
  };
  std::vector<State> states(InFlight in_flight) const;
  std::string dump_of(const State& state) const { return replay(state).dump(); }
  void crash(const State& state);

 private:
  Step step(Step::Kind kind, Ino ino, SimTime now) const {
    Step s;
    s.kind = kind;
    s.call = call_;
    s.time = now;
    s.ino = ino;
    return s;
  }
  void add_named(Step::Kind kind, Ino ino, Ino directory, const std::string& name, SimTime now) {
    Step s = step(kind, ino, now);
    s.directory = directory;
    s.name = name;
    history_.push_back(s);
  }
  Errno check_file(const NaiveDisk& v, Ino ino) const {
    if (!lives(v, ino)) return Errno::kNoEnt;
    const NodeType type = v.nodes.at(ino).type;
    return type == NodeType::kFile        ? Errno::kOk
           : type == NodeType::kDirectory ? Errno::kIsDir
                                          : Errno::kInval;
  }
  NaiveDisk replay(const State& state) const {
    NaiveDisk disk(mutant_);
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (state.kept.contains(i)) disk.apply(history_[i]);
      if (state.torn_bytes > 0 && state.torn == i) disk.apply_torn(history_[i], state.torn_bytes);
    }
    return disk;
  }
  bool needs(const Step& later, const Step& earlier) const;
  std::set<std::size_t> synced_by(Ino ino, SyncKind kind) const;
  std::vector<std::size_t> cuts(const Step& s) const;
  void drop_pages_of_last_write(std::uint32_t pages_kept);

  VolumeOptions options_;
  Mutant mutant_;
  std::vector<Step> history_;
  std::multiset<Ino> open_;
  Ino next_ino_ = 2;
  int call_ = 0;
};

inline Errno Twin::rename(Ino a, const std::string& from, Ino b, const std::string& to,
                          SimTime now) {
  ++call_;
  const NaiveDisk v = view();
  if (!is_directory(v, a) || !is_directory(v, b)) return Errno::kNotDir;
  const Ino source = v.entry(a, from);
  const Ino target = v.entry(b, to);
  if (source == 0 || v.links(b) == 0) return Errno::kNoEnt;
  const auto is_above = [&](Ino top, Ino at) {   // a directory is above itself
    while (at != top && at != 1) at = v.nodes.at(at).parent;
    return at == top;
  };
  const bool directory = is_directory(v, source);
  if (directory && is_above(source, b)) return Errno::kInval;
  if (target != 0 && is_directory(v, target) && is_above(target, a)) return Errno::kNotEmpty;
  if (source == target) return Errno::kOk;
  if (target != 0) {
    if (directory && !is_directory(v, target)) return Errno::kNotDir;
    if (!directory && is_directory(v, target)) return Errno::kIsDir;
    if (!v.nodes.at(target).entries.empty()) return Errno::kNotEmpty;
  }
  Step s = step(Step::Kind::kRename, source, now);
  s.directory = a;
  s.name = from;
  s.to_directory = b;
  s.to_name = to;
  s.replaced = target;
  s.of_directory = directory;
  history_.push_back(s);
  return Errno::kOk;
}

inline Outcome<std::size_t> Twin::write(Ino ino, std::uint64_t offset, const std::string& data,
                                        SimTime now) {
  ++call_;
  const NaiveDisk v = view();
  if (const Errno bad = check_file(v, ino); bad != Errno::kOk) return fail(bad);
  std::uint64_t size = v.nodes.at(ino).size;
  for (std::size_t done = 0; done < data.size();) {
    const std::uint64_t at = offset + done;
    const std::size_t count = std::min<std::size_t>(4096 - at % 4096, data.size() - done);
    Step s = step(Step::Kind::kData, ino, now);
    s.at = at;
    s.body = data.substr(done, count);
    s.grows = at + count > size;
    history_.push_back(s);
    done += count;
    size = std::max(size, at + count);
    // Whether the page had a block does not show in any state here: always a step for the size.
    Step growth = step(Step::Kind::kSize, ino, now);
    growth.at = size;
    history_.push_back(growth);
  }
  return data.size();
}

// Does the later step make no sense without the earlier one?
inline bool Twin::needs(const Step& later, const Step& earlier) const {
  const bool adds = earlier.kind == Step::Kind::kMake || earlier.kind == Step::Kind::kLink;
  const Ino unnamed = later.kind == Step::Kind::kUnlink || later.kind == Step::Kind::kRmdir
                          ? later.ino
                          : later.replaced;
  for (const auto& entry : later.entries()) {
    if (mutant_ != Mutant::kForgetEntryChain && earlier.entries().contains(entry)) return true;
    const bool holds = earlier.kind == Step::Kind::kMake && earlier.ino == entry.first;
    if (holds && mutant_ != Mutant::kForgetBirth) return true;
  }
  if (later.kind == Step::Kind::kLink && earlier.kind == Step::Kind::kMake &&
      earlier.ino == later.ino) {
    return true;
  }
  if (unnamed != 0 && adds && earlier.ino == unnamed && mutant_ != Mutant::kForgetKeep) return true;
  for (const auto& entry : earlier.entries()) {
    if (unnamed != 0 && entry.first == unnamed && mutant_ != Mutant::kForgetEmpty) return true;
  }
  return later.of_directory && earlier.of_directory && mutant_ != Mutant::kForgetMoves;
}

inline std::set<std::size_t> Twin::synced_by(Ino ino, SyncKind kind) const {
  std::set<std::size_t> chosen;
  if (options_.profile != Profile::kInOrder) return chosen;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const Step& s = history_[i];
    if (s.durable) continue;
    bool own = s.ino == ino;
    for (const auto& entry : s.entries()) own = own || entry.first == ino;
    if (s.kind == Step::Kind::kTimes && kind == SyncKind::kDataOnly) own = false;
    if (s.kind == Step::Kind::kRename && mutant_ == Mutant::kForgetRenameAtSync) own = false;
    if (own || mutant_ == Mutant::kSyncFoldsEverything) chosen.insert(i);
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (history_[i].durable || !history_[i].on_names() || chosen.contains(i)) continue;
      const bool needed = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t later) {
        return later > i && needs(history_[later], history_[i]);
      });
      if (needed) grew = chosen.insert(i).second;
    }
  }
  return chosen;
}

inline std::vector<std::size_t> Twin::cuts(const Step& s) const {
  std::vector<std::size_t> found;
  if (s.kind != Step::Kind::kData || options_.tear == TearUnit::kPage) return found;
  const std::uint64_t unit = options_.tear == TearUnit::kByte ? 1 : options_.sector_bytes;
  for (std::size_t bytes = 1; bytes < s.body.size(); ++bytes) {
    if ((s.at + bytes) % unit == 0) found.push_back(bytes);
  }
  return found;
}

inline std::vector<Twin::State> Twin::states(InFlight in_flight) const {
  const bool control = options_.profile == Profile::kControl;
  const bool in_order = options_.profile == Profile::kInOrder;
  std::vector<std::size_t> uncertain;
  State certain;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const bool flying =
        in_flight.kind == InFlight::Kind::kLastOperation && history_[i].call == call_;
    const bool open = !control && !history_[i].durable && (in_order || flying);
    if (open) {
      uncertain.push_back(i);
    } else {
      certain.kept.insert(i);
    }
  }
  std::vector<std::vector<std::size_t>> orders{uncertain};
  if (in_order && in_flight.kind == InFlight::Kind::kSync) {
    const std::set<std::size_t> first = synced_by(in_flight.ino, SyncKind::kFull);
    std::vector<std::size_t> own, others;
    for (const std::size_t i : uncertain) (first.contains(i) ? own : others).push_back(i);
    own.insert(own.end(), others.begin(), others.end());
    orders.push_back(own);
  }
  std::vector<State> found;
  for (const auto& order : orders) {
    State state = certain;
    found.push_back(state);
    for (const std::size_t next : order) {
      for (const std::size_t bytes : cuts(history_[next])) {
        found.push_back({state.kept, next, bytes});
      }
      state.kept.insert(next);
      found.push_back(state);
    }
  }
  return found;
}

inline void Twin::crash(const State& state) {
  std::vector<Step> survived;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    Step s = history_[i];
    s.durable = true;
    if (state.kept.contains(i)) survived.push_back(s);
    if (state.torn_bytes == 0 || state.torn != i) continue;
    s.body.resize(state.torn_bytes);
    survived.push_back(s);
    if (!s.grows) continue;
    s.kind = Step::Kind::kSize;
    s.at = replay(state).nodes[s.ino].size;
    survived.push_back(s);
  }
  history_ = std::move(survived);
  for (const auto& [ino, node] : view().nodes) {
    if (node.type != NodeType::kFile || node.bytes.size() <= node.size) continue;
    Step cut = step(Step::Kind::kCut, ino, node.modified);
    cut.at = node.size;
    cut.durable = true;
    history_.push_back(cut);
  }
  open_.clear();
  ++call_;
}

inline void Twin::drop_pages_of_last_write(std::uint32_t pages_kept) {
  std::vector<std::size_t> data;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    if (history_[i].call == call_ && history_[i].kind == Step::Kind::kData) data.push_back(i);
  }
  if (data.size() < 2 || pages_kept >= data.size()) return;
  history_.resize(data[pages_kept]);
}

}  // namespace sf::kernel::disk
