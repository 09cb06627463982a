#include "base/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sf {
namespace {

Json parsed(std::string_view text) {
  auto json = parse_json(text, "t.json");
  EXPECT_TRUE(json) << (json ? "" : json.error().text());
  return json ? *json : Json();
}

std::string error_of(std::string_view text, const JsonLimits& limits = {}) {
  const auto json = parse_json(text, "t.json", limits);
  return json ? "no error" : json.error().text();
}

TEST(Json, EveryKindIsRead) {
  const Json json = parsed(R"([null, true, -3, 18446744073709551615, 1.5, 1e3, "x", {}, []])");
  ASSERT_EQ(json.items().size(), 9U);
  using Kind = Json::Kind;
  const Kind expected[] = {Kind::kNull,    Kind::kBool,   Kind::kInteger,
                           Kind::kInteger, Kind::kNumber, Kind::kNumber,
                           Kind::kString,  Kind::kObject, Kind::kArray};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(json.items()[i].kind(), expected[i]) << i;
  EXPECT_EQ(json.items()[2].integer(), -3);
  EXPECT_TRUE(json.items()[2].is_negative());
  EXPECT_EQ(json.items()[3].unsigned_integer(), UINT64_MAX);
  EXPECT_FALSE(json.items()[3].is_negative());
  EXPECT_EQ(json.items()[5].number(), 1000.0);
}

TEST(Json, IntegersBeyond64BitsBecomeNumbers) {
  EXPECT_TRUE(parsed("18446744073709551616").is(Json::Kind::kNumber));
  EXPECT_TRUE(parsed("-9223372036854775809").is(Json::Kind::kNumber));
  EXPECT_EQ(parsed("-9223372036854775808").integer(), INT64_MIN);
}

// Goal: every value and key knows where it stood. Method: look at the text there.
TEST(Json, PlacesPointAtValuesAndKeys) {
  const std::string text =
      "\xEF\xBB\xBF // one: \"two\", [\n {\"a\\\"b\" :\t-1.5e3,/* , : */\"c\":[ 12 "
      ",true,\"s\"\n,null],"
      "\"d\": {\"e\":7}}";
  const Json json = parsed(text);
  const auto at = [&](const Json& value) { return text.substr(value.offset(), 4); };
  const auto key_at = [&](const Json& value) { return text.substr(value.key_offset(), 3); };
  EXPECT_EQ(text[json.offset()], '{');
  EXPECT_EQ(at(json.members()[0].second), "-1.5");
  EXPECT_EQ(key_at(json.members()[0].second), "\"a\\");
  const Json& list = *json.find("c");
  EXPECT_EQ(at(list), "[ 12");
  EXPECT_EQ(key_at(list), "\"c\"");
  EXPECT_EQ(at(list.items()[0]), "12 ,");
  EXPECT_EQ(at(list.items()[1]), "true");
  EXPECT_EQ(at(list.items()[2]), "\"s\"\n");
  EXPECT_EQ(at(list.items()[3]), "null");
  EXPECT_EQ(at(*json.find("d")->find("e")), "7}}");
  EXPECT_EQ(key_at(*json.find("d")->find("e")), "\"e\"");
}

TEST(Json, ErrorsNameLineAndColumn) {
  EXPECT_THAT(error_of(""),
              testing::StartsWith("t.json:1:1: not valid JSON: unexpected end of input"));
  EXPECT_THAT(error_of("{\n  \"a\": 1,\n}"),
              testing::StartsWith("t.json:3:1: not valid JSON: unexpected '}'"));
  EXPECT_THAT(error_of("[1,,2]"),
              testing::StartsWith("t.json:1:4: not valid JSON: unexpected ','"));
  EXPECT_THAT(error_of("[1 2]"),
              testing::StartsWith("t.json:1:4: not valid JSON: unexpected number"));
  EXPECT_THAT(error_of("[tru]"),
              testing::StartsWith("t.json:1:2: not valid JSON: invalid literal"));
  EXPECT_THAT(error_of("{\"a\" 1}"), testing::StartsWith("t.json:1:6: "));
  EXPECT_THAT(error_of("{} x"), testing::StartsWith("t.json:1:4: "));
  EXPECT_THAT(error_of("[\"abc"),
              testing::StartsWith("t.json:1:2: not valid JSON: invalid string"));
  EXPECT_THAT(error_of("[1] /* no end"), testing::HasSubstr("comment"));
  EXPECT_THAT(error_of("[1e999]"),
              testing::HasSubstr("t.json:1:2: not valid JSON: number overflow"));
}

TEST(Json, RepeatedKeysAreErrorsAtTheSecond) {
  EXPECT_EQ(error_of("{\"a\":1,\n \"b\":2,\n \"b\":3, \"a\":4}"),
            "t.json:3:2: key b stands twice in one object");
  EXPECT_EQ(error_of(R"({"a":{"a":1},"b":[{"a":1},{"a":1}]})"), "no error");
  EXPECT_EQ(error_of(R"({"a":1,"\u0061":2})"), "t.json:1:8: key a stands twice in one object");
}

TEST(Json, LimitsAreNamed) {
  EXPECT_EQ(error_of("[[[1]]]", {.depth = 3}), "no error");
  EXPECT_EQ(error_of("[[[[1]]]]", {.depth = 3}), "t.json:1:4: nested deeper than 3 levels");
  EXPECT_THAT(error_of(std::string(1'000'000, '[')),
              testing::HasSubstr("nested deeper than 64 levels"));
  EXPECT_EQ(error_of("[1,2]", {.bytes = 4}), "t.json: 5B is more than the 4B that are read");
}

TEST(Json, DumpKeepsOrderAndRepairsText) {
  Json json = Json::object();
  json.set("z", 1).set("a", Json::array().push(true).push(1.0).push("\u00E4\n\xFF")).set("z", 2);
  json.set("e", Json::object());
  EXPECT_EQ(json.dump(), "{\"z\":2,\"a\":[true,1.0,\"\u00E4\\n\uFFFD\"],\"e\":{}}");
  EXPECT_EQ(Json::object().set("a", Json::array().push(1).push(-2)).dump_pretty(),
            "{\n  \"a\": [\n    1,\n    -2\n  ]\n}");
}

TEST(Json, EqualityLooksAtValuesNotPlacesOrOrigin) {
  EXPECT_EQ(parsed(" [1]"), Json::array().push(1));
  EXPECT_FALSE(Json(std::int64_t{-1}) == Json(UINT64_MAX));
  EXPECT_FALSE(Json(1) == Json(1.0));
}

TEST(Json, LineAndColumnCountCharacters) {
  EXPECT_EQ(line_and_column("a\n\u00E4\u00E4x", 6), "2:3");
  EXPECT_EQ(line_and_column("abc", 0), "1:1");
  EXPECT_EQ(line_and_column("abc\n", 99), "2:1");
}

TEST(JsonDeath, WrongKindIsOurBug) {
  EXPECT_DEATH(static_cast<void>(Json(1).string()), "check failed: kind_ == Kind::kString");
  EXPECT_DEATH(Json(1).push(2), "check failed");
}

rc::Gen<Json> any_json(int depth) {
  auto leaf = rc::gen::oneOf(
      rc::gen::just(Json()), rc::gen::map<bool>([](bool b) { return Json(b); }),
      rc::gen::map<std::int64_t>([](std::int64_t i) { return Json(i); }),
      rc::gen::map<std::uint64_t>([](std::uint64_t i) { return Json(i); }),
      rc::gen::map<double>([](double d) { return Json(d); }),
      rc::gen::map(rc::gen::string<std::string>(), [](std::string s) {
        for (char& c : s) c = static_cast<char>(c & 0x7F);
        return Json(std::move(s));
      }));
  if (depth == 0) return leaf;
  auto list =
      rc::gen::map(rc::gen::container<std::vector<Json>>(any_json(depth - 1)), [](auto items) {
        Json json = Json::array();
        for (Json& item : items) json.push(std::move(item));
        return json;
      });
  auto object =
      rc::gen::map(rc::gen::container<std::vector<Json>>(any_json(depth - 1)), [](auto items) {
        Json json = Json::object();
        for (std::size_t i = 0; i < items.size(); ++i)
          json.set(fmt::format("k{}", i * 7 % 5), items[i]);
        return json;
      });
  return rc::gen::oneOf(leaf, list, object);
}

TEST(JsonProperty, WhatIsWrittenReadsBackEqual) {
  EXPECT_TRUE(rc::check([] {
    const Json json = *any_json(3);
    const auto compact = parse_json(json.dump(), "t");
    const auto pretty = parse_json(json.dump_pretty(), "t");
    RC_ASSERT(compact.has_value() && pretty.has_value());
    RC_ASSERT(*compact == json);
    RC_ASSERT(*pretty == json);
  }));
}

TEST(JsonProperty, AnyBytesAreReadOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "{", "}", "[", "]", ",", ":", "\"a\"", "\"", "1", "-", ".", "e9", "//", "/*", "*/", "\n",
        "tru", "true", "null", "\\u12", "\\", "\xC3", "\xA4", "\xEF\xBB\xBF", " ",
        std::string(1, '\0')));
    std::string text;
    for (const auto& piece : pieces) text += piece;
    const auto json = parse_json(text, "t");
    if (json) RC_ASSERT(parse_json(json->dump(), "t").has_value());
  }));
}

}  // namespace
}  // namespace sf
