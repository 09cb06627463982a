#include "engine/wasm_reader.h"

#include <gtest/gtest.h>

namespace sf::engine {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <class Read>
std::string error_of(std::string_view bytes, Read read) {
  WasmReader reader(bytes_of(bytes), 100);
  try {
    read(reader);
  } catch (const WasmError& error) {
    return error.message;
  }
  return {};
}

TEST(WasmReader, NumbersReadBackAsWritten) {
  const std::int64_t values[] = {0,     1,         -1,        63,        64,       -64,      -65,
                                 1 << 20, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
  for (const std::int64_t value : values) {
    const std::string text = WasmWriter().s(value).u(static_cast<std::uint64_t>(value)).take();
    WasmReader reader(bytes_of(text), 0);
    EXPECT_EQ(reader.s64(), value);
    EXPECT_EQ(reader.u64(), static_cast<std::uint64_t>(value));
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(WasmReader, ErrorsNameOffsetAndNeed) {
  EXPECT_EQ(error_of("\x80", [](WasmReader& r) { r.u32(); }),
            "truncated: the data ends at offset 101");
  EXPECT_EQ(error_of("\x80\x80\x80\x80\x80\x01", [](WasmReader& r) { r.u32(); }),
            "LEB128 number longer than 5 bytes at offset 100");
  EXPECT_EQ(error_of("\xff\xff\xff\xff\x7f", [](WasmReader& r) { r.u32(); }),
            "number above 32 bits at offset 100");
  EXPECT_EQ(error_of("abc", [](WasmReader& r) { r.take(512, "section 10 (code)"); }),
            "truncated: section 10 (code) needs 512 bytes at offset 100, 3 are left");
  EXPECT_EQ(error_of("\x7f" "ab", [](WasmReader& r) { r.count("functions"); }),
            "127 functions are announced at offset 100, but only 2 bytes are left");
}

}  // namespace
}  // namespace sf::engine
