// nlohmann/json gives the grammar and the shortest decimal form of a double; the tree is ours.
//
// Places: the library's event interface says what was read but not where. Its input, however, is an
// iterator of ours that counts, so the end of each token is known; the start of the next one is
// found by skipping white space, comments, ',' and ':' from there, which is all that can stand
// between two tokens of a text that was accepted so far. Numbers are the exception: the lexer looks
// one byte past them, so their end is found by skipping the bytes a number is made of.
#include "base/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/check.h"
#include "base/strings.h"

namespace sf {
namespace {

// An input iterator over a text that reports how far it was read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

std::size_t after_comment(std::string_view text, std::size_t at) {
  const bool line = text.compare(at, 2, "//") == 0;
  const std::size_t end = text.find(line ? "\n" : "*/", at + 2);
  if (end == std::string_view::npos) return text.size();
  return line ? end : end + 2;
}

// The first byte at or after `at` that can begin a token.
std::size_t skip_between_tokens(std::string_view text, std::size_t at) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (at == 0 && text.substr(0, 3) == kByteOrderMark) at = 3;
  while (at < text.size()) {
    const std::string_view two = text.substr(at, 2);
    if (two == "//" || two == "/*") {
      at = after_comment(text, at);
    } else if (std::string_view(" \t\r\n,:").find(text[at]) != std::string_view::npos) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// The library's text after its own preamble: "unexpected '}'; expected string literal".
std::string reason_of(std::string_view what) {
  if (const auto dash = what.find(" - "); dash != std::string_view::npos) {
    what.remove_prefix(dash + 3);
  } else if (const auto bracket = what.find("] "); bracket != std::string_view::npos) {
    what.remove_prefix(bracket + 2);
  }
  return "not valid JSON: " + excerpt(what, 300);
}

// The position of the first key (in file order) that equals an earlier one, or npos.
std::size_t first_repeated(const std::vector<Json::Member>& members) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int sign = members[a].first.compare(members[b].first);
    return sign != 0 ? sign < 0 : a < b;
  });
  std::size_t first = std::string::npos;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (members[order[i]].first == members[order[i - 1]].first) first = std::min(first, order[i]);
  }
  return first;
}

}  // namespace

// Receives the library's events and grows the tree. Every handler returns false to stop.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view name, const JsonLimits& limits)
      : text_(text), name_(name), limits_(limits) {}

  Result<Json> read() {
    const CountingIterator begin(text_.data(), &count_);
    const CountingIterator end(text_.data() + text_.size(), &count_);
    const bool ok =
        nlohmann::json::sax_parse(begin, end, this, nlohmann::json::input_format_t::json,
                                  /*strict=*/true, /*ignore_comments=*/true);
    if (!ok) return tl::make_unexpected(error_);
    return std::move(root_);
  }

  bool null() { return scalar(Json()); }
  bool boolean(bool value) { return scalar(Json(value)); }
  bool number_integer(std::int64_t value) { return number_token(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return number_token(Json(value)); }
  bool number_float(double value, const std::string&) { return number_token(Json(value)); }
  bool string(std::string& value) { return scalar(Json(std::move(value))); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // JSON text has no such token
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() { return close(); }

  bool key(std::string& value) {
    keys_.emplace_back(std::move(value), token_start());
    token_end_ = count_;
    return true;
  }

  bool end_object() {
    const auto& members = open_.back().members_;
    const std::size_t repeated = first_repeated(members);
    if (repeated == std::string::npos) return close();
    return fail(members[repeated].second.key_offset(),
                fmt::format("key {} stands twice in one object",
                            excerpt(members[repeated].first, 80)));
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& e) {
    const std::size_t last_byte = std::min(position == 0 ? 0 : position - 1, text_.size());
    return fail(std::min(token_start(), last_byte), reason_of(e.what()));
  }

 private:
  std::size_t token_start() const { return skip_between_tokens(text_, token_end_); }

  bool scalar(Json value) {
    value.offset_ = token_start();
    token_end_ = count_;
    add(std::move(value));
    return true;
  }

  bool number_token(Json value) {
    value.offset_ = token_start();
    const std::size_t end = text_.find_first_not_of("+-.eE0123456789", value.offset_);
    token_end_ = end == std::string_view::npos ? text_.size() : end;
    add(std::move(value));
    return true;
  }

  bool open(Json container) {
    container.offset_ = token_start();
    token_end_ = count_;
    if (open_.size() >= limits_.depth) {
      return fail(container.offset_, fmt::format("nested deeper than {} levels", limits_.depth));
    }
    open_.push_back(std::move(container));
    return true;
  }

  bool close() {
    token_end_ = count_;
    Json finished = std::move(open_.back());
    open_.pop_back();
    add(std::move(finished));
    return true;
  }

  void add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is(Json::Kind::kArray)) {
      open_.back().items_.push_back(std::move(value));
    } else {
      value.key_offset_ = keys_.back().second;
      open_.back().members_.emplace_back(std::move(keys_.back().first), std::move(value));
      keys_.pop_back();
    }
  }

  bool fail(std::size_t offset, std::string message) {
    error_ = Error{ErrorCode::kUsage, fmt::format("{}:{}", name_, line_and_column(text_, offset)),
                   std::move(message), ""};
    return false;
  }

  std::string_view text_;
  std::string_view name_;
  const JsonLimits& limits_;
  std::size_t count_ = 0;      // bytes the lexer has taken
  std::size_t token_end_ = 0;  // of the last token that was accepted
  std::vector<Json> open_;     // containers that are not closed yet, outermost first
  std::vector<std::pair<std::string, std::size_t>> keys_;  // waiting for their values
  Json root_;
  Error error_;
};

Result<Json> parse_json(std::string_view text, std::string_view name, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return usage_error(std::string(name), fmt::format("{} is more than the {} that are read",
                                                      format_size(text.size()),
                                                      format_size(limits.bytes)));
  }
  return JsonReader(text, name, limits).read();
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const auto start = newline == std::string_view::npos ? 0 : newline + 1;
  // Columns count characters, so bytes that continue a UTF-8 character do not count.
  const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(start),
                                    before.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return fmt::format("{}:{}", line, column + 1);
}

std::string_view Json::kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBool: return "true or false";
    case Kind::kInteger: return "an integer";
    case Kind::kNumber: return "a number";
    case Kind::kString: return "a string";
    case Kind::kArray: return "a list";
    case Kind::kObject: return "an object";
  }
  return "nothing";
}

bool Json::boolean() const {
  SF_CHECK(kind_ == Kind::kBool);
  return integer_ != 0;
}

std::int64_t Json::integer() const {
  SF_CHECK(kind_ == Kind::kInteger);
  return integer_;
}

std::uint64_t Json::unsigned_integer() const {
  SF_CHECK(kind_ == Kind::kInteger);
  return static_cast<std::uint64_t>(integer_);
}

double Json::number() const {
  SF_CHECK(kind_ == Kind::kInteger || kind_ == Kind::kNumber);
  if (kind_ == Kind::kNumber) return number_;
  return is_unsigned_ ? static_cast<double>(unsigned_integer()) : static_cast<double>(integer_);
}

const std::string& Json::string() const {
  SF_CHECK(kind_ == Kind::kString);
  return string_;
}

const std::vector<Json>& Json::items() const {
  SF_CHECK(kind_ == Kind::kArray);
  return items_;
}

const std::vector<Json::Member>& Json::members() const {
  SF_CHECK(kind_ == Kind::kObject);
  return members_;
}

const Json* Json::find(std::string_view key) const {
  SF_CHECK(kind_ == Kind::kObject);
  for (const Member& member : members_) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

Json& Json::push(Json value) {
  SF_CHECK(kind_ == Kind::kArray);
  items_.push_back(std::move(value));
  return *this;
}

Json& Json::set(std::string key, Json value) {
  SF_CHECK(kind_ == Kind::kObject);
  for (Member& member : members_) {
    if (member.first != key) continue;
    member.second = std::move(value);
    return *this;
  }
  members_.emplace_back(std::move(key), std::move(value));
  return *this;
}

bool Json::operator==(const Json& other) const {
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kNull: return true;
    case Kind::kBool: return integer_ == other.integer_;
    // The same bits mean different values when only one of them is negative.
    case Kind::kInteger:
      return integer_ == other.integer_ && is_negative() == other.is_negative();
    case Kind::kNumber: return number_ == other.number_;
    case Kind::kString: return string_ == other.string_;
    case Kind::kArray: return items_ == other.items_;
    case Kind::kObject: return members_ == other.members_;
  }
  return false;
}

namespace {

// Writes one value; indentation -1 means all on one line.
class Writer {
 public:
  explicit Writer(int step) : step_(step) {}

  void value(const Json& json) {
    switch (json.kind()) {
      case Json::Kind::kNull: out_ += "null"; break;
      case Json::Kind::kBool: out_ += json.boolean() ? "true" : "false"; break;
      case Json::Kind::kInteger: integer(json); break;
      case Json::Kind::kNumber: out_ += nlohmann::json(json.number()).dump(); break;
      case Json::Kind::kString: text(json.string()); break;
      case Json::Kind::kArray:
        list('[', ']', json.items(), [this](const Json& item) { value(item); });
        break;
      case Json::Kind::kObject:
        list('{', '}', json.members(), [this](const Json::Member& member) {
          text(member.first);
          out_ += step_ < 0 ? ":" : ": ";
          value(member.second);
        });
        break;
    }
  }
  std::string take() { return std::move(out_); }

 private:
  void integer(const Json& json) {
    out_ += json.is_negative() ? fmt::to_string(json.integer())
                               : fmt::to_string(json.unsigned_integer());
  }
  void text(const std::string& s) {
    out_ += nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  template <class Range, class Each>
  void list(char left, char right, const Range& range, const Each& each) {
    out_ += left;
    depth_ += step_;
    bool first = true;
    for (const auto& element : range) {
      if (!first) out_ += ',';
      first = false;
      new_line();
      each(element);
    }
    depth_ -= step_;
    if (!first) new_line();
    out_ += right;
  }
  void new_line() {
    if (step_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth_), ' ');
  }

  int step_;
  int depth_ = 0;
  std::string out_;
};

}  // namespace

std::string Json::dump() const {
  Writer writer(-1);
  writer.value(*this);
  return writer.take();
}

std::string Json::dump_pretty() const {
  Writer writer(2);
  writer.value(*this);
  return writer.take();
}

}  // namespace sf
