// Why a package does not build for wasip1, and what it imports that will not work although it does.
//
// The compiler names the package that fails, which is usually a library far away. What helps is the
// way from the user's own code to it, so that it can be cut: the shortest chain of imports, from
// the graph that `go list -deps` prints.
#include <algorithm>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/strings.h"
#include "front/doctor/check.h"
#include "front/doctor/try_program.h"
#include "world/go_imports.h"

namespace sf::front::doctor {
namespace {

struct Reason {
  std::string_view sign;     // in the compiler's output
  std::string_view reason;
};

// The first that fits is taken. Names are those of packages syscall and golang.org/x/sys/unix.
constexpr Reason kReasons[] = {
    {"Mmap", "uses memory maps, which wasip1 does not have"},
    {"Munmap", "uses memory maps, which wasip1 does not have"},
    {"Madvise", "uses memory maps, which wasip1 does not have"},
    {"Flock", "uses file locks, which wasip1 does not have"},
    {"F_SETLK", "uses file locks, which wasip1 does not have"},
    {"LOCK_EX", "uses file locks, which wasip1 does not have"},
    {"SysProcAttr", "starts or controls processes, which wasip1 cannot"},
    {"syscall.Kill", "starts or controls processes, which wasip1 cannot"},
    {"unix.", "uses calls of Unix that wasip1 does not have"},
    {"syscall.", "uses system calls that wasip1 does not have"},
    {"build constraints exclude all Go files",
     "has no files for wasip1: it needs cgo or another system"},
    {"undefined: ", "has no version of some functions for wasip1"},
};

constexpr std::string_view kNoModule[] = {"no required module provides", "missing go.sum entry",
                                          "updates to go.mod needed", "inconsistent vendoring"};

// Behind "# " in the compiler's output: "# example.com/x [example.com/x.test]".
std::string package_of_heading(std::string_view line) {
  line.remove_prefix(2);
  return std::string(line.substr(0, line.find(' ')));
}

std::string import_chain(const world::ImportGraph& graph, const std::string& target) {
  return join(world::shortest_chain(graph, target), " -> ");
}

Check failed_build(const std::string& package, const Error& error,
                   const Result<world::ImportGraph>& graph) {
  const Blame blame = blame_in(error.message);
  Check check{"package", Level::kProblem, error.text(), blame.fix};
  if (blame.package.empty()) {
    if (check.fix.empty()) check.fix = "see the message above";
    return check;
  }
  const std::string chain = graph ? import_chain(*graph, blame.package) : "";
  check.text = fmt::format("{} does not build for wasip1: {} {}", package, blame.package,
                           blame.reason);
  if (chain.find(" -> ") != std::string::npos) {
    check.text += fmt::format("\n  imported by way of {}", chain);
  }
  const std::size_t newline = error.message.find('\n');
  if (newline != std::string::npos) {
    constexpr std::size_t kLines = 8;
    std::size_t shown = 0;
    // Behind the compiler's output stands the advice to come here.
    const std::size_t advice = error.message.rfind('\n');
    const std::string output = error.message.substr(newline + 1, advice - newline - 1);
    for (const std::string_view line : split(output, '\n')) {
      if (shown++ == kLines) break;
      check.text += fmt::format("\n  | {}", line);
    }
  }
  const bool own = graph && graph->own.contains(blame.package);
  if (check.fix.empty()) {
    check.fix = own ? "begin the file with //go:build !wasip1, and give wasip1 a file of its own "
                      "that does without"
                    : fmt::format("import {} only in files that begin with //go:build !wasip1, or "
                                  "use a library in pure Go",
                                  blame.package);
  }
  return check;
}

struct Caveat {
  std::string_view import;
  std::string_view text;
  std::string_view fix;
};
constexpr Caveat kCaveats[] = {
    {"net", "a plain net.Listen or net.Dial does not leave its program",
     "use sim.Listen and sim.Dial for what goes to other nodes"},
    {"os/exec", "there are no child processes: starting one fails with ENOSYS",
     "leave them out where sim.Simulated() is true"},
    {"os/signal", "no signal ever arrives",
     "let the workload end the run; nothing may wait for one"},
    {"plugin", "there are no plugins", "link what is needed"},
};

// Imports of the user's own code that build and then do nothing useful.
void add_caveats(const std::string& package, const world::ImportGraph& graph,
                 std::vector<Check>& checks) {
  for (const Caveat& caveat : kCaveats) {
    std::string importer;
    bool uses_sim = false;
    for (const std::string& own : graph.own) {
      const std::vector<std::string>& imports = graph.imports.at(own);
      const auto has = [&](std::string_view name) {
        return std::find(imports.begin(), imports.end(), name) != imports.end();
      };
      if (importer.empty() && has(caveat.import)) importer = own;
      uses_sim = uses_sim || has("github.com/seedfall/seedfall/sdk/go/sim");
    }
    if (importer.empty() || (caveat.import == "net" && uses_sim)) continue;
    checks.push_back({fmt::format("package.{}", caveat.import), Level::kAdvice,
                      fmt::format("{}: {} imports {}: {}", package, importer, caveat.import,
                                  caveat.text),
                      std::string(caveat.fix)});
  }
}

}  // namespace

Blame blame_in(const std::string& output) {
  Blame blame;
  for (const std::string_view sign : kNoModule) {
    if (output.find(sign) == std::string::npos) continue;
    blame.fix = "go mod tidy";
    return blame;
  }
  constexpr std::string_view kExcluded = ": build constraints exclude all Go files";
  for (const std::string_view line : split(output, '\n')) {
    if (line.starts_with("# ")) {
      blame.package = package_of_heading(line);
      break;
    }
    const std::size_t excluded = line.find(kExcluded);
    if (excluded == std::string_view::npos) continue;
    const std::string_view before = line.substr(0, excluded);
    blame.package = std::string(before.substr(before.find_last_of(" \t") + 1));
    break;
  }
  if (blame.package.empty()) return blame;
  for (const Reason& reason : kReasons) {
    if (output.find(reason.sign) == std::string::npos) continue;
    blame.reason = std::string(reason.reason);
    return blame;
  }
  blame.reason = "does not compile";
  blame.fix = "mend what the compiler says";
  return blame;
}

std::vector<Check> check_package(const std::string& package, const Progress& progress) {
  const auto here = host::absolute_path(".");
  if (!here) {
    return {{"package", Level::kProblem, here.error().text(), "go to a folder that exists"}};
  }
  const bool is_folder = package.starts_with('.') || package.starts_with('/');
  if (is_folder && !host::is_directory(package)) {
    return {{"package", Level::kProblem, package + ": no such folder",
             "name a folder with a Go package, for example ./server"}};
  }
  progress("building " + package);
  const auto graph = world::read_imports(*here, package);
  const auto program = build_program("pkg", package, *here);
  if (!program) return {failed_build(package, program.error(), graph)};
  std::vector<Check> checks = {
      {"package", Level::kOk, fmt::format("{} builds for wasip1 and loads", package), ""}};
  if (graph) add_caveats(package, *graph, checks);
  return checks;
}

}  // namespace sf::front::doctor
