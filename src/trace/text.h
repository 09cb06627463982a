// The compact text form of a trace: one line per record, fixed columns (docs/formats/trace.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/record.h"

namespace sf::trace {

// "   0.427268000  server    !crash (power) inside fsync /data/log (disk op #56)   kept 14 of …".
// No newline at the end.
std::string format_record(const kernel::Record& record, const std::vector<std::string>& node_names);

// The short words for record kinds that filters use: "call", "disk", "net", "fault", …
std::string_view kind_word(kernel::RecordKind kind);

}  // namespace sf::trace
