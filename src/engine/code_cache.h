// The folder of compiled code: <cache>/code/<key>.cwasm, the key being a hash of all that the code
// depends on. Files are only ever added whole; nothing is updated in place. Everything in it can be
// deleted at any time.
#pragma once

#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"

namespace sf::engine {

class CodeCache {
 public:
  // Finds or makes the folder.
  static Result<CodeCache> open();

  std::string path_of(const Hash128& wasm, std::string_view fingerprint,
                      std::string_view flags) const;

  // Whether the file is there and whole. A damaged one is removed.
  bool holds(const std::string& path) const;

 private:
  explicit CodeCache(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

}  // namespace sf::engine
