// A Go package is named by a folder ("./server", "../x", absolute) or by an import path
// ("example.com/kvlog/server"). Only folders are looked for here: an import path may lie in another
// module, and the go command answers for it.
#include "world/config_sources.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>

#include "base/host/file.h"
#include "base/strings.h"
#include "world/guest_build_c.h"
#include "world/source_glob.h"

namespace sf::world {
namespace {

namespace fs = std::filesystem;

using Accepts = bool (*)(const std::string& path);

// A pipe would be waited for.
bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder_path(std::string_view source) {
  return source == "." || source == ".." || source.starts_with("./") || source.starts_with("../") ||
         source.starts_with('/');
}

// The visible names in a folder that would have been accepted.
std::vector<std::string> names_in(const std::string& folder, Accepts accepts) {
  std::vector<std::string> names = host::list_directory(folder);
  std::erase_if(names, [&](const std::string& name) {
    return name.starts_with('.') || !accepts(folder + "/" + name);
  });
  return names;
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kShown = 12;
  const std::size_t total = names.size();
  names.resize(std::min(total, kShown));
  for (std::string& name : names) name = excerpt(name, 60);
  return join(names, ", ") + (total > kShown ? fmt::format(" and {} more", total - kShown) : "");
}

// "did you mean ./server? folders here: client, server"
std::string what_is_there(const WorldConfig& config, const std::string& source, Accepts accepts,
                          std::string_view kinds) {
  const fs::path path(source);
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  const std::vector<std::string> names = names_in(resolve(config, parent), accepts);
  const std::string where = parent == "." ? "here" : "in " + parent;
  if (names.empty()) return fmt::format("there are no {} {}", kinds, where);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = nearest(path.filename().string(), views);
  const std::string prefix = path.has_parent_path() ? parent + "/" : "";
  return fmt::format("{}{} {}: {}", near ? fmt::format("did you mean {}{}? ", prefix, *near) : "",
                     kinds, where, listed(names));
}

tl::unexpected<Error> missing(const WorldConfig& config, const std::string& place,
                              const std::string& source, Accepts accepts, std::string_view kind) {
  const std::string kinds = std::string(kind) + "s";
  return usage_error(place,
                     fmt::format("{}: no such {} beside the config", excerpt(source, 200), kind),
                     what_is_there(config, source, accepts, kinds));
}

Result<void> check_package(const WorldConfig& config, const NodeConfig& node) {
  const std::string& source = node.source;
  if (source.find("...") != std::string::npos) {
    return usage_error(node.source_place,
                       fmt::format("{} names many packages", excerpt(source, 200)),
                       "a node runs one");
  }
  const bool is_folder = host::is_directory(resolve(config, source));
  if (is_folder_path(source)) {
    if (is_folder) return {};
    return missing(config, node.source_place, source, host::is_directory, "folder");
  }
  // Without "./" the go command looks into its standard library, which is hardly what was meant.
  const std::string_view first = split(source, '/').front();
  if (is_folder && first.find('.') == std::string_view::npos) {
    return usage_error(node.source_place, fmt::format("{} is an import path", excerpt(source, 200)),
                       fmt::format("write ./{} for the folder beside the config", source));
  }
  return {};
}

bool is_c_source(const std::string& path) {
  return is_file(path) && language_of(path) != CLanguage::kNone;
}

Result<void> check_c_sources(const WorldConfig& config, const CSources& c) {
  for (std::size_t i = 0; i < c.files.size(); ++i) {
    const std::string& source = c.files[i];
    if (!is_glob(source)) {
      if (is_file(resolve(config, source))) continue;
      return missing(config, c.file_places[i], source, is_c_source, "C or C++ source");
    }
    if (!expand_glob(config.directory, source).empty()) continue;
    return usage_error(c.file_places[i],
                       fmt::format("{}: no such file beside the config", excerpt(source, 200)),
                       "* and ? match within one name, **/ any number of folders");
  }
  return {};
}

Result<void> check_node(const WorldConfig& config, const NodeConfig& node) {
  if (node.guest == GuestKind::kGoPackage) {
    SF_TRY_VOID(check_package(config, node));
  } else if (node.guest == GuestKind::kCSources) {
    SF_TRY_VOID(check_c_sources(config, node.c));
  } else if (!is_file(resolve(config, node.source))) {
    return missing(config, node.source_place, node.source, is_file, "file");
  }
  if (node.files.empty() || host::is_directory(resolve(config, node.files))) return {};
  return missing(config, node.files_place, node.files, host::is_directory, "folder");
}

}  // namespace

std::string resolve(const WorldConfig& config, const std::string& path) {
  return (fs::path(config.directory) / path).lexically_normal().string();
}

Result<void> check_sources(const WorldConfig& config) {
  for (const NodeConfig& node : config.nodes) SF_TRY_VOID(check_node(config, node));
  for (const NodeConfig& node : config.workloads) SF_TRY_VOID(check_node(config, node));
  return {};
}

}  // namespace sf::world
