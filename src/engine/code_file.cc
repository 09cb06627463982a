#include "engine/code_file.h"

#include <cstring>

#include "base/hash.h"
#include "base/host/file.h"

namespace sf::engine {
namespace {

struct Trailer {
  char magic[8];
  std::uint64_t code_size;
  std::uint64_t info_size;
  std::uint64_t unused;
  std::uint64_t hash_high;
  std::uint64_t hash_low;
};
static_assert(sizeof(Trailer) == 48);

constexpr char kTrailerMagic[8] = {'S', 'F', 'C', 'O', 'D', 'E', '0', '1'};
constexpr std::uint64_t kFileMax = 4ULL << 30;

tl::unexpected<Error> damaged(const std::string& path, std::string what) {
  return cannot_run(path, "damaged compiled code: " + std::move(what), "delete the file");
}

}  // namespace

Result<void> write_code_file(const std::string& path, std::string_view code,
                             const ModuleInfo& info) {
  const std::string description = info.serialize();
  std::string out;
  out.reserve(code.size() + description.size() + sizeof(Trailer));
  out.append(code).append(description);
  const Hash128 hash = hash128(as_bytes(out));
  Trailer trailer{{}, code.size(), description.size(), 0, hash.high, hash.low};
  std::memcpy(trailer.magic, kTrailerMagic, sizeof kTrailerMagic);
  out.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  return host::write_file(path, out);
}

Result<ModuleInfo> read_code_file(const std::string& path) {
  SF_TRY(const std::string bytes, host::read_file(path, kFileMax));
  Trailer trailer{};
  if (bytes.size() < sizeof trailer) return damaged(path, "it is too short");
  const std::size_t body = bytes.size() - sizeof trailer;
  std::memcpy(&trailer, bytes.data() + body, sizeof trailer);
  if (std::memcmp(trailer.magic, kTrailerMagic, sizeof kTrailerMagic) != 0)
    return damaged(path, "no trailer");
  if (trailer.code_size > body || trailer.info_size != body - trailer.code_size) {
    return damaged(path, "its parts do not add up");
  }
  const Hash128 hash = hash128(as_bytes(std::string_view(bytes).substr(0, body)));
  if (hash != Hash128{trailer.hash_high, trailer.hash_low}) return damaged(path, "wrong checksum");
  const std::string_view all = bytes;
  auto info = ModuleInfo::parse(all.substr(trailer.code_size, trailer.info_size));
  if (!info) return damaged(path, info.error().message);
  return info;
}

}  // namespace sf::engine
