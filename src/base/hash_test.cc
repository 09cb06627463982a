#include "base/hash.h"

#include <gtest/gtest.h>
#include <set>

namespace sf {
namespace {

// Hashes are written to files, so they may never change. Values from the xxHash project's xxhsum.
TEST(Hash, KnownValues) {
  EXPECT_EQ(hash64(std::string_view()), 0x2d06800538d394c2ULL);
  EXPECT_EQ(hash128({}).hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash64("seedfall"), hash64(as_bytes("seedfall")));
  EXPECT_NE(hash64("a"), hash64("b"));
}

TEST(Hash, HexHasAll32Digits) {
  EXPECT_EQ((Hash128{1, 2}).hex(), "00000000000000010000000000000002");
}

// The first outputs of splitmix64 with seed 1234567 (Vigna's reference program).
TEST(Hash, MixIsSplitmix64) {
  std::uint64_t state = 1234567;
  const auto next = [&] { return mix64(state += 0x9e3779b97f4a7c15ULL); };
  EXPECT_EQ(next(), 6457827717110365317ULL);
  EXPECT_EQ(next(), 3203168211198807973ULL);
}

TEST(Hash, FoldingDependsOnOrder) {
  EXPECT_NE(mix_into(mix_into(0, 1), 2), mix_into(mix_into(0, 2), 1));
}

}  // namespace
}  // namespace sf
