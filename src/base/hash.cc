#include "base/hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sf {

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

std::uint64_t hash64(Bytes data) { return XXH3_64bits(data.data(), data.size()); }

Hash128 hash128(Bytes data) {
  const XXH128_hash_t h = XXH3_128bits(data.data(), data.size());
  return Hash128{h.high64, h.low64};
}

}  // namespace sf
