// Identities inside a run.
#pragma once

#include <compare>
#include <cstdint>

namespace sf::kernel {

// Index of a node in the world, workload hosts included. kTheRoom stands for the room itself.
enum class NodeId : std::uint32_t {};
inline constexpr NodeId kTheRoom{0xffffffffU};
constexpr std::uint32_t index_of(NodeId node) { return static_cast<std::uint32_t>(node); }

// How often a node has booted; the first boot is incarnation 1.
using Incarnation = std::uint32_t;

}  // namespace sf::kernel
