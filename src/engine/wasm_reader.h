// Reading and writing WebAssembly binaries, byte by byte.
//
// WasmReader walks bytes it does not trust. Every read is checked; a bad one throws WasmError,
// which says what is wrong and at which offset of the whole module. The exception stays inside the
// engine: rewrite_module catches it and returns a Result.
// WasmWriter appends to one byte string.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sf::engine {

struct WasmError {
  std::string message;  // "unexpected end at offset 1234"
};

class WasmReader {
 public:
  // `offset` is where `bytes` begins in the module, for messages.
  WasmReader(std::span<const std::uint8_t> bytes, std::uint64_t offset)
      : bytes_(bytes), base_(offset) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::uint64_t remaining() const { return bytes_.size() - at_; }
  std::uint64_t offset() const { return base_ + at_; }
  std::span<const std::uint8_t> rest() const { return bytes_.subspan(at_); }

  std::uint8_t byte();
  std::uint8_t peek() const;
  std::uint32_t u32();               // LEB128, at most 5 bytes
  std::uint64_t u64();               // LEB128, at most 10 bytes
  std::int64_t s64();                // signed LEB128 of up to 64 bits (also for s32 and s33)
  std::string_view name();           // length-prefixed bytes
  std::span<const std::uint8_t> take(std::uint64_t size, std::string_view what);

  // A vector's length. Each element takes at least one byte, so a count above the remaining bytes
  // is an error here, before anything is allocated.
  std::uint32_t count(std::string_view what);

  // The next `size` bytes as a reader of their own; this one moves past them.
  WasmReader nested(std::uint64_t size, std::string_view what);

  // The bytes consumed since `mark` (an earlier value of position()).
  std::uint64_t position() const { return at_; }
  std::span<const std::uint8_t> since(std::uint64_t mark) const {
    return bytes_.subspan(mark, at_ - mark);
  }

  // Throws WasmError "<message> at offset <offset>".
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] static void fail_at(std::uint64_t offset, const std::string& message);

 private:
  std::span<const std::uint8_t> bytes_;
  std::uint64_t base_;
  std::uint64_t at_ = 0;
};

class WasmWriter {
 public:
  WasmWriter& byte(std::uint8_t value) {
    out_.push_back(static_cast<char>(value));
    return *this;
  }
  WasmWriter& u(std::uint64_t value);   // unsigned LEB128
  WasmWriter& s(std::int64_t value);    // signed LEB128
  WasmWriter& name(std::string_view text);
  WasmWriter& raw(std::span<const std::uint8_t> bytes);
  WasmWriter& raw(std::string_view bytes) {
    out_.append(bytes);
    return *this;
  }
  // A length-prefixed body.
  WasmWriter& sized(const WasmWriter& body) { return u(body.out_.size()).raw(body.out_); }
  void section(std::uint8_t id, const WasmWriter& body) { byte(id).sized(body); }

  void clear() { out_.clear(); }
  std::uint64_t size() const { return out_.size(); }
  const std::string& bytes() const { return out_; }
  std::string take() { return std::move(out_); }
  void reserve(std::uint64_t size) { out_.reserve(size); }

 private:
  std::string out_;
};

}  // namespace sf::engine
