#include "world/guest_build_layout.h"

#include <filesystem>
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "base/strings.h"

namespace sf::world {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInstallGo =
    "install Go 1.23 or later (https://go.dev/dl) and make sure that `go` is in PATH";

bool is_folder_package(std::string_view package) {
  return package == "." || package == ".." || package.starts_with("./") ||
         package.starts_with("../") || package.starts_with('/');
}

bool lies_in(const std::string& folder, const std::string& root) {
  return folder == root || folder.starts_with(root + "/");
}

// The value of -NAME=value in GOFLAGS, or "".
std::string flag_in(std::string_view go_flags, std::string_view name) {
  for (std::string_view flag : split(go_flags, ' ')) {
    while (flag.starts_with('-')) flag.remove_prefix(1);
    const auto equals = flag.find('=');
    if (equals == std::string_view::npos || flag.substr(0, equals) != name) continue;
    return std::string(flag.substr(equals + 1));
  }
  return "";
}

bool uses_vendor(const std::string& module_root, const std::string& go_flags) {
  const std::string mode = flag_in(go_flags, "mod");
  if (!mode.empty()) return mode == "vendor";
  return host::is_directory(module_root + "/vendor");
}

}  // namespace

Result<std::string> run_go(std::vector<std::string> arguments, const std::string& directory,
                           std::vector<std::pair<std::string, std::string>> environment) {
  arguments.insert(arguments.begin(), "go");
  auto done = host::run_command({.arguments = arguments, .directory = directory,
                                 .environment = std::move(environment)});
  if (!done) {
    Error error = done.error();
    error.hint = kInstallGo;
    return tl::make_unexpected(std::move(error));
  }
  if (done->exit_code == 0) return std::move(done->output);
  std::string output = std::move(done->output);
  while (output.ends_with('\n')) output.pop_back();
  if (output.empty()) output = fmt::format("go ended with exit code {}", done->exit_code);
  return cannot_run("", std::move(output));
}

Result<Json> run_go_json(std::vector<std::string> arguments, const std::string& directory,
                         std::vector<std::pair<std::string, std::string>> environment) {
  const std::string name = "output of go " + join(arguments, " ");
  SF_TRY(const std::string output,
         run_go(std::move(arguments), directory, std::move(environment)));
  return parse_json(output, name);
}

std::string relative_package(const std::string& folder, const std::string& base) {
  const fs::path path = fs::path(folder).lexically_normal().lexically_relative(base);
  const std::string first = path.begin() == path.end() ? "." : path.begin()->string();
  std::string out = first == "." || first == ".." ? path.string() : "./" + path.string();
  if (out.ends_with('/')) out.pop_back();
  return out;
}

std::string string_at(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* at = &json;
  for (const std::string_view key : path) {
    at = at->is(Json::Kind::kObject) ? at->find(key) : nullptr;
    if (at == nullptr) return "";
  }
  return at->is(Json::Kind::kString) ? at->string() : "";
}

const std::vector<Json>& items_at(const Json& json, std::string_view key) {
  static const std::vector<Json> kNone;
  const Json* list = json.is(Json::Kind::kObject) ? json.find(key) : nullptr;
  return list != nullptr && list->is(Json::Kind::kArray) ? list->items() : kNone;
}

Result<GoPlace> find_go_place(
    const std::string& directory, const std::string& package, const std::string& where,
    const std::vector<std::pair<std::string, std::string>>& variables) {
  const bool is_folder = is_folder_package(package);
  const std::string folder =
      is_folder ? (fs::path(directory) / package).lexically_normal().string() : directory;
  auto environment = run_go_json(
      {"env", "-json", "GOMOD", "GOWORK", "GOFLAGS", "GOROOT", "GOVERSION"}, folder, variables);
  if (!environment) {
    Error error = environment.error();
    error.where = where;
    return tl::make_unexpected(std::move(error));
  }
  const std::string module_file = string_at(*environment, {"GOMOD"});
  const std::string workspace = string_at(*environment, {"GOWORK"});
  const std::string flags = string_at(*environment, {"GOFLAGS"});
  GoPlace place{.working_directory = directory, .package = package, .tags = flag_in(flags, "tags")};
  place.go.root = string_at(*environment, {"GOROOT"});
  place.go.version = string_at(*environment, {"GOVERSION"});
  if (module_file.ends_with("/go.mod")) {
    place.module_root = fs::path(module_file).parent_path().string();
  }
  if (!workspace.empty() && workspace != "off") {
    place.layout = GoLayout::kWorkspace;
    place.workspace_file = workspace;
    return place;
  }
  if (place.module_root.empty()) {
    return cannot_run(
        where, fmt::format("{} is in no Go module: there is no go.mod at or above it", package),
        "run `go mod init NAME` in the folder of the project");
  }
  if (uses_vendor(place.module_root, flags)) place.layout = GoLayout::kVendor;
  // A module below the config's folder must be built from inside.
  if (is_folder && !lies_in(directory, place.module_root)) {
    place.working_directory = folder;
    place.package = ".";
  }
  return place;
}

}  // namespace sf::world
