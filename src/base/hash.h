// Hashing: XXH3 for data (trace payloads, images, caches) and a keyed mixer for choices.
//
// None of it is cryptographic. All values are the same on every platform, compiler and run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sf {

using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
  auto operator<=>(const Hash128&) const = default;
  std::string hex() const;        // 32 digits
};

std::uint64_t hash64(Bytes data);
inline std::uint64_t hash64(std::string_view text) { return hash64(as_bytes(text)); }
Hash128 hash128(Bytes data);

// The finaliser of splitmix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
// generators"): a bijection of 64 bits in which each input bit moves about half of the output bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Folds one word into a running value; order matters.
constexpr std::uint64_t mix_into(std::uint64_t state, std::uint64_t word) {
  return mix64((state ^ word) + 0x9e3779b97f4a7c15ULL);
}

}  // namespace sf
