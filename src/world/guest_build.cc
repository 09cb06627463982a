// When is the SDK injected? In a module and in a workspace always: it costs 20 ms, and a module
// that imports nothing of it builds to the same bytes. With vendor/ the plain build is tried first,
// and only if it fails over the SDK is it injected: there most programs need no help, and the
// generated workspace is the most delicate of the three ways.
#include "world/guest_build.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "base/strings.h"
#include "world/guest_build_inject.h"
#include "world/guest_build_layout.h"

namespace sf::world {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWasmMagic{"\0asm", 4};

// The compiler names files relative to where it ran; the user knows them from the config's folder.
std::string with_users_paths(const std::string& output, const GoPlace& place,
                             const std::string& package) {
  if (place.package == package) return output;
  const std::string prefix = fs::path(package).lexically_normal().string() + "/";
  std::string out;
  for (std::string_view line : split(output, '\n')) {
    const std::string_view file = line.substr(0, line.find(':'));
    if (file.ends_with(".go") && !file.starts_with('/') && !file.starts_with("..")) {
      if (line.starts_with("./")) line.remove_prefix(2);
      out += prefix;
    }
    out += std::string(line) + "\n";
  }
  out.pop_back();
  return out;
}

// One build of a package: everything that does not depend on how the SDK gets in.
struct Building {
  GoPlace place;
  std::string sdk;           // empty: there is none
  OverlayFiles library;      // changed files of Go's library
  std::vector<std::pair<std::string, std::string>> environment;
  std::string scratch;
  std::string output;
};

std::vector<std::pair<std::string, std::string>> environment_of(const GoBuildRequest& request) {
  if (request.toolchain.empty()) return {};
  return {{"GOTOOLCHAIN", request.toolchain}, {"GOPROXY", "off"}};
}

Result<std::string> write_overlay(const Building& building, const Injection& injection) {
  Json replace = Json::object();
  for (const OverlayFiles* files : {&building.library, &injection.overlay}) {
    for (const auto& [file, content] : *files) replace.set(file, content);
  }
  std::string path = building.scratch + "/overlay.json";
  SF_TRY_VOID(host::write_file(path, Json::object().set("Replace", std::move(replace)).dump()));
  return path;
}

Result<std::string> run_build(const Building& building, const Injection& injection) {
  const std::string& users = building.place.tags;
  const std::string tags = (users.empty() ? "" : users + ",") + "seedfall,timetzdata";
  SF_TRY(const std::string overlay, write_overlay(building, injection));
  std::vector<std::string> arguments = {"build",  "-trimpath",     "-buildvcs=false",
                                        "-tags=" + tags, "-overlay=" + overlay,
                                        "-o",     building.output};
  arguments.insert(arguments.end(), injection.arguments.begin(), injection.arguments.end());
  arguments.push_back(building.place.package);
  auto environment = injection.environment;
  environment.insert(environment.end(), building.environment.begin(), building.environment.end());
  environment.emplace_back("GOOS", "wasip1");
  environment.emplace_back("GOARCH", "wasm");
  environment.emplace_back("CGO_ENABLED", "0");
  return run_go(std::move(arguments), building.place.working_directory, std::move(environment));
}

bool speaks_of_sdk(const Error& error) {
  return error.message.find(kSdkModule) != std::string::npos;
}

Result<std::string> build(const Building& building) {
  if (building.sdk.empty()) return run_build(building, {});
  const GoPlace& place = building.place;
  if (place.layout == GoLayout::kVendor) {
    auto plain = run_build(building, {});
    const bool vendored =
        host::is_directory(fmt::format("{}/vendor/{}", place.module_root, kSdkModule));
    if (plain || vendored || !speaks_of_sdk(plain.error())) return plain;
  }
  SF_TRY(const Injection injection, inject_sdk(place, building.sdk, building.scratch));
  return run_build(building, injection);
}

// The package as one who stands in the working directory names it.
std::string from_here(const std::string& directory, const std::string& package) {
  if (!package.starts_with('.')) return package;   // an import path, or absolute
  std::error_code error;
  const fs::path folder = fs::absolute(fs::path(directory) / package, error);
  const fs::path here = fs::current_path(error);
  return error ? package : relative_package(folder.string(), here.string());
}

tl::unexpected<Error> build_failed(const GoBuildRequest& request, const GoPlace& place,
                                   const std::string& sdk, const Error& error) {
  constexpr std::size_t kShown = 8 << 10;
  if (!error.hint.empty()) return cannot_run(request.place, error.text());
  std::string output = with_users_paths(error.message, place, request.package);
  if (output.size() > kShown) output = output.substr(0, kShown) + "\n(more left out)";
  while (output.ends_with('\n')) output.pop_back();
  const bool no_sdk = sdk.empty() && speaks_of_sdk(error);
  const std::string next =
      no_sdk ? "the Go SDK shipped with seedfall was not found: set SEEDFALL_SDK_DIR"
             : fmt::format("run `seedfall doctor {}`: it looks for the cause",
                           from_here(request.directory, request.package));
  return cannot_run(request.place, fmt::format("{} does not build for wasip1:\n{}\n{}",
                                               request.package, output, next));
}

// Moves the file to its place in the cache, under the name of its content.
Result<BuiltGuest> keep(const std::string& file, const GoBuildRequest& request) {
  SF_TRY(const std::string content, host::read_file(file));
  // For a package that is not main, go leaves an archive, or nothing at all.
  if (!content.starts_with(kWasmMagic)) {
    return cannot_run(request.place,
                      fmt::format("{} is no program: its package is not main", request.package),
                      "name the folder that holds func main");
  }
  return keep_guest(content);
}

}  // namespace

Result<BuiltGuest> build_go_guest(const GoBuildRequest& request) {
  const std::string sdk_given =
      request.sdk_directory.empty() ? find_sdk_directory() : request.sdk_directory;
  Building building;
  if (!sdk_given.empty()) {
    SF_TRY(building.sdk, host::absolute_path(sdk_given));
  }
  building.environment = environment_of(request);
  SF_TRY(building.place, find_go_place(request.directory, request.package, request.place,
                                       building.environment));
  SF_TRY(const Scratch scratch, Scratch::make());
  building.scratch = scratch.path();
  auto library = make_library_overlay(building.place.go, building.scratch);
  if (!library) return tl::make_unexpected(library.error());
  building.library = *std::move(library);
  building.output = building.scratch + "/out.wasm";
  if (auto built = build(building); !built) {
    return build_failed(request, building.place, building.sdk, built.error());
  }
  const std::string& output = building.output;
  if (!host::exists(output)) SF_TRY_VOID(host::write_file(output, ""));
  return keep(output, request);
}

std::string find_sdk_directory() {
  const auto is_sdk = [](const std::string& path) { return host::exists(path + "/go.mod"); };
  if (const char* named = std::getenv("SEEDFALL_SDK_DIR"); named != nullptr && *named != '\0') {
    return named;
  }
  const std::string program_folder = fs::path(host::program_path()).parent_path().string();
  for (const char* beside : {"/../share/seedfall/sdk/go", "/../../sdk/go"}) {
    if (is_sdk(program_folder + beside)) return program_folder + beside;
  }
#ifdef SEEDFALL_SDK_FALLBACK
  if (is_sdk(SEEDFALL_SDK_FALLBACK)) return SEEDFALL_SDK_FALLBACK;
#endif
  return "";
}

}  // namespace sf::world
