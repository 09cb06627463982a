#include "base/strings.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/check.h"

namespace sf {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Go accepts both the micro sign and the Greek letter.
constexpr std::array<Unit, 8> kTimeUnits = {{{"ns", 1},
                                             {"us", 1'000},
                                             {"\u00B5s", 1'000},
                                             {"\u03BCs", 1'000},
                                             {"ms", 1'000'000},
                                             {"s", 1'000'000'000},
                                             {"m", 60'000'000'000},
                                             {"h", 3'600'000'000'000}}};

constexpr std::array<Unit, 11> kSizeUnits = {{{"", 1},
                                              {"B", 1},
                                              {"kB", 1'000},
                                              {"KB", 1'000},
                                              {"MB", 1'000'000},
                                              {"GB", 1'000'000'000},
                                              {"KiB", 1ULL << 10},
                                              {"MiB", 1ULL << 20},
                                              {"GiB", 1ULL << 30},
                                              {"TB", 1'000'000'000'000},
                                              {"TiB", 1ULL << 40}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal number "12", "1.5", ".5" or "1." as whole + fraction / scale.
struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
};

// Takes digits (and a fraction) off the front of `text`. Nothing without a digit or past 64 bits.
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal out;
  std::size_t digits = 0;
  while (!text.empty() && is_digit(text.front())) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (__builtin_mul_overflow(out.whole, 10U, &out.whole)) return std::nullopt;
    if (__builtin_add_overflow(out.whole, digit, &out.whole)) return std::nullopt;
    text.remove_prefix(1);
    ++digits;
  }
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    while (!text.empty() && is_digit(text.front())) {
      // 18 digits are finer than any unit; what follows cannot change the result.
      if (out.scale < 1'000'000'000'000'000'000ULL) {
        out.fraction = out.fraction * 10 + static_cast<std::uint64_t>(text.front() - '0');
        out.scale *= 10;
      }
      text.remove_prefix(1);
      ++digits;
    }
  }
  if (digits == 0) return std::nullopt;
  return out;
}

// number * factor, rounded down; nothing above `limit`.
std::optional<std::uint64_t> scaled(const Decimal& number, std::uint64_t factor,
                                    std::uint64_t limit) {
  const Wide value = static_cast<Wide>(number.whole) * factor +
                     static_cast<Wide>(number.fraction) * factor / number.scale;
  if (value > limit) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

template <std::size_t N>
const Unit* find_unit(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// "427.268" for 427268000 in units of 10^6.
std::string decimal(std::uint64_t value, std::uint64_t unit) {
  std::string out = fmt::to_string(value / unit);
  if (value % unit == 0) return out;
  std::string fraction = fmt::to_string(unit + value % unit).substr(1);  // with leading zeros
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return out + "." + fraction;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration(0);
  if (text.empty()) return std::nullopt;
  constexpr auto kLimit = static_cast<std::uint64_t>(INT64_MAX);
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto number = take_decimal(text);
    if (!number) return std::nullopt;
    const auto unit_end = std::find_if(text.begin(), text.end(),
                                       [](char c) { return is_digit(c) || c == '.'; });
    const auto length = static_cast<std::size_t>(unit_end - text.begin());
    const Unit* unit = find_unit(kTimeUnits, text.substr(0, length));
    if (unit == nullptr) return std::nullopt;
    text.remove_prefix(length);
    const auto part = scaled(*number, unit->factor, kLimit - total);
    if (!part) return std::nullopt;
    total += *part;
  }
  return Duration(static_cast<std::int64_t>(total));
}

std::string format_duration(Duration duration) {
  const bool negative = duration.ns() < 0;
  const auto bits = static_cast<std::uint64_t>(duration.ns());
  const std::uint64_t ns = negative ? ~bits + 1 : bits;
  const std::string sign = negative ? "-" : "";
  if (ns == 0) return "0s";
  if (ns < 1'000) return fmt::format("{}{}ns", sign, ns);
  if (ns < 1'000'000) return sign + decimal(ns, 1'000) + "\u00B5s";
  if (ns < 1'000'000'000) return sign + decimal(ns, 1'000'000) + "ms";
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const std::uint64_t minutes = ns / kMinute;
  std::string out = sign;
  if (minutes >= 60) out += fmt::format("{}h", minutes / 60);
  if (minutes > 0) out += fmt::format("{}m", minutes % 60);
  return out + decimal(ns % kMinute, 1'000'000'000) + "s";
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto number = take_decimal(text);
  if (!number) return std::nullopt;
  const Unit* unit = find_unit(kSizeUnits, text);
  if (unit == nullptr) return std::nullopt;
  return scaled(*number, unit->factor, UINT64_MAX);
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array<Unit, 4> kUnits = {
      {{"TiB", 1ULL << 40}, {"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}}};
  for (const Unit& unit : kUnits) {
    if (bytes < unit.factor) continue;
    const auto tenths = static_cast<std::uint64_t>((static_cast<Wide>(bytes) * 10) / unit.factor);
    return decimal(tenths, 10) + std::string(unit.name);
  }
  return fmt::format("{}B", bytes);
}

std::string with_thousands(std::uint64_t value) {
  std::string out = fmt::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > 0; at -= 3) {
    out.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return out;
}

namespace {

// Optimal string alignment: the least number of insertions, deletions, replacements and swaps of
// neighbours, no part being edited twice. Three rows of the table are enough.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string_view> candidates) {
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string> found;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter >= best) continue;  // also bounds the work for a hostile word
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best || distance >= longer) continue;  // nothing in common: not a guess
    best = distance;
    found = std::string(candidate);
  }
  return found;
}

namespace {

// The length of the well-formed, printable UTF-8 character at the front; 0 if there is none.
std::size_t printable_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  unsigned code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  constexpr std::array<unsigned, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10FFFF) return 0;
  if (code >= 0xD800 && code <= 0xDFFF) return 0;  // surrogates
  if (code < 0xA0) return 0;                       // C1 control characters
  // Line separators and direction marks would let a guest's text rearrange a terminal's line.
  if ((code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069)) return 0;
  return length;
}

std::string escaped(char c) {
  switch (c) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string excerpt(std::string_view text, std::size_t limit) {
  constexpr std::string_view kEllipsis = "\u2026";
  // Most texts are short and plain.
  const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (text.size() <= limit && std::all_of(text.begin(), text.end(), plain)) {
    return std::string(text);
  }
  std::string out;
  std::size_t room_for_ellipsis = 0;  // the longest prefix of out that leaves room for it
  while (!text.empty()) {
    const std::size_t length = printable_character(text);
    const std::string piece = length > 0 ? std::string(text.substr(0, length))
                                         : escaped(text.front());
    if (out.size() + piece.size() > limit) {
      out.resize(room_for_ellipsis);
      if (limit >= kEllipsis.size()) out += kEllipsis;
      return out;
    }
    out += piece;
    if (out.size() + kEllipsis.size() <= limit) room_for_ellipsis = out.size();
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

}  // namespace sf
