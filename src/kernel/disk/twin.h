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
    const NaiveDisk::Node& node = v.nodes.at(ino);
    const bool cuts = size < node.size && size % 4096 != 0 && node.blocks.contains(size / 4096);
    Step s = step(Step::Kind::kTruncate, ino, now);
    s.at = size;
    std::string image = page_of(node, size / 4096).substr(0, size % 4096);
    image.resize(4096);
    if (cuts && !strict()) s.image = image;
    history_.push_back(s);
    if (!cuts || !strict()) return Errno::kOk;
    Step data = step(Step::Kind::kData, ino, now);   // the cut page goes to the disk on its own
    data.at = size;
    data.body.assign(4096 - size % 4096, '\0');
    data.image = image;
    history_.push_back(data);
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
  Errno sync(Ino ino, SyncKind kind) {   // by a description that was opened just now
    ++call_;
    if (lives(view(), ino) && unseen_.erase(ino) > 0) {
      if (mutant_ != Mutant::kFailedSyncFolds) return Errno::kIo;
      fold(ino, kind);
      return Errno::kIo;
    }
    fold(ino, kind);
    return Errno::kOk;
  }
  void fold(Ino ino, SyncKind kind) {
    const std::set<std::size_t> chosen = synced_by(ino, kind);
    for (Step& s : history_) {
      if (s.kind == Step::Kind::kMake && s.ino == ino && s.type == NodeType::kFile &&
          entries_only() && !s.durable && lives(view(), ino)) {
        s.inode_durable = true;
      }
    }
    for (const std::size_t i : chosen) history_[i].durable = true;
  }
  // Pages whose new bytes wait, and the failure of some of them.
  std::set<std::uint64_t> dirty(Ino ino) const {
    std::set<std::uint64_t> pages;
    for (const Step& s : history_) {
      const bool waits = options_.profile == Profile::kScc ? s.call == call_ : !s.durable;
      if (s.ino != ino || s.lost || !waits || options_.profile == Profile::kControl) continue;
      if (s.kind == Step::Kind::kData) pages.insert(s.page());
      if (s.kind != Step::Kind::kTruncate) continue;
      std::erase_if(pages, [&](std::uint64_t page) { return page * 4096 >= s.at; });
      if (!s.image.empty()) pages.insert(s.page());
    }
    return pages;
  }
  std::size_t fail_writeback(Ino ino, const std::vector<std::uint64_t>& wanted) {
    if (!lives(view(), ino)) return 0;
    std::set<std::uint64_t> pages = dirty(ino);
    std::erase_if(pages, [&](std::uint64_t page) {
      return !wanted.empty() && std::find(wanted.begin(), wanted.end(), page) == wanted.end();
    });
    if (pages.empty()) return 0;
    for (Step& s : history_) {
      const bool waits = options_.profile == Profile::kScc ? s.call == call_ : !s.durable;
      const bool holds = s.kind == Step::Kind::kData ||
                         (s.kind == Step::Kind::kTruncate && !s.image.empty());
      if (s.ino == ino && waits && holds && pages.contains(s.page())) {
        s.lost = mutant_ != Mutant::kLostPageIsWritten;
      }
    }
    unseen_.insert(ino);
    not_undone_ = call_;
    return pages.size();
  }
  void evict() {
    for (Step& s : history_) {
      if (!s.lost) continue;
      if (s.kind == Step::Kind::kData) {
        s.evicted = true;
      } else {
        s.image.clear();
        s.lost = false;
      }
    }
    not_undone_ = call_;
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
    std::size_t torn = 0, torn_from = 0, torn_to = 0;   // bytes within the page; to 0: none
    bool torn_grows = false;
  };
  std::vector<State> states(InFlight in_flight) const;
  std::string dump_of(const State& state) const { return replay(state).dump(); }
  void crash(const State& state);
  std::size_t steps() const { return history_.size(); }

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
  bool strict() const { return options_.profile == Profile::kStrictPosix; }
  bool per_file() const { return options_.prefix_scope == PrefixScope::kFile; }
  bool entries_only() const {
    const bool by_rule = strict() || options_.dirents == Dirents::kStrict;
    return by_rule && mutant_ != Mutant::kFileSyncFoldsNames;
  }
  static std::string page_of(const NaiveDisk::Node& node, std::uint64_t page) {
    std::string image = page * 4096 < node.bytes.size() ? node.bytes.substr(page * 4096, 4096)
                                                        : std::string();
    image.resize(4096);
    return image;
  }
  static Step on_disk(Step s) {   // without what a failed writeback kept from it
    if (s.lost) s.image.clear();
    return s;
  }
  // A file whose content survives is an inode, with or without its name.
  bool inode_survives(const State& state, const Step& make) const {
    if (make.inode_durable) return true;
    return std::any_of(state.kept.begin(), state.kept.end(), [&](std::size_t i) {
      return history_[i].ino == make.ino && history_[i].on_content();
    });
  }
  NaiveDisk replay(const State& state) const {
    NaiveDisk disk(mutant_);
    for (std::size_t i = 0; i < history_.size(); ++i) {
      Step s = on_disk(history_[i]);
      const bool gone = s.lost && s.kind == Step::Kind::kData;
      const bool nameless = s.kind == Step::Kind::kMake && s.type == NodeType::kFile &&
                            !state.kept.contains(i) && inode_survives(state, s);
      if (nameless) s.inode_only = true;
      if ((state.kept.contains(i) || nameless) && !gone) disk.apply(s);
      if (state.torn_to > 0 && state.torn == i) {
        disk.apply_torn(s, state.torn_from, state.torn_to, state.torn_grows);
      }
    }
    return disk;
  }
  std::vector<State> subsets(const std::vector<std::size_t>& uncertain, const State& certain) const;
  void add_torn(const std::vector<std::size_t>& uncertain, const State& state,
                std::vector<State>& found) const;
  bool needs(const Step& later, const Step& earlier) const;
  std::set<std::size_t> synced_by(Ino ino, SyncKind kind) const;
  std::vector<std::size_t> cuts(const Step& s) const;
  void drop_pages_of_last_write(std::uint32_t pages_kept);

  VolumeOptions options_;
  Mutant mutant_;
  std::vector<Step> history_;
  std::multiset<Ino> open_;
  std::set<Ino> unseen_;    // inodes with an error that nobody saw
  int not_undone_ = -1;     // the call that a kill no longer takes pages back from
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
  NaiveDisk::Node node = v.nodes.at(ino);
  for (std::size_t done = 0; done < data.size();) {
    const std::uint64_t at = offset + done;
    const std::size_t count = std::min<std::size_t>(4096 - at % 4096, data.size() - done);
    Step s = step(Step::Kind::kData, ino, now);
    s.at = at;
    s.body = data.substr(done, count);
    s.grows = at + count > node.size;
    s.image = page_of(node, s.page()).replace(at % 4096, count, s.body);
    history_.push_back(s);
    done += count;
    if (!s.grows && node.blocks.contains(s.page())) continue;
    node.size = std::max(node.size, at + count);
    Step growth = step(Step::Kind::kSize, ino, now);
    growth.at = node.size;
    history_.push_back(growth);
  }
  return data.size();
}

// Does the later step make no sense without the earlier one?
inline bool Twin::needs(const Step& later, const Step& earlier) const {
  const bool born = earlier.kind == Step::Kind::kMake && earlier.ino == later.ino;
  if (later.on_content()) {
    if (born && !earlier.inode_durable) return true;
    if (earlier.ino != later.ino || !earlier.on_content()) return false;
    if (per_file()) return true;
    if (later.kind == Step::Kind::kData && earlier.kind == Step::Kind::kData) {
      return later.page() == earlier.page();
    }
    if (later.on_size()) return earlier.on_size() && mutant_ != Mutant::kForgetSizeChain;
    return later.kind == Step::Kind::kTimes && earlier.kind == Step::Kind::kTimes;
  }
  if (!earlier.on_names()) return false;
  const bool adds = earlier.kind == Step::Kind::kMake || earlier.kind == Step::Kind::kLink;
  const Ino unnamed = later.kind == Step::Kind::kUnlink || later.kind == Step::Kind::kRmdir
                          ? later.ino
                          : later.replaced;
  for (const auto& entry : later.entries()) {
    if (mutant_ != Mutant::kForgetEntryChain && earlier.entries().contains(entry)) return true;
    const bool holds = earlier.kind == Step::Kind::kMake && earlier.ino == entry.first;
    if (holds && mutant_ != Mutant::kForgetBirth) return true;
  }
  if (later.kind == Step::Kind::kLink && born && !earlier.inode_durable) return true;
  if (unnamed != 0 && adds && earlier.ino == unnamed && mutant_ != Mutant::kForgetKeep) return true;
  for (const auto& entry : earlier.entries()) {
    if (unnamed != 0 && entry.first == unnamed && mutant_ != Mutant::kForgetEmpty) return true;
  }
  return later.of_directory && earlier.of_directory && mutant_ != Mutant::kForgetMoves;
}

inline std::set<std::size_t> Twin::synced_by(Ino ino, SyncKind kind) const {
  std::set<std::size_t> chosen;
  if (options_.profile != Profile::kInOrder && !strict()) return chosen;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const Step& s = history_[i];
    if (s.durable || !s.on_names()) continue;
    bool own = s.ino == ino && !entries_only();
    for (const auto& entry : s.entries()) own = own || entry.first == ino;
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
  // Where its name stays behind, an inode has to be a living file to go ahead of it.
  const bool file = lives(view(), ino) && view().nodes.at(ino).type == NodeType::kFile;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const Step& s = history_[i];
    const bool waits = s.kind == Step::Kind::kMake && s.ino == ino && !s.durable &&
                       !s.inode_durable && !chosen.contains(i);
    if (waits && !file) return chosen;
  }
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const Step& s = history_[i];
    if (s.durable || !s.on_content()) continue;
    bool own = s.ino == ino;
    if (s.kind == Step::Kind::kTimes && kind == SyncKind::kDataOnly) own = false;
    if (own || mutant_ == Mutant::kSyncFoldsEverything) chosen.insert(i);
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

inline void Twin::add_torn(const std::vector<std::size_t>& uncertain, const State& state,
                           std::vector<State>& found) const {
  if (options_.tear == TearUnit::kPage) return;
  const std::size_t unit = options_.sector_bytes;
  const auto blocked = [&](std::size_t step) {   // by another loss
    return std::any_of(uncertain.begin(), uncertain.end(), [&](std::size_t i) {
      return i < step && !state.kept.contains(i) && needs(history_[step], history_[i]);
    });
  };
  for (const std::size_t at : uncertain) {
    const Step& s = history_[at];
    if (s.kind != Step::Kind::kData || state.kept.contains(at) || blocked(at) || s.lost) continue;
    const std::size_t first = s.at % 4096 / unit * unit;
    const std::size_t end = (s.at % 4096 + s.body.size() + unit - 1) / unit * unit;
    bool grows = false;
    if (s.grows) {
      // For a file's own order the growth is lost with its data; else it has to be lost by itself.
      grows = !state.kept.contains(at + 1) && (per_file() ? true : !blocked(at + 1)) &&
              std::find(uncertain.begin(), uncertain.end(), at + 1) != uncertain.end();
    }
    if (per_file()) grows = false;
    for (std::size_t cut = first + unit; cut < end; cut += unit) {
      State torn = state;
      torn.torn = at;
      torn.torn_grows = grows;
      torn.torn_from = first;
      torn.torn_to = cut;
      found.push_back(torn);
      if (per_file()) continue;
      torn.torn_from = cut;
      torn.torn_to = end;
      found.push_back(torn);
    }
  }
}

// Every subset, if it is closed.
inline std::vector<Twin::State> Twin::subsets(const std::vector<std::size_t>& uncertain,
                                              const State& certain) const {
  SF_CHECK(uncertain.size() < 16);
  std::vector<State> found;
  for (std::uint32_t bits = 0; bits >> uncertain.size() == 0; ++bits) {
    State state = certain;
    for (std::size_t i = 0; i < uncertain.size(); ++i) {
      if ((bits >> i & 1) != 0) state.kept.insert(uncertain[i]);
    }
    const auto is_broken = [&](std::size_t later) {
      return state.kept.contains(later) &&
             std::any_of(uncertain.begin(), uncertain.end(), [&](std::size_t earlier) {
               return earlier < later && !state.kept.contains(earlier) &&
                      (per_file() && history_[later].on_names()
                           ? history_[earlier].on_names()
                           : needs(history_[later], history_[earlier]));
             });
    };
    if (std::any_of(uncertain.begin(), uncertain.end(), is_broken)) continue;
    found.push_back(state);
    add_torn(uncertain, state, found);
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
    const bool open = !control && !history_[i].durable && (in_order || strict() || flying);
    if (open && history_[i].lost && history_[i].kind == Step::Kind::kData) continue;
    if (open) {
      uncertain.push_back(i);
    } else {
      certain.kept.insert(i);
    }
  }
  if (strict() || per_file()) return subsets(uncertain, certain);
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
        const Step& s = history_[next];
        found.push_back({state.kept, next, 0, s.at % 4096 + bytes, s.grows});
      }
      state.kept.insert(next);
      found.push_back(state);
    }
  }
  return found;
}

inline void Twin::crash(const State& state) {
  // The steps as the disk has them, and a step for each part of one.
  std::vector<Step> survived;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    Step s = on_disk(history_[i]);
    const bool gone = s.lost && s.kind == Step::Kind::kData;
    if (s.kind == Step::Kind::kMake && s.type == NodeType::kFile && !state.kept.contains(i)) {
      if (!inode_survives(state, s)) continue;
      s.inode_only = true;
    }
    const bool kept = state.kept.contains(i) || s.inode_only;
    s.durable = true;
    s.lost = false;
    if (kept && !gone) survived.push_back(s);
    if (state.torn_to == 0 || state.torn != i) continue;
    State before = state;
    std::erase_if(before.kept, [i](std::size_t other) { return other >= i; });
    before.torn_to = 0;
    const std::string old = page_of(replay(before).nodes[s.ino], s.page());
    std::string image = old;
    image.replace(state.torn_from, state.torn_to - state.torn_from, s.image, state.torn_from,
                  state.torn_to - state.torn_from);
    s.image = image;
    survived.push_back(s);
    if (!state.torn_grows) continue;
    s.kind = Step::Kind::kSize;
    s.image.clear();
    s.at = replay(state).nodes[s.ino].size;
    survived.push_back(s);
  }
  history_ = std::move(survived);
  unseen_.clear();
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
  if (not_undone_ == call_) return;
  std::vector<std::size_t> data;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    if (history_[i].call == call_ && history_[i].kind == Step::Kind::kData) data.push_back(i);
  }
  if (data.size() < 2 || pages_kept >= data.size()) return;
  history_.resize(data[pages_kept]);
}

}  // namespace sf::kernel::disk
