// The host functions a program may import: all of WASI preview 1, and the SDK's.
#pragma once

#include <span>

#include "engine/host_call.h"

namespace sf::abi {

std::span<const engine::HostFunction> host_functions();

}  // namespace sf::abi
