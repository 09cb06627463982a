#include "world/guest_file.h"

#include <fmt/format.h>

namespace sf::world {

Result<BuiltGuest> keep_guest(std::string_view wasm) {
  SF_TRY(const std::string cache, host::cache_directory());
  const Hash128 hash = hash128(as_bytes(wasm));
  BuiltGuest guest{.path = fmt::format("{}/guests/{}.wasm", cache, hash.hex()), .content = hash};
  if (host::exists(guest.path)) return guest;
  SF_TRY_VOID(host::make_directories(cache + "/guests"));
  SF_TRY_VOID(host::write_file(guest.path, wasm));
  return guest;
}

Result<Scratch> Scratch::make() {
  SF_TRY(const std::string path, host::make_temporary_directory("seedfall-build-"));
  SF_TRY(std::string absolute, host::absolute_path(path));
  return Scratch(std::move(absolute));
}

}  // namespace sf::world
