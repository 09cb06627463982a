// What many runs exercised, as text and as JSON: shared by the forms of `run`.
#pragma once

#include <cstddef>
#include <optional>

#include "base/json.h"
#include "search/tally.h"
#include "world/config.h"

namespace sf::front {

// On stdout: properties that held how often, with warnings for those that never did.
void print_properties(const search::Tally& tally);
// On stdout: one line of counts, with a warning for each fault that was wanted and never happened.
void print_evidence(const search::Tally& tally, const world::FaultConfig& faults);
// Adds "evidence", "properties" and "simulated_seconds".
void add_tally(Json& out, const search::Tally& tally);

// One row of "findings"; its id counts from F1.
Json finding_json(std::size_t index, const search::FindingGroup& group);

// "2.3", or null.
Json image_json(const std::optional<fault::ImageId>& image);

}  // namespace sf::front
