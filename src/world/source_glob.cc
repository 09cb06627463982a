#include "world/source_glob.h"

#include <filesystem>
#include <set>

#include "base/host/file.h"
#include "base/strings.h"

namespace sf::world {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFoldersDeepMax = 32;   // below a `**`

class Expansion {
 public:
  Expansion(std::string directory, std::vector<std::string_view> names)
      : directory_(std::move(directory)), names_(std::move(names)) {}

  // `so_far` is the path up to the name at `index`, with a slash at its end unless it is empty.
  void walk(const std::string& so_far, std::size_t index, std::size_t depth) {
    const std::string_view name = names_[index];
    if (name == "**") return walk_below(so_far, index, depth);
    if (!is_glob(name)) return step(so_far + std::string(name), index, depth);
    for (const std::string& entry : host::list_directory(on_host(so_far))) {
      if (name_matches(entry, name)) step(so_far + entry, index, depth);
    }
  }
  std::vector<std::string> found() const { return {found_.begin(), found_.end()}; }

 private:
  void step(const std::string& path, std::size_t index, std::size_t depth) {
    const bool is_folder = host::is_directory(on_host(path));
    if (index + 1 < names_.size()) {
      if (is_folder) walk(path + "/", index + 1, depth);
    } else if (!is_folder && host::exists(on_host(path))) {
      found_.insert(path);
    }
  }
  void walk_below(const std::string& so_far, std::size_t index, std::size_t depth) {
    if (index + 1 < names_.size()) walk(so_far, index + 1, depth);
    if (depth == kFoldersDeepMax) return;
    for (const std::string& entry : host::list_directory(on_host(so_far))) {
      const std::string path = on_host(so_far + entry);
      std::error_code ignored;
      if (entry.starts_with('.') || !host::is_directory(path) || fs::is_symlink(path, ignored)) {
        continue;
      }
      walk_below(so_far + entry + "/", index, depth + 1);
    }
  }
  std::string on_host(const std::string& path) const {
    return path.starts_with('/') ? path : directory_ + "/" + path;
  }

  std::string directory_;
  std::vector<std::string_view> names_;
  std::set<std::string> found_;
};

}  // namespace

bool is_glob(std::string_view source) {
  return source.find_first_of("*?") != std::string_view::npos;
}

std::vector<std::string> expand_glob(const std::string& directory, const std::string& pattern) {
  Expansion expansion(directory, split(pattern, '/'));
  expansion.walk("", 0, 0);
  return expansion.found();
}

// Greedy with one point of return, the last `*`: what an earlier one took need never change.
bool name_matches(std::string_view name, std::string_view pattern) {
  if (name.starts_with('.') && !pattern.starts_with('.')) return false;
  std::size_t at = 0, in = 0;
  std::size_t star = std::string_view::npos, star_at = 0;
  while (at < name.size()) {
    if (in < pattern.size() && pattern[in] == '*') {
      star = in++;
      star_at = at;
    } else if (in < pattern.size() && (pattern[in] == '?' || pattern[in] == name[at])) {
      ++in;
      ++at;
    } else if (star != std::string_view::npos) {
      in = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  while (in < pattern.size() && pattern[in] == '*') ++in;
  return in == pattern.size();
}

}  // namespace sf::world
