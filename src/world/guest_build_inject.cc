// One trap shapes this file: go refuses a build whose main module has a lower `go` line than one of
// its dependencies ("updates to go.mod needed"). Raising the user's line would change what the
// user's code means (loop variables in 1.22, timers in 1.23), so the SDK steps down instead: a copy
// with the user's `go` line, whose files ask for the newer language one by one, which //go:build
// lines may do since Go 1.21.
//
// Another: the program records the folder of a replaced module (debug.ReadBuildInfo), so its bytes,
// and with them the hashes of all runs, would depend on where the SDK is installed. In a module the
// SDK therefore stands at a folder that only go's -overlay knows, the same everywhere. Modules of a
// workspace are recorded without a folder.
#include "world/guest_build_inject.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/strings.h"

namespace sf::world {
namespace {

namespace fs = std::filesystem;

// "1.23.4" -> {1, 23, 4}; what is missing or not a number is 0. No line at all means 1.16.
std::array<int, 3> version_of(std::string_view text) {
  std::array<int, 3> version = {0, 0, 0};
  if (text.empty()) text = "1.16";
  const std::vector<std::string_view> parts = split(text, '.');
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 3); ++i) {
    std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), version[i]);
  }
  return version;
}

// A source file that needs `version` of the language, whatever its module says.
std::string asking_for(const std::string& version, const std::string& source) {
  constexpr std::string_view kConstraint = "//go:build ";
  const std::string go = fmt::format("go{}.{}", version_of(version)[0], version_of(version)[1]);
  const auto at =
      source.starts_with(kConstraint) ? 0 : source.find("\n" + std::string(kConstraint));
  const auto package = source.find("\npackage ");
  if (at == std::string::npos || at > package) {
    return fmt::format("{}{}\n\n{}", kConstraint, go, source);
  }
  const auto begin = source.find(kConstraint, at) + kConstraint.size();
  const auto end = std::min(source.find('\n', begin), source.size());
  return fmt::format("{}{} && ({}){}", source.substr(0, begin), go,
                     source.substr(begin, end - begin), source.substr(end));
}

// Copies the SDK's packages; tests are not needed.
Result<void> copy_sdk(const std::string& from, const std::string& to, const std::string& version) {
  SF_TRY_VOID(host::make_directories(to));
  for (const std::string& name : host::list_directory(from)) {
    const std::string source = from + "/" + name;
    const std::string target = to + "/" + name;
    if (host::is_directory(source)) {
      if (name.starts_with('.') || name == "testdata") continue;
      SF_TRY_VOID(copy_sdk(source, target, version));
    } else if (name.ends_with(".go") && !name.ends_with("_test.go")) {
      SF_TRY(const std::string text, host::read_file(source));
      SF_TRY_VOID(host::write_file(target, asking_for(version, text)));
    }
  }
  return {};
}

// The SDK's folder, or a copy that a main module with this `go` line accepts.
Result<std::string> sdk_for(const std::string& sdk, const std::string& users_version,
                            const std::string& scratch) {
  SF_TRY(const Json module, run_go_json({"mod", "edit", "-json", "go.mod"}, sdk));
  const std::string needed = string_at(module, {"Go"});
  if (version_of(users_version) >= version_of(needed)) return sdk;
  const std::string copy = scratch + "/sdk";
  SF_TRY_VOID(copy_sdk(sdk, copy, needed));
  const std::string line = users_version.empty() ? "1.16" : users_version;
  SF_TRY_VOID(
      host::write_file(copy + "/go.mod", fmt::format("module {}\n\ngo {}\n", kSdkModule, line)));
  return copy;
}

Result<void> copy_if_there(const std::string& from, const std::string& to) {
  if (!host::exists(from)) return {};
  SF_TRY(const std::string content, host::read_file(from));
  return host::write_file(to, content);
}

// "-dropreplace=" arguments for every replacement of the SDK in a go.mod or go.work.
std::vector<std::string> drop_replacements(const Json& file) {
  std::vector<std::string> arguments;
  for (const Json& replace : items_at(file, "Replace")) {
    if (string_at(replace, {"Old", "Path"}) != kSdkModule) continue;
    const std::string version = string_at(replace, {"Old", "Version"});
    arguments.push_back(
        fmt::format("-dropreplace={}{}{}", kSdkModule, version.empty() ? "" : "@", version));
  }
  return arguments;
}

// The version of the SDK that a go.mod requires, or "".
std::string required_version(const Json& module) {
  for (const Json& require : items_at(module, "Require")) {
    if (string_at(require, {"Path"}) == kSdkModule) return string_at(require, {"Version"});
  }
  return "";
}

// The folder that a module's go.mod is told; nothing needs to exist there.
constexpr std::string_view kVirtualSdk = "/seedfall/sdk/go";

// (virtual file, real file) for go.mod and the sources below `folder`.
void map_files(const std::string& folder, const std::string& virtual_folder,
               OverlayFiles& files) {
  for (const std::string& name : host::list_directory(folder)) {
    const std::string path = folder + "/" + name;
    const std::string virtual_path = virtual_folder + "/" + name;
    if (host::is_directory(path)) {
      map_files(path, virtual_path, files);
    } else if (name == "go.mod" || (name.ends_with(".go") && !name.ends_with("_test.go"))) {
      files.emplace_back(virtual_path, path);
    }
  }
}

Result<Injection> inject_into_module(const GoPlace& place, const std::string& sdk,
                                     const std::string& scratch) {
  const std::string file = scratch + "/go.mod";
  SF_TRY_VOID(copy_if_there(place.module_root + "/go.mod", file));
  SF_TRY_VOID(copy_if_there(place.module_root + "/go.sum", scratch + "/go.sum"));
  SF_TRY(const Json module, run_go_json({"mod", "edit", "-json", file}, scratch));
  if (string_at(module, {"Module", "Path"}) == kSdkModule) return Injection{};
  SF_TRY(const std::string folder, sdk_for(sdk, string_at(module, {"Go"}), scratch));
  std::vector<std::string> arguments = {"mod", "edit"};
  for (std::string& drop : drop_replacements(module)) arguments.push_back(std::move(drop));
  // A version that is required already stays: a lower one might not be what go selects.
  if (required_version(module).empty()) {
    arguments.push_back(fmt::format("-require={}@v0.0.0", kSdkModule));
  }
  arguments.push_back(fmt::format("-replace={}={}", kSdkModule, kVirtualSdk));
  arguments.push_back(file);
  SF_TRY_VOID(run_go(std::move(arguments), scratch));
  Injection injection;
  injection.arguments.push_back("-modfile=" + file);
  map_files(folder, std::string(kVirtualSdk), injection.overlay);
  return injection;
}

std::string absolute(const std::string& base, const std::string& path) {
  return (fs::path(base) / path).lexically_normal().string();
}

bool is_sdk_module(const std::string& folder) {
  const auto text = host::read_file(folder + "/go.mod");
  if (!text) return false;
  const std::string line = fmt::format("module {}", kSdkModule);
  return text->starts_with(line + "\n") || text->find("\n" + line + "\n") != std::string::npos;
}

// Arguments of `go work edit` that make folders absolute and leave out another copy of the SDK.
std::vector<std::string> moved_workspace(const Json& work, const std::string& base) {
  std::vector<std::string> arguments = drop_replacements(work);
  for (const Json& use : items_at(work, "Use")) {
    const std::string path = string_at(use, {"DiskPath"});
    const std::string folder = absolute(base, path);
    arguments.push_back("-dropuse=" + path);
    if (!is_sdk_module(folder)) arguments.push_back("-use=" + folder);
  }
  for (const Json& replace : items_at(work, "Replace")) {
    const std::string target = string_at(replace, {"New", "Path"});
    const std::string version = string_at(replace, {"Old", "Version"});
    const bool is_folder = target.starts_with("./") || target.starts_with("../");
    if (!is_folder || string_at(replace, {"Old", "Path"}) == kSdkModule) continue;
    arguments.push_back(fmt::format("-replace={}{}{}={}", string_at(replace, {"Old", "Path"}),
                                    version.empty() ? "" : "@", version, absolute(base, target)));
  }
  return arguments;
}

Result<Injection> inject_into_workspace(const GoPlace& place, const std::string& sdk,
                                        const std::string& scratch) {
  const std::string base = fs::path(place.workspace_file).parent_path().string();
  const std::string file = scratch + "/go.work";
  SF_TRY_VOID(copy_if_there(place.workspace_file, file));
  SF_TRY_VOID(copy_if_there(place.workspace_file + ".sum", file + ".sum"));
  SF_TRY(const Json work, run_go_json({"work", "edit", "-json", file}, scratch));
  SF_TRY(const std::string folder, sdk_for(sdk, string_at(work, {"Go"}), scratch));
  std::vector<std::string> arguments = moved_workspace(work, base);
  arguments.insert(arguments.begin(), {"work", "edit"});
  arguments.push_back("-use=" + folder);
  arguments.push_back(file);
  SF_TRY_VOID(run_go(std::move(arguments), scratch));
  return Injection{.arguments = {}, .environment = {{"GOWORK", file}}, .overlay = {}};
}

// The user's vendor/modules.txt as one of a workspace in `scratch`: marked so, with folders of
// replacements relative to it, and with what go.mod says of the SDK.
std::string workspace_modules(const std::string& text, const std::string& module_root,
                              const std::string& scratch, const std::string& sdk_version) {
  std::string out = "## workspace\n";
  if (!sdk_version.empty()) out += fmt::format("# {} {}\n## explicit\n", kSdkModule, sdk_version);
  for (const std::string_view line : split(text, '\n')) {
    const auto arrow = line.find(" => .");
    if (!line.starts_with("# ") || arrow == std::string_view::npos) {
      out += std::string(line) + "\n";
      continue;
    }
    const std::string target = absolute(module_root, std::string(line.substr(arrow + 4)));
    out += fmt::format("{} => {}\n", line.substr(0, arrow),
                       fs::path(target).lexically_relative(scratch).string());
  }
  return out;
}

Result<Injection> inject_into_vendor(const GoPlace& place, const std::string& sdk,
                                     const std::string& scratch) {
  SF_TRY(const Json module, run_go_json({"mod", "edit", "-json", "go.mod"}, place.module_root));
  const std::string version = string_at(module, {"Go"});
  SF_TRY(const std::string folder, sdk_for(sdk, version, scratch));
  SF_TRY_VOID(host::write_file(scratch + "/go.work",
                               fmt::format("go {}\n\nuse (\n\t{}\n\t{}\n)\n",
                                           version.empty() ? "1.16" : version, place.module_root,
                                           folder)));
  const std::string vendor = place.module_root + "/vendor";
  SF_TRY_VOID(host::make_directories(scratch + "/vendor"));
  for (const std::string& name : host::list_directory(vendor)) {
    if (!host::is_directory(vendor + "/" + name)) continue;
    SF_TRY_VOID(host::make_symlink(vendor + "/" + name, scratch + "/vendor/" + name));
  }
  std::string modules;
  if (host::exists(vendor + "/modules.txt")) {
    SF_TRY(modules, host::read_file(vendor + "/modules.txt"));
  }
  SF_TRY_VOID(host::write_file(
      scratch + "/vendor/modules.txt",
      workspace_modules(modules, place.module_root, scratch, required_version(module))));
  return Injection{
      .arguments = {}, .environment = {{"GOWORK", scratch + "/go.work"}}, .overlay = {}};
}

}  // namespace

Result<Injection> inject_sdk(const GoPlace& place, const std::string& sdk_directory,
                             const std::string& scratch) {
  switch (place.layout) {
    case GoLayout::kModule: return inject_into_module(place, sdk_directory, scratch);
    case GoLayout::kWorkspace: return inject_into_workspace(place, sdk_directory, scratch);
    case GoLayout::kVendor: return inject_into_vendor(place, sdk_directory, scratch);
  }
  return Injection{};
}

}  // namespace sf::world
