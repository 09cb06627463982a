// Headers that nearly every file includes, compiled once per build (CMake precompiled header). No
// file relies on it: each includes what it uses, and scripts/tidy --headers compiles without it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
