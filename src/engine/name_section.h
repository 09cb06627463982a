// The custom section "name": names of functions and locals, for stack traces.
#pragma once

#include "engine/rewrite_code.h"

namespace sf::engine {

// The payload of the new section. A damaged section is not an error (engines ignore it too); the
// result then holds the names of our own functions only.
WasmWriter rewrite_names(const CustomSection& section, const Module& module, const Layout& layout);

}  // namespace sf::engine
