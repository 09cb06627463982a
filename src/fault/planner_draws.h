// What the planner's files share: the keys of one fault's draws, its identity, lengths of windows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/fixed_point.h"
#include "fault/schedule.h"
#include "kernel/choices.h"

namespace sf::fault {

// Uses of one fault's dice: each gets its own key, so none shifts another. Never renumber.
enum Use : std::uint64_t { kUseAim = 1, kUseRestart, kUseSurvivors, kUseTorn, kUsePages,
                           kUseInside, kUseShape, kUseLength, kUseBadPages, kUseBytes, kUseRot,
                           kUseAmbush };

inline std::string identity(FaultKind kind, std::string_view target,
                            kernel::Incarnation incarnation, std::string_view stream,
                            std::uint64_t k) {
  return fmt::format("{}/{}/{}#{}{}", kind_word(kind), target, incarnation, stream, k);
}

// Log-uniform from 10 ms to 10 s: as many short windows as long ones.
inline Duration window_length(kernel::Dice dice) {
  constexpr std::int64_t kLn1000Q16 = 452'713;
  return Duration(scale_by_exp(milliseconds(10).ns(), dice.between(0, kLn1000Q16)));
}

}  // namespace sf::fault
