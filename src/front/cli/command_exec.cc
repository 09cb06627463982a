// `seedfall exec`: one wasip1 program on one simulated node, as if it ran here.
#include <filesystem>
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/host/streams.h"
#include "base/strings.h"
#include "front/cli/cli.h"
#include "front/cli/complain.h"
#include "front/cli/exec_environment.h"
#include "front/cli/exec_folders.h"
#include "front/cli/exec_results.h"
#include "front/cli/fault_words.h"
#include "front/cli/flags.h"
#include "front/cli/output.h"
#include "world/exec_config.h"
#include "world/host_layer.h"
#include "world/run.h"

namespace sf::front {
namespace {

// Our own failures, numbered as env(1) does; what a shell reports for a program that was aborted;
// and what timeout(1) returns.
constexpr int kFailed = 125, kNotExecutable = 126, kNotFound = 127;
constexpr int kAborted = 128 + 6, kCutShort = 124;

// So often a program may be restarted by faults before its run is called endless: where they come
// faster than it needs to its end, there would be none. A restart takes some milliseconds here.
constexpr std::uint64_t kRestartsMax = 1000;

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

// The file to run: as it is given, also when that is a name without a slash.
Exec<std::string> find_program(const std::string& path) {
  const auto refused = [&path](int code, std::string what) {
    return failure(code, Error{ErrorCode::kCannotRun, path.empty() ? "''" : path,
                               std::move(what), ""});
  };
  if (!host::exists(path)) return refused(kNotFound, "no such file");
  if (host::is_directory(path)) return refused(kNotExecutable, "is a folder");
  std::error_code error;   // a pipe would be waited for
  if (!std::filesystem::is_regular_file(path, error)) {
    return refused(kNotExecutable, "is not a regular file");
  }
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
  node.program_name = command.front();
  node.args.assign(command.begin() + 1, command.end());
  node.memory_bytes = world::exec_defaults::kMemoryBytes;
  node.disk = settings.disk;
  node.folders = folders.folders;
  node.env = {{"PWD", folders.working_directory}};
  SF_TRY(Environment given, exec_environment(flags.environment));
  for (auto& entry : given) node.env.push_back(std::move(entry));
  settings.world.name = "exec";
  settings.world.solo = true;
  settings.world.nodes = {std::move(node)};
  return std::move(settings.world);
}

// Words on stderr that may quote the program: nothing of it acts on a terminal.
template <class... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  complain("{}\n", printable_lines(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

// The kernel speaks of a world with a workload.
std::string message_of(const kernel::Finding& finding, const world::WorldConfig& config) {
  if (finding.kind != kernel::FindingKind::kHorizon) return finding.message;
  return fmt::format("the horizon ({}) came before the program's end",
                     format_duration(config.horizon));
}

// What the program came to, as an exit code; why, on stderr.
int outcome(const kernel::Room& room, const world::WorldConfig& config,
            const std::string& program) {
  for (const kernel::Finding& finding : room.findings()) {
    tell("seedfall exec: {}{}{} at t={}", message_of(finding, config),
         finding.site.empty() ? "" : " at ", finding.site,
         format_duration(finding.time - SimTime::zero()));
    const bool says_itself = finding.kind == kernel::FindingKind::kAssertion ||
                             finding.kind == kernel::FindingKind::kOutput;
    if (!says_itself) {
      for (const std::string& line : finding.detail) tell("  {}", line);
    }
    return finding.kind == kernel::FindingKind::kAssertion ? kAborted : kCutShort;
  }
  const kernel::GuestExit& exit = *room.solo_exit();
  if (exit.trap.empty()) return exit.code & 0xff;   // as wait(2) would tell it
  tell("seedfall exec: {} trapped: {}", program, exit.trap);
  for (const std::string& line : exit.stack) tell("  {}", line);
  return kAborted;
}

// False: faults restarted the program again and again before its end.
bool came_to_an_end(world::Run& run) {
  constexpr Duration kStep = seconds(1);
  for (SimTime until = SimTime::zero() + kStep; run.advance(until); until += kStep) {
    if (run.room().evidence().restarts >= kRestartsMax) return false;
  }
  return true;
}

Exec<int> exec(const ExecFlags& flags, const std::vector<std::string>& command) {
  const auto ours = [](Error error) { return failure(kFailed, std::move(error)); };
  if (command.empty()) {
    return ours(Error{ErrorCode::kUsage, "", "no program is given",
                      "for example `seedfall exec prog.wasm ARGS…`"});
  }
  SF_TRY(const std::string program, find_program(command.front()));
  // Where compiled programs are kept: a fault of the host, not of this program.
  if (const auto cache = host::cache_directory(); !cache) return ours(cache.error());
  auto config = config_of(flags, command, program);
  if (!config) return ours(config.error());
  if (!flags.out.empty()) {
    const auto ready = world::prepare_save_target(flags.out, config->nodes.front().folders);
    if (!ready) return ours(ready.error());
  }
  auto world = world::World::prepare(*std::move(config), {});
  if (!world) return failure(kNotExecutable, world.error());
  // What the defaults could not have here is no matter of a program that only wants to run.
  if (flags.verbose || !flags.config.empty()) {
    for (const std::string& warning : (*world)->warnings()) {
      tell("seedfall exec: warning: {}", warning);
    }
  }
  HostTerminal terminal;
  world::RunSpec spec;
  spec.seed = flags.seed;
  spec.terminal = &terminal;
  trace::HashSink trace;
  auto run = world::Run::start(**world, spec, trace);
  if (!run) return ours(run.error());
  if (!flags.config.empty() && !came_to_an_end(**run)) {   // without a config nothing fails
    tell("seedfall exec: {} restarts by faults before the program's end; lower crash_per_sec or "
         "kill_per_sec in {}", with_thousands(kRestartsMax), flags.config);
    return kCutShort;
  }
  const auto result = (*run)->finish();
  if (!result) return ours(result.error());
  kernel::Room& room = (*run)->room();
  const int code = outcome(room, (*world)->config(), command.front());
  if (flags.verbose) {
    const std::string faults = describe_fault_list(result->faults, 100, FaultsOf::kWholeRun);
    complain("{}seedfall exec: seed {}, ended at t={}, {} steps, trace hash {:016x}\n", faults,
             flags.seed, format_duration(result->end_time - SimTime::zero()),
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
               "shows only -dir folders; else also the project around here, GOROOT and "
               "the temporary folder");
  flags.text("c", values.config, "a config with faults, disk, network, cpu, limits; no nodes");
  flags.text("profile", values.profile, "the disk's profile (default: control, or the config's)");
  flags.toggle("v", values.verbose, "tells seed, time, faults and trace hash at the end");
  const auto command = flags.parse_leading(arguments);
  const auto failed = [](int code, Error error) {
    if (error.where == "exec") error.where.clear();   // the command's name stands there already
    tell("seedfall exec: {}", error.text());
    return static_cast<ExitCode>(code);
  };
  if (!command) return failed(kFailed, command.error());
  if (flags.help_asked()) return ExitCode::kClean;
  const auto code = exec(values, *command);
  return code ? static_cast<ExitCode>(*code) : failed(code.error().code, code.error().error);
}

}  // namespace sf::front
