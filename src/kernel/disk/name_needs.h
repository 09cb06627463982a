// What operations on names need of older ones, in the terms of sync_closure.cc: gathered in one
// walk from the newest to the oldest.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "kernel/disk/operation.h"

namespace sf::kernel::disk {

class NameNeeds {
 public:
  bool include(const NameOp& op) const {
    if (entries_.contains({op.directory, op.name})) return true;
    if (inside_.contains(op.directory)) return true;
    if (op.makes_inode() && born_.contains(op.ino)) return true;
    if (op.adds_a_name() && kept_.contains(op.ino)) return true;
    if (op.kind != NameOp::Kind::kRename) return false;
    return entries_.contains({op.to_directory, op.to_name}) || inside_.contains(op.to_directory) ||
           (moves_ && op.moves_directory);
  }

  void add_birth(Ino ino) { born_.insert(ino); }
  void add_those_of(const NameOp& op) {
    entries_.insert({op.directory, op.name});
    born_.insert(op.directory);
    born_.insert(op.ino);
    switch (op.kind) {
      case NameOp::Kind::kUnlink: kept_.insert(op.ino); break;
      case NameOp::Kind::kRemoveDirectory: inside_.insert(op.ino); break;
      case NameOp::Kind::kRename: add_those_of_rename(op); break;
      default: break;
    }
  }

 private:
  void add_those_of_rename(const NameOp& op) {
    entries_.insert({op.to_directory, op.to_name});
    born_.insert(op.to_directory);
    if (op.replaced != 0) (op.replaces_directory ? inside_ : kept_).insert(op.replaced);
    if (op.moves_directory) moves_ = true;
  }

  std::set<std::pair<Ino, std::string>> entries_;
  std::set<Ino> born_;
  std::set<Ino> kept_;
  std::set<Ino> inside_;
  bool moves_ = false;
};

}  // namespace sf::kernel::disk
