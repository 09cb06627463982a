// Puts the shipped SDK module into a build without writing to the user's folders.
//
// What go reads instead of the user's files is generated in a scratch folder:
//   module     a copy of go.mod with `require` and `replace` for the SDK, and of go.sum (-modfile),
//              and files that show the SDK at a fixed folder (-overlay)
//   workspace  a copy of go.work with absolute `use` folders and one more, the SDK (GOWORK);
//              -modfile cannot be combined with a workspace
//   vendor     a workspace of the module and the SDK whose vendor/ links to the user's and whose
//              modules.txt is a copy; go insists on a complete modules.txt and reads it from disk
// Everywhere the shipped SDK wins over a version or replacement the user names, so that the program
// and the calls it offers belong together; only a copy of the SDK in vendor/ is used as it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "world/guest_build_layout.h"

namespace sf::world {

struct Injection {
  std::vector<std::string> arguments;                             // for go build
  std::vector<std::pair<std::string, std::string>> environment;
  OverlayFiles overlay;                                           // for -overlay
};

// `scratch` is an empty absolute folder that lives as long as the build.
Result<Injection> inject_sdk(const GoPlace& place, const std::string& sdk_directory,
                             const std::string& scratch);

}  // namespace sf::world
