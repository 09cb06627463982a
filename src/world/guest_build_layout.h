// Where a Go package lives: alone in a module, in a workspace (go.work), or in a module that keeps
// its dependencies in vendor/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "world/guest_build_overlay.h"

namespace sf::world {

inline constexpr std::string_view kSdkModule = "github.com/seedfall/seedfall/sdk/go";

enum class GoLayout : std::uint8_t { kModule, kWorkspace, kVendor };

struct GoPlace {
  GoLayout layout = GoLayout::kModule;
  std::string working_directory;  // where go is to be run
  std::string package;            // what it is to be given there
  std::string module_root;        // folder of go.mod; may be empty in a workspace
  std::string workspace_file;     // of kWorkspace
  std::string tags;               // that the user's GOFLAGS set, comma-separated
  GoInstallation go;              // the one that the module selects
};

// Asks `go env`. `where` is used in errors: go is missing, the package is in no module.
Result<GoPlace> find_go_place(
    const std::string& directory, const std::string& package, const std::string& where,
    const std::vector<std::pair<std::string, std::string>>& environment = {});

// A package as the go command names it in `base`: "./server" for a folder below, "../x" beside it,
// "." for itself. Both are absolute.
std::string relative_package(const std::string& folder, const std::string& base);

// Runs go and returns its output; a failure is an error that holds it.
Result<std::string> run_go(std::vector<std::string> arguments, const std::string& directory,
                           std::vector<std::pair<std::string, std::string>> environment = {});
// The same for output that is JSON, such as of `go mod edit -json FILE`.
Result<Json> run_go_json(std::vector<std::string> arguments, const std::string& directory,
                         std::vector<std::pair<std::string, std::string>> environment = {});

// The string at a path of members ("Module", "Path"), or "".
std::string string_at(const Json& json, std::initializer_list<std::string_view> path);
// The items of a member that is a list; go writes null for an empty one.
const std::vector<Json>& items_at(const Json& json, std::string_view key);

}  // namespace sf::world
