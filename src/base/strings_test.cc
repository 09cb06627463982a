#include "base/strings.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sf {
namespace {

std::int64_t ns_of(std::string_view text) {
  const auto duration = parse_duration(text);
  return duration ? duration->ns() : -1;
}

TEST(Duration, GoFormsAreRead) {
  EXPECT_EQ(ns_of("0"), 0);
  EXPECT_EQ(ns_of("7ns"), 7);
  EXPECT_EQ(ns_of("10us"), 10'000);
  EXPECT_EQ(ns_of("10\u00B5s"), 10'000);
  EXPECT_EQ(ns_of("10\u03BCs"), 10'000);
  EXPECT_EQ(ns_of("250ms"), 250'000'000);
  EXPECT_EQ(ns_of("1.5s"), 1'500'000'000);
  EXPECT_EQ(ns_of(".5s"), 500'000'000);
  EXPECT_EQ(ns_of("2m30s"), 150'000'000'000);
  EXPECT_EQ(ns_of("1h"), 3'600'000'000'000);
  EXPECT_EQ(ns_of("0.1ms"), 100'000);
  EXPECT_EQ(ns_of("0.3333333333333333333333333s"), 333'333'333);
  EXPECT_EQ(ns_of("9223372036854775807ns"), INT64_MAX);
}

TEST(Duration, AnythingElseIsRefused) {
  for (const char* text :
       {"", "5", "-1s", "+1s", "1 s", "s", ".s", "1x", "1s2", "1sm", "1.2.3s", "1e3s",
        "9223372036854775808ns", "2562048h", "1S", "99999999999999999999999s"}) {
    EXPECT_EQ(ns_of(text), -1) << text;
  }
}

TEST(Duration, IsWrittenLikeGo) {
  EXPECT_EQ(format_duration(Duration(0)), "0s");
  EXPECT_EQ(format_duration(Duration(1)), "1ns");
  EXPECT_EQ(format_duration(Duration(1100)), "1.1\u00B5s");
  EXPECT_EQ(format_duration(Duration(427'268'000)), "427.268ms");
  EXPECT_EQ(format_duration(Duration(1'705'200'000)), "1.7052s");
  EXPECT_EQ(format_duration(Duration(60'500'000'000)), "1m0.5s");
  EXPECT_EQ(format_duration(Duration(3'600'000'000'001)), "1h0m0.000000001s");
  EXPECT_EQ(format_duration(Duration(-1'500'000'000)), "-1.5s");
  EXPECT_EQ(format_duration(Duration(INT64_MIN)), "-2562047h47m16.854775808s");  // as Go prints it
}

TEST(DurationProperty, WrittenDurationsReadBackEqual) {
  EXPECT_TRUE(rc::check([](std::uint64_t bits) {
    const auto shift = *rc::gen::inRange(1, 64);
    const Duration duration(static_cast<std::int64_t>(bits >> shift));
    const auto again = parse_duration(format_duration(duration));
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->ns() == duration.ns());
  }));
}

TEST(Size, FormsAreRead) {
  EXPECT_EQ(parse_size("512"), 512U);
  EXPECT_EQ(parse_size("512B"), 512U);
  EXPECT_EQ(parse_size("4KiB"), 4096U);
  EXPECT_EQ(parse_size("1.5KiB"), 1536U);
  EXPECT_EQ(parse_size("64MiB"), 64ULL << 20);
  EXPECT_EQ(parse_size("2GiB"), 2ULL << 30);
  EXPECT_EQ(parse_size("1MB"), 1'000'000U);
  for (const char* text :
       {"", "MiB", "-1", "1 KiB", "1mib", "1K", "1KiB ", "99999999999TiB", "0x10"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Size, IsWrittenWithAtMostOneDecimal) {
  EXPECT_EQ(format_size(0), "0B");
  EXPECT_EQ(format_size(512), "512B");
  EXPECT_EQ(format_size(1536), "1.5KiB");
  EXPECT_EQ(format_size(64ULL << 20), "64MiB");
  EXPECT_EQ(format_size((64ULL << 20) + 1), "64MiB");
  EXPECT_EQ(format_size(UINT64_MAX), "16777215.9TiB");
}

TEST(SizeProperty, WrittenSizesReadBackWithinATenthOfTheirUnit) {
  EXPECT_TRUE(rc::check([](std::uint64_t bits) {
    const std::uint64_t size = bits >> *rc::gen::inRange(0, 64);
    const auto again = parse_size(format_size(size));
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again <= size);
    RC_ASSERT(size - *again <= size / 10);
  }));
}

TEST(SizeProperty, WholeUnitsReadBackEqual) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t size = *rc::gen::inRange<std::uint64_t>(0, 1024)
                               << *rc::gen::element(0, 10, 20, 30, 40);
    RC_ASSERT(parse_size(format_size(size)) == size);
  }));
}

TEST(Strings, Thousands) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(41310), "41,310");
  EXPECT_EQ(with_thousands(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Nearest, OffersWhatWasMeant) {
  const std::string_view keys[] = {"crash_per_sec", "crash_on_io", "kill_per_sec", "from", "op"};
  EXPECT_EQ(nearest("crash_per_second", keys), "crash_per_sec");
  EXPECT_EQ(nearest("crash_per_sce", keys), "crash_per_sec");
  EXPECT_EQ(nearest("form", keys), "from");
  EXPECT_EQ(nearest("banana", keys), std::nullopt);
  EXPECT_EQ(nearest("xy", keys), std::nullopt);
  EXPECT_EQ(nearest("", keys), std::nullopt);
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), keys), std::nullopt);
}

TEST(Excerpt, EscapesWhatATerminalWouldAct) {
  EXPECT_EQ(excerpt("a\u00E4\n\x1B[31m\x7F", 100), "a\u00E4\\n\\x1b[31m\\x7f");
  EXPECT_EQ(excerpt("\xC3", 100), "\\xc3");
  EXPECT_EQ(excerpt("\xC0\x80", 100), "\\xc0\\x80");
  EXPECT_EQ(excerpt("\xE2\x80\xAE", 100), "\\xe2\\x80\\xae");  // right-to-left override
}

TEST(Excerpt, CutsWithinTheLimit) {
  EXPECT_EQ(excerpt("0123456789", 10), "0123456789");
  EXPECT_EQ(excerpt("0123456789A", 10), "0123456\u2026");
  EXPECT_EQ(excerpt("\n\n\n", 5), "\\n\u2026");
  EXPECT_EQ(excerpt("abc", 2), "");
}

TEST(ExcerptProperty, NeverLongerThanTheLimit) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const auto limit = *rc::gen::inRange<std::size_t>(0, 40);
    RC_ASSERT(excerpt(text, limit).size() <= limit);
  }));
}

TEST(Strings, SplitAndJoin) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  const std::string parts[] = {"a", "b"};
  EXPECT_EQ(join(parts, ", "), "a, b");
}

}  // namespace
}  // namespace sf
