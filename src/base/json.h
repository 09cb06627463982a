// JSON: reading with places, writing byte-stably. The only file that knows nlohmann/json is
// json.cc.
//
// A value read from a file remembers where it stood, so that an error can say line and column.
// Objects keep the order of their keys (also when written), so files come out reproducibly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sf {

class Json {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kNumber, kString, kArray, kObject };
  using Member = std::pair<std::string, Json>;

  Json() = default;
  Json(bool value) : kind_(Kind::kBool), integer_(value) {}
  Json(std::int64_t value) : kind_(Kind::kInteger), integer_(value) {}
  Json(std::uint64_t value) : kind_(Kind::kInteger), integer_(static_cast<std::int64_t>(value)),
                              is_unsigned_(true) {}
  Json(int value) : Json(static_cast<std::int64_t>(value)) {}
  Json(std::uint32_t value) : Json(static_cast<std::int64_t>(value)) {}
  Json(double value) : kind_(Kind::kNumber), number_(value) {}
  Json(std::string value) : kind_(Kind::kString), string_(std::move(value)) {}
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  static Json array() { return with_kind(Kind::kArray); }
  static Json object() { return with_kind(Kind::kObject); }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  static std::string_view kind_name(Kind kind);  // "a string", "an object", for messages

  // Each requires the matching kind.
  bool boolean() const;
  std::int64_t integer() const;  // kInteger; values above INT64_MAX wrap: see unsigned_integer
  std::uint64_t unsigned_integer() const;  // kInteger
  bool is_negative() const { return kind_ == Kind::kInteger && !is_unsigned_ && integer_ < 0; }
  double number() const;                   // kInteger or kNumber
  const std::string& string() const;
  const std::vector<Json>& items() const;      // kArray
  const std::vector<Member>& members() const;  // kObject

  // The member's value, or null when there is none. Requires kObject.
  const Json* find(std::string_view key) const;

  // Building. push requires kArray; set requires kObject and replaces an equal key in place.
  Json& push(Json value);
  Json& set(std::string key, Json value);

  // Byte offsets in the text it was read from; 0 for a value that was built.
  std::size_t offset() const { return offset_; }          // of the value
  std::size_t key_offset() const { return key_offset_; }  // of its key, when it is a member

  // Compact on one line, or indented by two spaces. Non-ASCII passes through; invalid UTF-8 is
  // replaced by U+FFFD.
  std::string dump() const;
  std::string dump_pretty() const;

  bool operator==(const Json& other) const;  // places are not compared

 private:
  friend class JsonReader;
  static Json with_kind(Kind kind) {
    Json json;
    json.kind_ = kind;
    return json;
  }
  Kind kind_ = Kind::kNull;
  std::int64_t integer_ = 0;
  bool is_unsigned_ = false;
  double number_ = 0;
  std::string string_;
  std::vector<Json> items_;
  std::vector<Member> members_;
  std::size_t offset_ = 0;
  std::size_t key_offset_ = 0;
};

struct JsonLimits {
  std::size_t depth = 64;              // nesting of arrays and objects
  std::size_t bytes = 64 << 20;        // of the whole text
};

// Parses one JSON text; // and /* */ comments are accepted. `name` is used in errors, as
// "name:line:column". A key that stands twice in one object is an error.
Result<Json> parse_json(std::string_view text, std::string_view name,
                        const JsonLimits& limits = {});

// "12:7" (both from 1) for a byte offset in a text.
std::string line_and_column(std::string_view text, std::size_t offset);

}  // namespace sf
