// Checks a parsed seedfall.json against the table of keys, in file order.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace sf::world {

// The text behind a parsed config, for naming places in it.
struct ConfigText {
  std::string_view text;
  std::string_view name;
  // "seedfall.json:9:7: $.faults.crash_per_sec"
  std::string place(std::size_t offset, std::string_view path) const;
};

// The first error of: unknown keys, keys and values that are not built yet, wrong forms, values out
// of their bounds, missing and contradicting keys of a node. After success every value of the tree
// decodes without an error. Nodes may be missing.
Result<void> check_keys(const Json& root, const ConfigText& text);

// The same, and there must be nodes.
Result<void> check_config(const Json& root, const ConfigText& text);

}  // namespace sf::world
