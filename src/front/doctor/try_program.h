// Runs one small program in a world of its own, for the checks that try a toolchain.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "world/world.h"

namespace sf::front::doctor {

// A fresh folder that is removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const Result<std::string>& path() const { return path_; }   // absolute, without symlinks

 private:
  Result<std::string> path_;
};

// The first finding of the run; both are empty when there was none.
struct Tried {
  std::string message;
  std::string site;
};

// `key` is that of a node in the config ("pkg", "wasm"), `source` its value, relative to `folder`.
// A world in which only this program runs. An error: it does not build or load.
Result<std::unique_ptr<world::World>> build_program(const std::string& key,
                                                    const std::string& source,
                                                    const std::string& folder);
// The same, and runs it.
Result<Tried> try_program(const std::string& key, const std::string& source,
                          const std::string& folder);

}  // namespace sf::front::doctor
