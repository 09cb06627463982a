// What every build of a guest shares: a scratch folder, and the built program in the cache.
#pragma once

#include <string>

#include "base/hash.h"
#include "base/host/file.h"
#include "base/result.h"

namespace sf::world {

struct BuiltGuest {
  std::string path;           // of the wasm file, in the cache folder; named by its content, so it
                              // never changes under a reader
  Hash128 content;
};

// Puts a program into the cache, under the name of its content.
Result<BuiltGuest> keep_guest(std::string_view wasm);

// An empty folder that is removed on every way out. Absolute and without symlinks, as compilers see
// it, so that relative paths between folders agree.
class Scratch {
 public:
  static Result<Scratch> make();
  Scratch(Scratch&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    if (!path_.empty()) static_cast<void>(host::remove_tree(path_));
  }
  const std::string& path() const { return path_; }

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace sf::world
