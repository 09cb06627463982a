// `seedfall exec`: one wasip1 program on one simulated node, as if it ran here.
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/streams.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/complain.h"
#include "front/cli/exec_folders.h"
#include "front/cli/exec_results.h"
#include "front/cli/fault_words.h"
#include "front/cli/flags.h"
#include "front/cli/output.h"
#include "world/exec_config.h"
#include "world/run.h"

namespace sf::front {
namespace {

// Our own failures, numbered as env(1) does; what a shell reports for a program that was aborted;
// and what timeout(1) returns.
constexpr int kFailed = 125, kNotExecutable = 126, kNotFound = 127;
constexpr int kAborted = 128 + 6, kCutShort = 124;

struct ExecFlags {
  std::string config;
  std::uint64_t seed = 1;
  std::string profile;
  std::vector<std::string> folders;
  std::vector<std::string> environment;
  std::string out;
  bool bare = false;
  bool verbose = false;
};

// Why exec itself could not do its work.
struct Failure {
  int code = kFailed;
  Error error;
};
template <class T>
using Exec = tl::expected<T, Failure>;

tl::unexpected<Failure> failure(int code, Error error) {
  return tl::make_unexpected(Failure{code, std::move(error)});
}

// The consoles of the program are ours.
class HostTerminal final : public kernel::Terminal {
 public:
  void write(kernel::NodeId, std::uint8_t stream, std::string_view bytes) override {
    if (!host::write_stream(stream, bytes)) lost_ = true;
  }
  kernel::Outcome<std::size_t> read(kernel::NodeId, std::span<std::byte> into) override {
    const auto count = host::read_stdin(into);
    if (!count) return kernel::fail(kernel::Errno::kIo);
    return *count;
  }
  bool lost() const { return lost_; }

 private:
  bool lost_ = false;
};

// "K=V", or "K" for the value that it has here.
Result<std::vector<std::pair<std::string, std::string>>> environment_of(
    const ExecFlags& flags, const std::string& directory) {
  std::vector<std::pair<std::string, std::string>> environment = {{"PWD", directory}};
  for (const std::string& entry : flags.environment) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (name.empty() || name.find('\0') != std::string::npos) {
      return usage_error("", fmt::format("-env {}: no name", excerpt(entry, 40)),
                         "for example -env LEVEL=debug, or -env HOME for the value it has here");
    }
    if (equals != std::string::npos) {
      environment.emplace_back(name, entry.substr(equals + 1));
    } else if (const auto value = host::environment_variable(name)) {
      environment.emplace_back(name, *value);
    }
  }
  return environment;
}

// The file to run: as it is given, also when that is a name without a slash.
Exec<std::string> find_program(const std::string& path) {
  const auto refused = [&path](int code, std::string what) {
    return failure(code, Error{ErrorCode::kCannotRun, path, std::move(what), ""});
  };
  if (!host::exists(path)) return refused(kNotFound, "no such file");
  if (host::is_directory(path)) return refused(kNotExecutable, "is a folder");
  auto absolute = host::absolute_path(path);
  if (!absolute) return failure(kNotExecutable, absolute.error());
  return *absolute;
}

Result<world::WorldConfig> config_of(const ExecFlags& flags,
                                     const std::vector<std::string>& command,
                                     const std::string& program) {
  SF_TRY(world::ExecSettings settings, world::load_exec_settings(flags.config, flags.profile));
  SF_TRY(const ExecFolders folders, exec_folders(flags.folders, flags.bare));
  world::NodeConfig node;
  node.name = "program";
  node.guest = world::GuestKind::kWasmFile;
  node.source = program;
  node.source_place = "exec";
  node.program_name = command.front();
  node.args.assign(command.begin() + 1, command.end());
  node.memory_bytes = world::exec_defaults::kMemoryBytes;
  node.disk = settings.disk;
  node.folders = folders.folders;
  SF_TRY(node.env, environment_of(flags, folders.working_directory));
  settings.world.name = "exec";
  settings.world.solo = true;
  settings.world.nodes = {std::move(node)};
  return std::move(settings.world);
}

// What the program came to, as an exit code; why, on stderr.
int outcome(const kernel::Room& room, const std::string& program) {
  for (const kernel::Finding& finding : room.findings()) {
    complain("seedfall exec: {}{}{} at t={}\n", finding.message,
               finding.site.empty() ? "" : " at ", finding.site,
               format_duration(finding.time - SimTime::zero()));
    const bool says_itself = finding.kind == kernel::FindingKind::kAssertion ||
                             finding.kind == kernel::FindingKind::kOutput;
    if (!says_itself) {
      for (const std::string& line : finding.detail) complain("  {}\n", line);
    }
    return finding.kind == kernel::FindingKind::kAssertion ? kAborted : kCutShort;
  }
  const kernel::GuestExit& exit = *room.solo_exit();
  if (exit.trap.empty()) return exit.code & 0xff;   // as wait(2) would tell it
  complain("seedfall exec: {} trapped: {}\n", program, exit.trap);
  for (const std::string& line : exit.stack) complain("  {}\n", line);
  return kAborted;
}

Exec<int> exec(const ExecFlags& flags, const std::vector<std::string>& command) {
  const auto ours = [](Error error) { return failure(kFailed, std::move(error)); };
  if (command.empty()) {
    return ours(Error{ErrorCode::kUsage, "", "exec: no program is given",
                      "for example `seedfall exec prog.wasm ARGS…`"});
  }
  SF_TRY(const std::string program, find_program(command.front()));
  // Where compiled programs are kept: a fault of the host, not of this program.
  if (const auto cache = host::cache_directory(); !cache) return ours(cache.error());
  auto config = config_of(flags, command, program);
  if (!config) return ours(config.error());
  auto world = world::World::prepare(*std::move(config), {});
  if (!world) return failure(kNotExecutable, world.error());
  for (const std::string& warning : (*world)->warnings()) {
    complain("seedfall exec: warning: {}\n", warning);
  }
  HostTerminal terminal;
  world::RunSpec spec;
  spec.seed = flags.seed;
  spec.terminal = &terminal;
  trace::HashSink trace;
  auto run = world::Run::start(**world, spec, trace);
  if (!run) return ours(run.error());
  const auto result = (*run)->finish();
  if (!result) return ours(result.error());
  kernel::Room& room = (*run)->room();
  const int code = outcome(room, command.front());
  if (flags.verbose) {
    complain("{}seedfall exec: seed {}, ended at t={}, {} steps, trace hash {:016x}\n",
               describe_fault_list(result->faults, 100), flags.seed,
               format_duration(result->end_time - SimTime::zero()),
               with_thousands(result->steps), result->hash);
  }
  kernel::disk::Volume& volume = room.node_at(0).volume();
  const Result<void> kept = keep_results(command, volume, flags.out);
  if (!kept) return ours(kept.error());
  if (terminal.lost()) {
    return ours(Error{ErrorCode::kCannotRun, "", "cannot write the program's output", ""});
  }
  return code;
}

}  // namespace

ExitCode command_exec(const std::vector<std::string>& arguments) {
  ExecFlags values;
  Flags flags("exec",
              "runs one wasip1 program on one simulated node: exec [flags] prog.wasm [args]",
              {"seedfall exec prog.wasm -its-own-flag",
               "seedfall exec -dir data::/data -out after prog.wasm",
               "seedfall exec -c faults.json -seed 7 prog.wasm",
               "GOOS=wasip1 GOARCH=wasm go test -exec 'seedfall exec' ./..."});
  flags.number("seed", values.seed, "of everything random (default 1)");
  flags.list("dir", values.folders,
             "HOST[::GUEST]: shows a folder; writes to it stay in the simulation; repeatable");
  flags.list("env", values.environment,
             "NAME=VALUE, or NAME for the value it has here; repeatable");
  flags.text("out", values.out, "afterwards saves what the program made or changed to this folder");
  flags.toggle("bare", values.bare,
               "shows only -dir folders; else also the Go module or working directory, GOROOT and "
               "the temporary folder");
  flags.text("c", values.config, "a config with faults, disk, network, cpu, limits; no nodes");
  flags.text("profile", values.profile, "the disk's profile (default: control, or the config's)");
  flags.toggle("v", values.verbose, "tells seed, time, faults and trace hash at the end");
  const auto command = flags.parse_leading(arguments);
  const auto failed = [](int code, const Error& error) {
    complain("seedfall exec: {}\n", error.text());
    return static_cast<ExitCode>(code);
  };
  if (!command) return failed(kFailed, command.error());
  if (flags.help_asked()) return ExitCode::kClean;
  if (flags.given("out") && values.out.empty()) {
    return failed(kFailed, Error{ErrorCode::kUsage, "", "-out: no folder is given", ""});
  }
  const auto code = exec(values, *command);
  return code ? static_cast<ExitCode>(*code) : failed(code.error().code, code.error().error);
}

}  // namespace sf::front
