// For tests: random programs of system calls on a volume.
//
// A program is a list of small integers drawn from a seed. Each command is turned into a call by
// looking at the volume it meets (which inodes and directories there are), so that every part of a
// program is a program again and a failing one can be cut down by leaving commands out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/choices.h"
#include "kernel/disk/volume.h"

namespace sf::kernel::disk {

struct Call {
  enum class Kind : std::uint8_t {
    kFile, kDirectory, kSymlink, kLink, kUnlink, kRmdir, kRename, kWrite, kTruncate, kTimes, kSync,
    kDataSync, kRetain, kRelease, kKill, kFailWriteback, kEvict,
  } kind = Kind::kFile;
  SimTime now;
  Ino ino = 0, directory = 0, to_directory = 0;
  std::string name, to_name, data;
  std::uint64_t at = 0;                            // offset or size
  std::optional<SimTime> accessed, modified;
  std::optional<std::uint32_t> pages_kept;
  std::vector<std::uint64_t> pages;                // kFailWriteback; none: all
};

struct Style {
  bool names_only = false;          // no writes, truncates and times: deeper into the namespace
  std::size_t data_bytes_max = 12;  // of one write
  bool faults = false;              // failed writebacks and evictions, too
};

using Command = std::array<std::uint32_t, 6>;
using Program = std::vector<Command>;

inline Program draw_program(std::uint64_t seed, std::size_t length) {
  Dice dice(mix64(seed + 1));
  Program program(length);
  for (Command& command : program) {
    for (std::uint32_t& word : command) word = static_cast<std::uint32_t>(dice.next());
  }
  return program;
}

// Turns commands into calls for one volume; knows what the program holds open.
class Caller {
 public:
  explicit Caller(const Style& style) : style_(style) {}

  // Nothing, if the command makes no sense now.
  std::optional<Call> next(const Command& w, const Volume& volume) {
    now_ += nanoseconds(1 + w[5] % 3);
    Call call;
    call.kind = kind(w[0]);
    call.now = now_;
    call.ino = any_inode(w[1]);
    call.directory = any_directory(w[2], volume);
    call.to_directory = any_directory(w[3], volume);
    call.name = std::string(1, "abc"[w[1] / 64 % 3]);
    call.to_name = std::string(1, "abc"[w[2] / 1024 % 3]);
    call.at = any_offset(w[3]);
    call.data = std::string(1 + w[4] / 32 % style_.data_bytes_max,
                            static_cast<char>('A' + w[4] % 26));
    if (w[4] % 2 == 0) call.accessed = SimTime(w[4] % 1000);
    if (w[4] % 3 == 0) call.modified = SimTime(w[4] % 999);
    if (w[4] % 2 == 0) call.pages_kept = w[3] % 3;
    if (w[4] % 3 == 0) call.pages = {w[3] % 3};
    if (style_.faults && w[5] / 4 % 5 == 0) {
      call.kind = w[5] / 20 % 3 == 0 ? Call::Kind::kEvict : Call::Kind::kFailWriteback;
    }
    if (call.kind == Call::Kind::kRetain && !volume.stat(call.ino)) return std::nullopt;
    if (call.kind == Call::Kind::kRelease) {
      if (held_.empty()) return std::nullopt;
      call.ino = held_.back();
    }
    return call;
  }

  // To be told what came of it.
  void made(Ino ino) { made_ = ino; }
  void done(const Call& call) {
    if (call.kind == Call::Kind::kRetain) held_.push_back(call.ino);
    if (call.kind == Call::Kind::kRelease) held_.pop_back();
    if (call.kind == Call::Kind::kKill) held_.clear();
  }
  void crashed() { held_.clear(); }
  Ino any_inode(std::uint32_t word) const { return 1 + word % made_; }   // also removed ones

 private:
  Call::Kind kind(std::uint32_t word) const {
    using K = Call::Kind;
    static constexpr std::array kAll{
        K::kFile, K::kFile, K::kFile, K::kDirectory, K::kDirectory, K::kSymlink, K::kLink,
        K::kUnlink, K::kRmdir, K::kRename, K::kRename, K::kRename, K::kWrite, K::kWrite, K::kWrite,
        K::kTruncate, K::kTimes, K::kSync, K::kSync, K::kDataSync, K::kRetain, K::kRelease,
        K::kKill};
    static constexpr std::array kNames{K::kFile,   K::kDirectory, K::kDirectory, K::kLink,
                                       K::kLink,   K::kUnlink,    K::kRmdir,     K::kRename,
                                       K::kRename, K::kRename,    K::kSync};
    return style_.names_only ? kNames[word % kNames.size()] : kAll[word % kAll.size()];
  }
  Ino any_directory(std::uint32_t word, const Volume& volume) const {
    std::vector<Ino> directories;
    for (Ino ino = 1; ino <= made_; ++ino) {
      const auto stat = volume.stat(ino);
      if (stat && stat->type == NodeType::kDirectory) directories.push_back(ino);
    }
    return word % 16 == 0 ? any_inode(word / 16) : directories[word / 16 % directories.size()];
  }
  static std::uint64_t any_offset(std::uint32_t word) {
    constexpr std::array<std::uint64_t, 6> kNear{0, 10, 500, 4090, 4096, 8190};
    return kNear[word % kNear.size()] + word / 64 % 7;
  }

  Style style_;
  Ino made_ = 1;
  std::vector<Ino> held_;
  SimTime now_;
};

// Makes the call; the answer as text: a number, an errno's name, or nothing for calls without one.
inline std::string perform(const Call& c, Volume& volume, Ino* made = nullptr) {
  const auto errno_text = [](Errno error) { return std::string(errno_name(error)); };
  const auto count_text = [&](const auto& outcome) {
    return outcome ? std::to_string(*outcome) : errno_text(outcome.error());
  };
  const auto make_text = [&](const Outcome<Ino>& outcome) {
    if (outcome && made != nullptr) *made = *outcome;
    return count_text(outcome);
  };
  const auto sync_now = [&](SyncKind kind) {
    ErrorCursor cursor = volume.open_cursor(c.ino);
    return errno_text(volume.sync(c.ino, kind, cursor));
  };
  switch (c.kind) {
    case Call::Kind::kFile: return make_text(volume.create_file(c.directory, c.name, c.now));
    case Call::Kind::kDirectory:
      return make_text(volume.make_directory(c.directory, c.name, c.now));
    case Call::Kind::kSymlink:
      return make_text(volume.make_symlink(c.directory, c.name, "to", c.now));
    case Call::Kind::kLink: return errno_text(volume.link(c.ino, c.directory, c.name, c.now));
    case Call::Kind::kUnlink: return errno_text(volume.unlink(c.directory, c.name, c.now));
    case Call::Kind::kRmdir: return errno_text(volume.remove_directory(c.directory, c.name, c.now));
    case Call::Kind::kRename:
      return errno_text(volume.rename(c.directory, c.name, c.to_directory, c.to_name, c.now));
    case Call::Kind::kWrite: return count_text(volume.write(c.ino, c.at, as_bytes(c.data), c.now));
    case Call::Kind::kTruncate: return errno_text(volume.truncate(c.ino, c.at, c.now));
    case Call::Kind::kTimes:
      return errno_text(volume.set_times(c.ino, c.accessed, c.modified, c.now));
    case Call::Kind::kSync: return sync_now(SyncKind::kFull);
    case Call::Kind::kDataSync: return sync_now(SyncKind::kDataOnly);
    case Call::Kind::kRetain: volume.retain(c.ino); return {};
    case Call::Kind::kRelease: volume.release(c.ino); return {};
    case Call::Kind::kKill: volume.kill(c.pages_kept); return {};
    case Call::Kind::kFailWriteback:
      return std::to_string(volume.fail_writeback(c.ino, {.pages = c.pages}).pages_lost);
    case Call::Kind::kEvict: volume.evict(); return {};
  }
  return {};
}

inline std::string describe(const Call& c) {
  const std::string entry = std::to_string(c.directory) + "/" + c.name;
  const std::string ino = std::to_string(c.ino);
  switch (c.kind) {
    case Call::Kind::kFile: return "create " + entry;
    case Call::Kind::kDirectory: return "mkdir " + entry;
    case Call::Kind::kSymlink: return "symlink " + entry;
    case Call::Kind::kLink: return "link " + ino + " " + entry;
    case Call::Kind::kUnlink: return "unlink " + entry;
    case Call::Kind::kRmdir: return "rmdir " + entry;
    case Call::Kind::kRename:
      return "rename " + entry + " " + std::to_string(c.to_directory) + "/" + c.to_name;
    case Call::Kind::kWrite:
      return "write " + ino + " at " + std::to_string(c.at) + " " + std::to_string(c.data.size());
    case Call::Kind::kTruncate: return "truncate " + ino + " " + std::to_string(c.at);
    case Call::Kind::kTimes: return "times " + ino;
    case Call::Kind::kSync: return "fsync " + ino;
    case Call::Kind::kDataSync: return "fdatasync " + ino;
    case Call::Kind::kRetain: return "retain " + ino;
    case Call::Kind::kRelease: return "release " + ino;
    case Call::Kind::kFailWriteback:
      return "fail writeback of " + ino + (c.pages.empty() ? "" : " page " +
                                           std::to_string(c.pages.front()));
    case Call::Kind::kEvict: return "evict";
    case Call::Kind::kKill:
      return "kill" + (c.pages_kept ? " keeping " + std::to_string(*c.pages_kept) : "");
  }
  return {};
}

// Cuts a failing program down: leaves out ever shorter runs of commands while it still fails.
inline Program shrunk(Program program, const std::function<bool(const Program&)>& fails) {
  for (std::size_t run = program.size() / 2; run > 0; run /= 2) {
    for (std::size_t at = 0; at + run <= program.size();) {
      Program less = program;
      const auto from = less.begin() + static_cast<std::ptrdiff_t>(at);
      less.erase(from, from + static_cast<std::ptrdiff_t>(run));
      if (fails(less)) {
        program = less;
      } else {
        at += run;
      }
    }
  }
  return program;
}

}  // namespace sf::kernel::disk
