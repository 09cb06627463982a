// Small text helpers: durations and sizes in the forms that configs use, nearest keys, excerpts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace sf {

// Go's duration strings: "250ms", "1.5s", "2m30s", "10us" or "10µs", "7ns", "1h", "0". No sign.
// Nothing for anything else or for a value above 292 years.
std::optional<Duration> parse_duration(std::string_view text);

// The same form as Go's Duration.String: "427.268ms", "1.7052s", "1m0.5s", "0s".
std::string format_duration(Duration duration);

// "64MiB", "4KiB", "2GiB", "512" (bytes), "1MB" (10^6). Nothing for anything else.
std::optional<std::uint64_t> parse_size(std::string_view text);
std::string format_size(std::uint64_t bytes);     // "64MiB", "1.5KiB", "512B"

// 41310 -> "41,310".
std::string with_thousands(std::uint64_t value);

// The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours), if
// it is close enough to be what was meant (at most a third of the word, at least 1).
std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string_view> candidates);

// Printable excerpt for traces and messages: control bytes and invalid UTF-8 escaped, cut to at
// most `limit` bytes with "…".
std::string excerpt(std::string_view text, std::size_t limit);

std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

}  // namespace sf
