#include "world/config_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/check.h"
#include "base/strings.h"

namespace sf::world {
namespace {

tl::unexpected<Error> refused(std::string message, std::string hint = {}) {
  return usage_error("", std::move(message), std::move(hint));
}

// The value as it would stand in a file, short.
std::string found_text(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kArray:
    case Json::Kind::kObject: return std::string(Json::kind_name(json.kind()));
    case Json::Kind::kString: return fmt::format("\"{}\"", excerpt(json.string(), 60));
    default: return json.dump();
  }
}

bool is_numeric(const Json& json) {
  return json.is(Json::Kind::kInteger) || json.is(Json::Kind::kNumber);
}

}  // namespace

tl::unexpected<Error> wrong_form(std::string_view expected, const Json& found, std::string hint) {
  return refused(fmt::format("expected {}, found {}", expected, found_text(found)),
                 std::move(hint));
}

tl::unexpected<Error> not_built(std::string_view what, std::string hint) {
  return refused(fmt::format("not built yet: {} comes with a later version", what),
                 std::move(hint));
}

namespace {

// A host name: letters, digits, '.', '_' and '-', beginning with a letter or digit.
Result<void> check_name(const std::string& name) {
  constexpr std::size_t kLongest = 63;  // of one label of a host name (RFC 1035)
  const auto letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const bool shape = !name.empty() && name.size() <= kLongest && letter_or_digit(name.front()) &&
                     std::all_of(name.begin(), name.end(), [&](char c) {
                       return letter_or_digit(c) || c == '.' || c == '_' || c == '-';
                     });
  if (!shape) {
    return refused(
        fmt::format("\"{}\" is not a node name", excerpt(name, 80)),
        "use at most 63 letters, digits, '.', '_' and '-', beginning with a letter or digit");
  }
  if (name.find_first_not_of("0123456789.") == std::string::npos) {
    return refused(fmt::format("\"{}\" would read as an address", name),
                   "use a letter in the name");
  }
  if (name.size() == 9 && std::equal(name.begin(), name.end(), "localhost",
                                     [](char a, char b) { return (a | 0x20) == b; })) {
    return refused("localhost is every node's own name", "choose another name");
  }
  return {};
}

// The world's name becomes part of file names: of capsules, reports and cache entries.
Result<void> check_title(const std::string& title) {
  constexpr std::size_t kLongest = 100;
  const bool plain = title.find_first_of("/\\") == std::string::npos &&
                     excerpt(title, kLongest) == title && !title.starts_with('.');
  if (!title.empty() && plain) return {};
  return refused(fmt::format("\"{}\" cannot be part of a file name", excerpt(title, 80)),
                 "use up to 100 printable characters without slashes, not beginning with '.'");
}

// Guests and the host's functions take zero-terminated strings.
bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace

Result<std::string> text_value(const Json& json, const Key& key) {
  if (!json.is(Json::Kind::kString)) return wrong_form("a string", json);
  const std::string& text = json.string();
  if (has_zero(text)) return refused("holds a zero byte");
  if (key.type == KeyType::kName) SF_TRY_VOID(check_name(text));
  if (key.type == KeyType::kTitle) SF_TRY_VOID(check_title(text));
  if (key.type == KeyType::kSource && text.empty()) return refused("is empty");
  // It is handed to compilers, which would take it for an option.
  if (key.type == KeyType::kSource && text.starts_with('-')) return refused("begins with '-'");
  return text;
}

Result<bool> bool_value(const Json& json, const Key&) {
  if (!json.is(Json::Kind::kBool)) return wrong_form("true or false", json);
  return json.boolean();
}

Result<std::int64_t> integer_value(const Json& json, const Key& key) {
  if (!json.is(Json::Kind::kInteger)) return wrong_form("an integer", json);
  const bool too_big = !json.is_negative() && json.unsigned_integer() > INT64_MAX;
  if (too_big || json.integer() < key.low || json.integer() > key.high) {
    return refused(fmt::format("{} is outside {} to {}", json.dump(), key.low, key.high));
  }
  return json.integer();
}

Result<Rate> rate_value(const Json& json, const Key&) {
  constexpr double kGreatest = 1000;
  constexpr double kLeast = 1e-9;  // its gap of 31 years still fits a Duration
  if (!is_numeric(json)) {
    return wrong_form("a number of events per simulated second, such as 0.5", json);
  }
  const double per_second = json.number();
  if (per_second < 0) {
    return refused(fmt::format("a rate cannot be negative, found {}", json.dump()));
  }
  if (!(per_second <= kGreatest)) {
    return refused(fmt::format("{} per simulated second is more than the {} that make sense",
                               json.dump(), kGreatest));
  }
  if (per_second == 0) return Rate{};
  if (per_second < kLeast) {
    return refused(fmt::format("{} per simulated second never happens in a run", json.dump()),
                   "use 0 to turn it off");
  }
  return Rate{Duration(std::llround(1e9 / per_second))};
}

Result<Odds> odds_value(const Json& json, const Key& key) {
  if (key.type == KeyType::kOddsOrBool && json.is(Json::Kind::kBool)) {
    return json.boolean() ? Odds::always() : Odds::never();
  }
  if (!is_numeric(json)) {
    return wrong_form(key.type == KeyType::kOddsOrBool ? "odds from 0 to 1, true or false"
                                                       : "odds from 0 to 1, such as 0.01",
                      json);
  }
  const double odds = json.number();
  if (!(odds >= 0 && odds <= 1)) {
    return refused(fmt::format("odds go from 0 to 1, found {}", json.dump()));
  }
  // Scaling by a power of two only moves the exponent, so this is exact for odds of 2^-11 and above
  // and otherwise rounds down by less than 2^-63.
  constexpr std::uint64_t kScale = std::uint64_t{1} << 63;
  return Odds::ratio(static_cast<std::uint64_t>(std::ldexp(odds, 63)), kScale);
}

namespace {

Result<void> check_bounds(Duration duration, const Key& key) {
  if (key.low > 0 && duration.ns() <= 0) return refused("must be more than zero");
  if (duration.ns() < key.low) {
    return refused(fmt::format("{} is below the least, {}", format_duration(duration),
                               format_duration(Duration(key.low))));
  }
  if (duration.ns() > key.high) {
    return refused(fmt::format("{} is above the greatest, {}", format_duration(duration),
                               format_duration(Duration(key.high))));
  }
  return {};
}

// "60" was written where "60s" was meant.
std::string unit_hint(const Json& json) {
  return is_numeric(json) ? fmt::format("write \"{}s\" if seconds are meant", json.dump()) : "";
}

}  // namespace

Result<Duration> duration_value(const Json& json, const Key& key) {
  constexpr std::string_view kExpected = "a duration such as \"250ms\"";
  if (!json.is(Json::Kind::kString)) return wrong_form(kExpected, json, unit_hint(json));
  std::string_view text = json.string();
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto size = parse_duration(text);
  if (!size) return wrong_form(kExpected, json);
  if (negative && key.type != KeyType::kSignedDuration) {
    return refused(fmt::format("cannot be negative, found {}", found_text(json)));
  }
  const Duration duration = negative ? Duration(-size->ns()) : *size;
  SF_TRY_VOID(check_bounds(duration, key));
  return duration;
}

namespace {

constexpr std::string_view kLatencyForm =
    "a latency such as \"2ms\", \"0.1ms..1ms\", \"exp 2ms\" or \"lognormal 1ms 0.5\"";

// The words of the text, white space between them dropped.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  std::erase(words, std::string_view());
  return words;
}

// "0.5" -> 50. Nothing outside 0..5, where e^5 = 148 already spans four orders of magnitude.
std::optional<std::uint32_t> parse_sigma(std::string_view text) {
  double sigma = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sigma);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(sigma >= 0 && sigma <= 5)) return std::nullopt;
  return static_cast<std::uint32_t>(std::lround(sigma * 100));
}

// "2ms" or "0.1ms..1ms".
std::optional<Latency> parse_plain(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto a = parse_duration(text.substr(0, dots));
  if (!a) return std::nullopt;
  if (dots == std::string_view::npos) return Latency{LatencyKind::kFixed, *a, *a};
  const auto b = parse_duration(text.substr(dots + 2));
  if (!b) return std::nullopt;
  return Latency{LatencyKind::kUniform, *a, *b};
}

// "exp MEAN [cap MOST]" or "lognormal MEDIAN SIGMA [cap MOST]". Without a cap, 25 means (one draw
// in 10^11 is above) or 100 medians, but not more than `most`.
std::optional<Latency> parse_drawn(std::vector<std::string_view> words, Duration most) {
  Latency out;
  std::optional<Duration> cap;
  if (words.size() >= 4 && words[words.size() - 2] == "cap") {
    cap = parse_duration(words.back());
    if (!cap) return std::nullopt;
    words.resize(words.size() - 2);
  }
  const bool exponential = words.size() == 2 && words[0] == "exp";
  const bool log_normal = words.size() == 3 && words[0] == "lognormal";
  if (!exponential && !log_normal) return std::nullopt;
  out.kind = exponential ? LatencyKind::kExponential : LatencyKind::kLogNormal;
  const auto scale = parse_duration(words[1]);
  const auto sigma = log_normal ? parse_sigma(words[2]) : std::uint32_t{0};
  if (!scale || !sigma) return std::nullopt;
  out.a = *scale;
  out.sigma_percent = *sigma;
  const std::int64_t times = exponential ? 25 : 100;
  out.b = cap.value_or(scale->ns() > most.ns() / times ? most : *scale * times);
  return out;
}

}  // namespace

Result<Latency> latency_value(const Json& json, const Key& key) {
  if (!json.is(Json::Kind::kString)) return wrong_form(kLatencyForm, json, unit_hint(json));
  const std::vector<std::string_view> words = words_of(json.string());
  if (words.empty()) return wrong_form(kLatencyForm, json);
  const auto latency =
      words.size() == 1 ? parse_plain(words[0]) : parse_drawn(words, Duration(key.high));
  if (!latency) return wrong_form(kLatencyForm, json);
  SF_TRY_VOID(check_bounds(latency->a, key));
  SF_TRY_VOID(check_bounds(latency->b, key));
  if (latency->a > latency->b) {
    return refused(fmt::format("{} is more than {}", format_duration(latency->a),
                               format_duration(latency->b)),
                   latency->kind == LatencyKind::kUniform ? "the lesser value comes first"
                                                          : "the cap must not be below it");
  }
  return *latency;
}

Result<std::uint64_t> size_value(const Json& json, const Key& key) {
  constexpr std::string_view kExpected = "a size such as \"64MiB\"";
  std::optional<std::uint64_t> size;
  if (json.is(Json::Kind::kInteger) && !json.is_negative()) size = json.unsigned_integer();
  if (json.is(Json::Kind::kString)) size = parse_size(json.string());
  if (!size) return wrong_form(kExpected, json);
  const auto low = static_cast<std::uint64_t>(key.low);
  const auto high = static_cast<std::uint64_t>(key.high);
  if (*size < low || *size > high) {
    return refused(fmt::format("{} is outside {} to {}", found_text(json), format_size(low),
                               format_size(high)));
  }
  return *size;
}

Result<std::size_t> choice_value(const Json& json, const Key& key) {
  std::vector<std::string> built;
  std::vector<std::string_view> all;
  for (const Choice& choice : key.choices) {
    if (choice.stage <= kStageBuilt) built.emplace_back(choice.name);
    all.push_back(choice.name);
  }
  const std::string expected = "one of " + join(built, ", ");
  if (!json.is(Json::Kind::kString)) return wrong_form(expected, json);
  for (std::size_t i = 0; i < key.choices.size(); ++i) {
    if (key.choices[i].name != json.string()) continue;
    if (key.choices[i].stage <= kStageBuilt) return i;
    return not_built(json.string(), "built so far: " + join(built, ", "));
  }
  const auto near = nearest(json.string(), all);
  return wrong_form(expected, json, near ? fmt::format("did you mean {}?", *near) : "");
}

Result<std::vector<std::string>> texts_value(const Json& json, const Key&) {
  constexpr std::string_view kExpected = "a list of strings";
  if (!json.is(Json::Kind::kArray)) return wrong_form(kExpected, json);
  std::vector<std::string> texts;
  for (const Json& item : json.items()) {
    if (!item.is(Json::Kind::kString)) {
      return wrong_form(kExpected, item, is_numeric(item) ? "put it in quotes" : "");
    }
    if (has_zero(item.string())) return refused("holds a zero byte");
    texts.push_back(item.string());
  }
  return texts;
}

Result<std::vector<std::pair<std::string, std::string>>> environment_value(const Json& json,
                                                                           const Key&) {
  constexpr std::string_view kExpected = "an object of strings";
  if (!json.is(Json::Kind::kObject)) return wrong_form(kExpected, json);
  std::vector<std::pair<std::string, std::string>> variables;
  for (const auto& [name, value] : json.members()) {
    if (name.empty() || name.find('=') != std::string::npos || has_zero(name)) {
      return refused(fmt::format("\"{}\" is not a variable name", excerpt(name, 60)));
    }
    if (!value.is(Json::Kind::kString)) {
      return wrong_form(kExpected, value, is_numeric(value) ? "put it in quotes" : "");
    }
    if (has_zero(value.string())) return refused("holds a zero byte");
    variables.emplace_back(name, value.string());
  }
  return variables;
}

}  // namespace sf::world
