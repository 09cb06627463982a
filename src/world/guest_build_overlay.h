// Changed files of Go's standard library, made from the user's own GOROOT for `go build -overlay`.
//
// An overlay is a list of edits, each of a text that must occur exactly once in a named file, and
// of files that are added. So it fits every version of Go in which those texts are the same, and
// one that it does not fit is refused by name instead of being built wrongly.
//
// What is changed today:
//   * os.File.Sync. On wasip1 an fsync holds the only thread and with it all goroutines; on Linux
//     it holds one thread and the others go on. With the overlay it parks its goroutine until the
//     simulated disk is done.
//   * signal.Notify. On wasip1 its goroutine spins and starves the poller for good; with the
//     overlay it waits there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sf::world {

struct GoInstallation {
  std::string root;      // GOROOT, as `go env` spells it
  std::string version;   // "go1.26.8"
};

// For -overlay: files that go looks for, and where their content lies. Writes into `scratch`.
using OverlayFiles = std::vector<std::pair<std::string, std::string>>;
Result<OverlayFiles> make_library_overlay(const GoInstallation& go, const std::string& scratch);

}  // namespace sf::world
