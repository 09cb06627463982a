#include "engine/code_cache.h"

#include <fmt/format.h>

#include "base/host/file.h"
#include "engine/code_file.h"

namespace sf::engine {

Result<CodeCache> CodeCache::open() {
  SF_TRY(std::string directory, host::cache_directory());
  directory += "/code";
  SF_TRY_VOID(host::make_directories(directory));
  return CodeCache(std::move(directory));
}

std::string CodeCache::path_of(const Hash128& wasm, std::string_view fingerprint,
                               std::string_view flags) const {
  const std::string all = fmt::format("{}\n{}\n{}\n", wasm.hex(), fingerprint, flags);
  return fmt::format("{}/{}.cwasm", directory_, hash128(as_bytes(all)).hex());
}

bool CodeCache::holds(const std::string& path) const {
  if (!host::exists(path)) return false;
  if (read_code_file(path)) return true;
  host::remove_file(path);
  return false;
}

}  // namespace sf::engine
