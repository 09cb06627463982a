// Builds a node's Go package for the simulator: stock `go build` for wasip1.
//
// The SDK module is shipped with this program and is put into the build without touching the user's
// files (guest_build_inject.h says how). Nothing is downloaded on its account.
#pragma once

#include <string>

#include "base/result.h"
#include "world/guest_file.h"

namespace sf::world {

struct GoBuildRequest {
  std::string directory;      // absolute: the folder of the config
  std::string package;        // as written there: "./server", "../x", "example.com/kvlog/server"
  std::string place;          // for errors: "seedfall.json:4:31: $.nodes[0].pkg"; may be empty
  std::string sdk_directory;  // empty: find_sdk_directory()
  std::string toolchain;      // GOTOOLCHAIN; empty: as the user has it. Else nothing is downloaded.
};

// Builds, relying on go's own cache for speed. Several processes and threads may build at once.
// Failures have the code kCannotRun; the compiler's text stands in them once, with paths relative
// to `directory`.
Result<BuiltGuest> build_go_guest(const GoBuildRequest& request);

// The folder of the Go SDK: $SEEDFALL_SDK_DIR, else beside the installed program
// (../share/seedfall/sdk/go) or above a build tree (../../sdk/go), else where it was when this
// program was compiled (SEEDFALL_SDK_FALLBACK). Empty when there is none.
std::string find_sdk_directory();

}  // namespace sf::world
