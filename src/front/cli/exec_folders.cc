#include "front/cli/exec_folders.h"

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/streams.h"
#include "base/strings.h"
#include "world/guest_build_layout.h"

namespace sf::front {
namespace {

// Without "." and double slashes; ".." is refused, since what it means depends on links.
Result<std::string> guest_path(const std::string& text, const std::string& place) {
  if (!text.starts_with('/')) {
    return usage_error(place, "the place in the simulation must be absolute",
                       "for example -dir data::/data");
  }
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") return usage_error(place, ".. in a place in the simulation");
    out += "/" + name;
  }
  return out.empty() ? std::string("/") : out;
}

Result<world::HostFolder> given_folder(const std::string& text) {
  const std::string place = "-dir " + excerpt(text, 80);
  const std::size_t mark = text.find("::");
  const std::string host = text.substr(0, mark);
  if (!host::is_directory(host)) {
    return usage_error(place, fmt::format("{}: no such folder", excerpt(host, 80)));
  }
  world::HostFolder folder;
  SF_TRY(folder.host, host::absolute_path(host));
  folder.guest = folder.host;
  folder.place = place;
  if (mark != std::string::npos) {
    SF_TRY(folder.guest, guest_path(text.substr(mark + 2), place));
  }
  return folder;
}

}  // namespace

Result<std::vector<world::HostFolder>> given_folders(const std::vector<std::string>& texts) {
  std::vector<world::HostFolder> folders;
  for (const std::string& text : texts) {
    SF_TRY(world::HostFolder folder, given_folder(text));
    for (const world::HostFolder& other : folders) {
      if (other.guest != folder.guest) continue;
      return usage_error(folder.place, fmt::format("{} is shown twice", folder.guest));
    }
    folders.push_back(std::move(folder));
  }
  return folders;
}

namespace {

// The nearest folder from here up that holds such a file, or nothing.
std::string holder_of(const std::string& file, std::string folder) {
  while (true) {
    if (host::exists((folder == "/" ? "" : folder) + "/" + file)) return folder;
    if (folder == "/") return {};
    const std::size_t slash = folder.rfind('/');
    folder = slash == 0 ? "/" : folder.substr(0, slash);
  }
}

// Tests read what lies beside their module, such as a folder that several modules of a repository
// share: so the outermost of what makes a project counts.
std::string project_around(const std::string& folder) {
  std::string project = folder;
  for (const char* mark : {"go.work", "go.mod", ".git"}) {
    const std::string holder = holder_of(mark, folder);
    if (!holder.empty() && holder.size() < project.size()) project = holder;
  }
  return project;
}

std::string go_root() {
  if (const auto named = host::environment_variable("GOROOT"); named && !named->empty()) {
    return *named;
  }
  const auto asked = world::run_go({"env", "GOROOT"}, "");
  return asked ? asked->substr(0, asked->find('\n')) : std::string();
}

}  // namespace

Result<ExecFolders> exec_folders(const std::vector<std::string>& given, bool bare) {
  ExecFolders found;
  SF_TRY(found.working_directory, host::absolute_path("."));
  // A folder that the user named is not named again, and none twice.
  const auto add = [&found](const std::string& host, const std::string& guest) {
    for (const world::HostFolder& other : found.folders) {
      if (other.guest == guest) return;
    }
    found.folders.push_back({host, guest, ""});
  };
  SF_TRY(found.folders, given_folders(given));
  if (bare) {
    found.working_directory = "/";
    return found;
  }
  const std::string project = project_around(found.working_directory);
  add(project, project);
  const std::string temporary = host::environment_variable("TMPDIR").value_or("/tmp");
  for (const std::string& folder : {go_root(), temporary}) {
    if (folder.empty() || !host::is_directory(folder)) continue;
    SF_TRY(const std::string real, host::absolute_path(folder));
    add(real, real);
    // As the variable spells it, too, for the go command names files so. What ".." means depends on
    // links: then there is the real path only.
    if (const auto spelled = guest_path(folder, ""); spelled) add(real, *spelled);
  }
  return found;
}

}  // namespace sf::front
