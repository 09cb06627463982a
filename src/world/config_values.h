// From one JSON value to one typed value, with the bounds of its key.
//
// The errors say the expected form and what was found; their `where` is empty and is filled in by
// the caller, who knows the place. The only file where floating point becomes time and odds.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "world/config.h"
#include "world/key_table.h"

namespace sf::world {

Result<std::string> text_value(const Json& json, const Key& key);   // kText, kTitle, kName, kSource
Result<bool> bool_value(const Json& json, const Key& key);
Result<std::int64_t> integer_value(const Json& json, const Key& key);
Result<Rate> rate_value(const Json& json, const Key& key);
Result<Odds> odds_value(const Json& json, const Key& key);          // kOdds, kOddsOrBool
Result<Duration> duration_value(const Json& json, const Key& key);  // kDuration, kSignedDuration
Result<Latency> latency_value(const Json& json, const Key& key);
Result<std::uint64_t> size_value(const Json& json, const Key& key);
Result<std::size_t> choice_value(const Json& json, const Key& key); // its index in key.choices
Result<std::vector<std::string>> texts_value(const Json& json, const Key& key);
Result<std::vector<std::pair<std::string, std::string>>> environment_value(const Json& json,
                                                                           const Key& key);

// "expected a duration such as \"250ms\", found 60".
tl::unexpected<Error> wrong_form(std::string_view expected, const Json& found,
                                 std::string hint = {});

// "fsync_eio: not built yet, comes with a later version".
tl::unexpected<Error> not_built(std::string_view what, std::string hint = {});

}  // namespace sf::world
