// `seedfall init [PKG]`: a config and a first workload for a Go program.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/check.h"
#include "base/host/file.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"
#include "front/cli/init_skeleton.h"
#include "world/config.h"
#include "world/go_programs.h"
#include "world/guest_build_layout.h"

namespace sf::front {
namespace {

namespace fs = std::filesystem;

struct InitFlags {
  std::string package;
  std::string config = kDefaultConfig;
  std::string workload = "simtest";
  std::string dial;
  bool force = false;
};

Result<void> refuse_to_overwrite(const std::vector<std::string>& files, bool force) {
  for (const std::string& file : files) {
    if (force || !host::exists(file)) continue;
    return usage_error("", file + " exists already",
                       "-force overwrites it; -c and -workload choose other names");
  }
  return {};
}

// A wrong choice is better than a question that nobody is there to answer; but several programs
// mean that only the user knows which one is meant.
Result<world::GoProgram> choose_program(const InitFlags& flags, const std::string& base,
                                        const std::string& workload_folder) {
  const std::string pattern = flags.package.empty() ? "./..." : flags.package;
  SF_TRY(const std::string here, host::absolute_path("."));
  SF_TRY(std::vector<world::GoProgram> programs, world::find_go_programs(here, pattern));
  for (world::GoProgram& program : programs) {
    SF_TRY(program.folder, host::absolute_path(program.folder));
  }
  std::erase_if(programs,
                [&](const world::GoProgram& p) { return p.folder == workload_folder; });
  if (programs.size() == 1) return programs.front();
  if (programs.empty() && !flags.package.empty()) {
    return usage_error("", fmt::format("{} is no program: there is no package main for wasip1",
                                       flags.package),
                       "name the folder that holds func main, for example ./cmd/server");
  }
  if (programs.empty()) {
    return usage_error("", "no program here: no folder below this one holds a package main",
                       "write func main first, or go to the module that has it");
  }
  constexpr std::size_t kShown = 10;
  std::vector<std::string> names;
  for (const world::GoProgram& program : programs) {
    if (names.size() < kShown) names.push_back(world::relative_package(program.folder, base));
  }
  if (programs.size() > kShown) names.emplace_back("…");
  return usage_error("", fmt::format("there are {} programs: {}", programs.size(),
                                     join(names, ", ")),
                     fmt::format("choose one: seedfall init {}", names.front()));
}

// The go command takes a name without "./" for one of its standard library.
Result<void> check_package_name(const std::string& package) {
  const bool is_path = package.starts_with('.') || package.starts_with('/');
  if (package.empty() || is_path || !host::is_directory(package)) return {};
  return usage_error("", fmt::format("{} is an import path", excerpt(package, 80)),
                     fmt::format("write ./{} for the folder here", excerpt(package, 80)));
}

// "HOST:PORT" or ":PORT".
Result<void> check_dial(const std::string& address) {
  if (address.empty()) return {};
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) {
    return usage_error("", fmt::format("-dial {}: no address", excerpt(address, 40)),
                       "for example -dial server:7000");
  }
  std::uint16_t port = 0;
  const char* const end = address.data() + address.size();
  const auto [rest, error] = std::from_chars(address.data() + colon + 1, end, port);
  if (error != std::errc() || rest != end || port == 0) {
    return usage_error("", fmt::format("-dial {}: a port is a number from 1 to 65535",
                                       excerpt(address, 40)),
                       "for example -dial server:7000");
  }
  return {};
}

// What the go command takes as a folder of a package (module.CheckImportPath in Go's sources), and
// does not leave out of "./...".
bool is_importable(const fs::path& folder) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' ||
           c == '.' || c == '_' || c == '~' || c == '+';
  };
  for (const fs::path& part : folder) {
    const std::string name = part.string();
    if (name.empty()) continue;   // behind the last slash
    const bool hidden = name.front() == '.' || name.front() == '_' || name.back() == '.';
    if (hidden || name == "testdata" || name == "vendor") return false;
    if (!std::all_of(name.begin(), name.end(), is_plain)) return false;
  }
  return true;
}

// A folder beside the config, in which nothing but a workload of ours may lie.
Result<void> check_workload(const std::string& given, const std::string& base,
                            const std::string& folder) {
  const std::string place = fmt::format("-workload {}", excerpt(given, 80));
  if (!folder.starts_with(base == "/" ? "/" : base + "/")) {
    return usage_error(place, "not a folder beside the config", "for example -workload simtest");
  }
  if (!is_importable(fs::path(folder).lexically_relative(base))) {
    return usage_error(place, "not a name that Go can import",
                       "letters, digits and - . _ ~ +, for example -workload simtest");
  }
  std::string above = folder;
  while (!host::exists(above)) above = fs::path(above).parent_path().string();
  if (!host::is_directory(above)) return usage_error(place, above + " is not a folder");
  for (const std::string& name : host::list_directory(folder)) {
    if (!name.ends_with(".go") || name == "main.go") continue;
    return usage_error(place, fmt::format("the folder is not a workload's: it holds {}", name),
                       "choose another one");
  }
  return {};
}

// Writes both files or none.
class Files {
 public:
  Result<void> write(const std::string& path, const std::string& content) {
    Before before{path, "", host::exists(path)};
    if (before.existed) {
      SF_TRY(before.content, host::read_file(path));
    }
    SF_TRY_VOID(make_folder(fs::path(path).parent_path().string()));
    SF_TRY_VOID(host::write_file(path, content));
    written_.push_back(std::move(before));
    return {};
  }
  void keep() { kept_ = true; }
  ~Files() {
    if (kept_) return;
    for (const Before& before : written_) {
      if (before.existed) static_cast<void>(host::write_file(before.path, before.content));
      else host::remove_file(before.path);
    }
    if (!made_.empty()) static_cast<void>(host::remove_tree(made_));
  }
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

 private:
  struct Before {
    std::string path;
    std::string content;
    bool existed = false;
  };

  Result<void> make_folder(const std::string& folder) {
    std::string missing;
    for (fs::path at = folder; !at.empty() && !host::exists(at.string()); at = at.parent_path()) {
      missing = at.string();
    }
    if (missing.empty()) return {};
    SF_CHECK(made_.empty());   // only the workload lies in a folder that need not be there
    made_ = missing;
    return host::make_directories(folder);
  }

  std::vector<Before> written_;
  std::string made_;           // the outermost folder that was not there; empty: none
  bool kept_ = false;
};

// Where the workload connects to, and the node's name: the host of its address if it has one.
void choose_address(const world::ListenAddress& found, const InitFlags& flags,
                    const world::GoProgram& program, Skeleton& skeleton) {
  const std::string folder = fs::path(program.import_path).filename().string();
  const std::string address = flags.dial.empty() ? found.address : flags.dial;
  const std::size_t colon = address.rfind(':');
  const std::string host = address.substr(0, colon);
  skeleton.node = as_name(host, as_name(folder, "node"));
  if (skeleton.node == as_name(skeleton.workload_package, "")) skeleton.node = "node";
  const bool reachable = host.empty() || host == skeleton.node || host == "0.0.0.0";
  if (!address.empty() && reachable) skeleton.address = skeleton.node + address.substr(colon);
}

void tell(const Skeleton& skeleton, const world::ListenAddress& found, const InitFlags& flags,
          const std::string& workload_file, const std::string& package_here) {
  fmt::print("wrote {}: node {} ({}), power losses and kills\n", flags.config, skeleton.node,
             skeleton.package);
  fmt::print("wrote {}: {}\n", workload_file,
             skeleton.address.empty()
                 ? fmt::format("lets {} run through faults", skeleton.node)
                 : fmt::format("states that {} answers after faults", skeleton.address));
  if (skeleton.address.empty()) {
    const char* why = found.listens
                          ? "the address that it gives sim.Listen is not plain to see: name it "
                            "with -dial HOST:PORT"
                          : "it does not call sim.Listen, so no other node can reach it";
    fmt::print("note: {}: {}\n", skeleton.package, why);
  }
  const std::string config =
      flags.config == kDefaultConfig ? "" : fmt::format(" -c {}", flags.config);
  fmt::print("\nnext: seedfall run{} -seeds 1-20\n", config);
  fmt::print("      write what must hold into {}\n", workload_file);
  fmt::print("      seedfall doctor {}      when it does not build\n", package_here);
}

Result<ExitCode> init(const InitFlags& flags) {
  SF_TRY_VOID(check_dial(flags.dial));
  SF_TRY_VOID(check_package_name(flags.package));
  const fs::path parent = fs::path(flags.config).parent_path();
  const std::string shown_folder = parent.empty() ? "" : parent.string() + "/";
  if (!parent.empty() && !host::is_directory(parent.string())) {
    return usage_error("", fmt::format("-c {}: no such folder", flags.config),
                       fmt::format("type: mkdir -p {}", parent.string()));
  }
  SF_TRY(const std::string base, host::absolute_path(parent.empty() ? "." : parent.string()));
  const std::string workload_file =
      (fs::path(shown_folder + flags.workload) / "main.go").lexically_normal().string();
  for (const std::string& file : {flags.config, workload_file}) {
    if (host::is_directory(file)) return usage_error("", file + " is a folder");
  }
  SF_TRY_VOID(refuse_to_overwrite({flags.config, workload_file}, flags.force));
  std::string workload_folder = (fs::path(base) / flags.workload).lexically_normal().string();
  if (workload_folder.ends_with('/')) workload_folder.pop_back();
  SF_TRY_VOID(world::find_go_place(base, ".", ""));   // the workload must lie in a module
  SF_TRY_VOID(check_workload(flags.workload, base, workload_folder));
  SF_TRY(const world::GoProgram program, choose_program(flags, base, workload_folder));
  SF_TRY(const world::ListenAddress found, world::find_listen_address(program));
  Skeleton skeleton{.world = as_name(fs::path(base).filename().string(), "world"),
                    .package = world::relative_package(program.folder, base),
                    .workload_package = world::relative_package(workload_folder, base)};
  choose_address(found, flags, program, skeleton);
  const std::string config = skeleton_config(skeleton);
  SF_TRY_VOID(world::decode_config(config, flags.config));
  SF_TRY(const std::string here, host::absolute_path("."));
  Files files;
  SF_TRY_VOID(files.write(workload_folder + "/main.go", skeleton_workload(skeleton)));
  SF_TRY_VOID(files.write(flags.config, config));
  files.keep();
  tell(skeleton, found, flags, workload_file, world::relative_package(program.folder, here));
  return ExitCode::kClean;
}

}  // namespace

ExitCode command_init(const std::vector<std::string>& arguments) {
  InitFlags values;
  Flags flags("init",
              "writes a config and a first workload for a Go program, the only one below the "
              "current folder or the one named",
              {"seedfall init", "seedfall init ./cmd/server",
               "seedfall init ./server -dial server:7000 -c worlds/first.json"});
  flags.positional("PKG", values.package, "the Go package of the program");
  flags.text("c", values.config, "the config to write");
  flags.text("workload", values.workload, "the folder of the workload, beside the config");
  flags.text("dial", values.dial, "where the program listens, for the workload to connect to");
  flags.toggle("force", values.force, "overwrite the config and the workload's main.go");
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const auto code = init(values);
  return code ? *code : report_error(code.error());
}

}  // namespace sf::front
