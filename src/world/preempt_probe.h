// Finds out whether goroutines can be preempted in programs of one version of Go.
//
// What engine/go_preempt.cc relies on is no promise of Go's. So a small program that ships with
// the SDK (internal/preemptprobe) is built with that version and run: unsynchronised increments
// must get lost with preemptions and only with them, and everything else it does must come out
// right. The answer is kept in the cache folder, by version, program and engine.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace sf::world {

// The version of Go that made a wasm file ("go1.26.8"), as its producers section says; else empty.
std::string go_version_of(const std::string& wasm_path);

// Empty when goroutines of such programs can be preempted, else why not, as one line. `progress` is
// told when there is something to wait for.
std::string why_not_preemptible(const std::string& go_version,
                                const std::function<void(const std::string&)>& progress);

}  // namespace sf::world
