// `seedfall init [PKG]`: a config and a first workload for a Go program.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

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

// "./server" for a folder below `base`, "../x" beside it, "." for itself.
std::string relative_package(const std::string& folder, const std::string& base) {
  const std::string path = fs::path(folder).lexically_relative(base).string();
  return path == "." || path.starts_with("..") ? path : "./" + path;
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
    if (names.size() < kShown) names.push_back(relative_package(program.folder, base));
  }
  if (programs.size() > kShown) names.emplace_back("…");
  return usage_error("", fmt::format("there are {} programs: {}", programs.size(),
                                     join(names, ", ")),
                     fmt::format("choose one: seedfall init {}", names.front()));
}

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
          const std::string& workload_file) {
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
  fmt::print("      seedfall doctor {}      when it does not build\n", skeleton.package);
}

Result<ExitCode> init(const InitFlags& flags) {
  if (!flags.dial.empty() && flags.dial.find(':') == std::string::npos) {
    return usage_error("", fmt::format("-dial {}: no address", excerpt(flags.dial, 40)),
                       "for example -dial server:7000");
  }
  const fs::path parent = fs::path(flags.config).parent_path();
  const std::string shown_folder = parent.empty() ? "" : parent.string() + "/";
  if (!parent.empty() && !host::is_directory(parent.string())) {
    return usage_error("", fmt::format("-c {}: no such folder", flags.config),
                       fmt::format("type: mkdir -p {}", parent.string()));
  }
  SF_TRY(const std::string base, host::absolute_path(parent.empty() ? "." : parent.string()));
  const std::string workload_file =
      (fs::path(shown_folder + flags.workload) / "main.go").lexically_normal().string();
  SF_TRY_VOID(refuse_to_overwrite({flags.config, workload_file}, flags.force));
  const std::string workload_folder =
      (fs::path(base) / flags.workload).lexically_normal().string();
  SF_TRY_VOID(world::find_go_place(base, ".", ""));   // the workload must lie in a module
  if (!workload_folder.starts_with(base == "/" ? "/" : base + "/")) {
    return usage_error("", fmt::format("-workload {}: not a folder beside the config",
                                       excerpt(flags.workload, 80)),
                       "for example -workload simtest");
  }
  SF_TRY(const world::GoProgram program, choose_program(flags, base, workload_folder));
  SF_TRY(const world::ListenAddress found, world::find_listen_address(program));
  Skeleton skeleton{.world = as_name(fs::path(base).filename().string(), "world"),
                    .package = relative_package(program.folder, base),
                    .workload_package = relative_package(workload_folder, base)};
  choose_address(found, flags, program, skeleton);
  const std::string config = skeleton_config(skeleton);
  SF_TRY_VOID(world::decode_config(config, flags.config));
  SF_TRY_VOID(host::make_directories(workload_folder));
  SF_TRY_VOID(host::write_file(workload_file, skeleton_workload(skeleton)));
  SF_TRY_VOID(host::write_file(flags.config, config));
  tell(skeleton, found, flags, workload_file);
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
