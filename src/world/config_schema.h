// The JSON Schema (2020-12) of seedfall.json, made from the table of keys.
#pragma once

#include "base/json.h"

namespace sf::world {

// Keys that are not built yet are left out, or may only be off, so that editors mark them as the
// decoder does.
Json config_schema();

}  // namespace sf::world
