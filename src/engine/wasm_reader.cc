#include "engine/wasm_reader.h"

#include <fmt/format.h>

namespace sf::engine {

void WasmReader::fail_at(std::uint64_t offset, const std::string& message) {
  throw WasmError{fmt::format("{} at offset {}", message, offset)};
}

void WasmReader::fail(const std::string& message) const { fail_at(offset(), message); }

std::uint8_t WasmReader::byte() {
  if (at_end()) fail("truncated: the data ends");
  return bytes_[at_++];
}

std::uint8_t WasmReader::peek() const {
  if (at_end()) fail("truncated: the data ends");
  return bytes_[at_];
}

std::uint32_t WasmReader::u32() {
  const std::uint64_t start = offset();
  std::uint64_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const std::uint8_t b = byte();
    value |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    if (b & 0x80) continue;
    if (value > 0xffffffffU) fail_at(start, "number above 32 bits");
    return static_cast<std::uint32_t>(value);
  }
  fail_at(start, "LEB128 number longer than 5 bytes");
}

std::uint64_t WasmReader::u64() {
  const std::uint64_t start = offset();
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const std::uint8_t b = byte();
    if (shift == 63 && b > 1) fail_at(start, "number above 64 bits");
    value |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    if (!(b & 0x80)) return value;
  }
  fail_at(start, "LEB128 number longer than 10 bytes");
}

std::int64_t WasmReader::s64() {
  const std::uint64_t start = offset();
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const std::uint8_t b = byte();
    value |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    if (b & 0x80) continue;
    if ((b & 0x40) && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
    return static_cast<std::int64_t>(value);
  }
  fail_at(start, "LEB128 number longer than 10 bytes");
}

std::span<const std::uint8_t> WasmReader::take(std::uint64_t size, std::string_view what) {
  if (size > remaining()) {
    throw WasmError{fmt::format("truncated: {} needs {} bytes at offset {}, {} are left", what,
                                size, offset(), remaining())};
  }
  const auto bytes = bytes_.subspan(at_, size);
  at_ += size;
  return bytes;
}

std::string_view WasmReader::name() {
  const auto bytes = take(u32(), "a name");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t WasmReader::count(std::string_view what) {
  const std::uint64_t start = offset();
  const std::uint32_t n = u32();
  if (n > remaining()) {
    throw WasmError{fmt::format("{} {} are announced at offset {}, but only {} bytes are left", n,
                                what, start, remaining())};
  }
  return n;
}

WasmReader WasmReader::nested(std::uint64_t size, std::string_view what) {
  const std::uint64_t start = offset();
  return WasmReader(take(size, what), start);
}

WasmWriter& WasmWriter::u(std::uint64_t value) {
  while (value >= 0x80) {
    byte(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  return byte(static_cast<std::uint8_t>(value));
}

WasmWriter& WasmWriter::s(std::int64_t value) {
  for (;;) {
    const auto b = static_cast<std::uint8_t>(value & 0x7f);
    value >>= 7;
    if ((value == 0 && !(b & 0x40)) || (value == -1 && (b & 0x40))) return byte(b);
    byte(b | 0x80);
  }
}

WasmWriter& WasmWriter::name(std::string_view text) { return u(text.size()).raw(text); }

WasmWriter& WasmWriter::raw(std::span<const std::uint8_t> bytes) {
  out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return *this;
}

}  // namespace sf::engine
