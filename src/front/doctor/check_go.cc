// The Go toolchain is tried, not only asked for its version: what seedfall relies on (wasip1, the
// texts that the overlay replaces, the layout of runtime tables and of goroutines) is no promise of
// Go's. One program of ours is built as a guest and run in a world of its own. It writes, syncs and
// reads a file, and ends with a false assertion, whose place in the report proves that Go's tables
// can be read. Preemption has a self-test of its own (world/preempt_probe.h).
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/strings.h"
#include "front/doctor/check.h"
#include "front/doctor/try_program.h"
#include "world/guest_build_layout.h"
#include "world/guest_build_overlay.h"
#include "world/preempt_probe.h"

namespace sf::front::doctor {
namespace {

constexpr int kGoOldest = 23, kGoNewest = 27;   // 1.23 to 1.27
constexpr std::string_view kInstallGoFix =
    "install Go 1.26 (https://go.dev/dl), and put its bin folder into PATH";

constexpr std::string_view kGoProbe = R"(package main

import (
	"os"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

func main() {
	f, err := os.Create("/probe")
	sim.Assert(err == nil, "create")
	_, err = f.WriteString("probe")
	sim.Assert(err == nil, "write")
	sim.Assert(f.Sync() == nil, "sync")
	text, err := os.ReadFile("/probe")
	sim.Assert(err == nil && string(text) == "probe", "read")
	done()
}

//go:noinline
func done() {
	sim.Assert(false, "probe done")
}
)";

struct GoToolchain {
  std::string version;   // "go1.26.8"
  std::string root;
};

Result<GoToolchain> ask_go(const std::string& folder) {
  SF_TRY(const Json answer, world::run_go_json({"env", "-json", "GOVERSION", "GOROOT"}, folder));
  return GoToolchain{world::string_at(answer, {"GOVERSION"}), world::string_at(answer, {"GOROOT"})};
}

Check version_check(const GoToolchain& go) {
  const GoVersion version = parse_go_version(go.version);
  if (version.major == 1 && version.minor < kGoOldest) {
    return {"go", Level::kProblem, go.version + " is too old: 1.23 is needed",
            std::string(kInstallGoFix)};
  }
  if (version.major != 1 || version.minor > kGoNewest) {
    return {"go", Level::kAdvice,
            go.version + " is newer than what this seedfall was tested with (up to 1.27)",
            "use an older Go (GOTOOLCHAIN=go1.26.8) or a newer seedfall if something fails below"};
  }
  return {"go", Level::kOk, fmt::format("{} in {}", go.version, go.root), ""};
}

Check overlay_check(const GoToolchain& go, const std::string& scratch) {
  const auto overlay = world::make_library_overlay({go.root, go.version}, scratch);
  if (!overlay) {
    return {"go.overlay", Level::kProblem, overlay.error().text(),
            "use Go 1.23 to 1.27, unmodified, or a newer seedfall"};
  }
  return {"go.overlay", Level::kOk,
          fmt::format("the overlay fits Go's library ({} files)", overlay->size()), ""};
}

// Builds the program, runs it, and compares what came of it with what it does.
Check probe_check(const std::string& folder) {
  constexpr const char* kId = "go.probe";
  const std::string scratch = folder + "/probe";
  const auto made = host::make_directories(scratch);
  const auto written = host::write_file(scratch + "/go.mod", "module probe\n\ngo 1.23\n");
  const auto source = host::write_file(scratch + "/main.go", kGoProbe);
  if (!made || !written || !source) {
    return {kId, Level::kProblem, (!made ? made : written ? source : written).error().text(),
            "make room in the temporary folder, or set TMPDIR"};
  }
  const auto found = try_program("pkg", ".", scratch);
  if (!found) {
    return {kId, Level::kProblem, "a small Go program cannot be run: " + found.error().text(),
            "see the message; `go env` and GOFLAGS may say more"};
  }
  if (found->message != "probe done") {
    return {kId, Level::kProblem,
            fmt::format("a small Go program does not do what it should: {}",
                        found->message.empty() ? "its last line was not reached" : found->message),
            "please report this, with the output of `seedfall doctor -json`"};
  }
  if (found->site.find("main.go:22 (main.done)") == std::string::npos) {
    return {kId, Level::kAdvice,
            fmt::format("Go's tables of functions and lines cannot be read: findings will not name "
                        "their place (found \"{}\")", found->site),
            "use Go 1.23 to 1.27, or a newer seedfall"};
  }
  return {kId, Level::kOk, "a Go program builds for wasip1, runs, and shows its lines", ""};
}

Check preemption_check(const GoToolchain& go, const Progress& progress) {
  const std::string why = world::why_not_preemptible(go.version, progress);
  if (why.empty()) return {"go.preemption", Level::kOk, "goroutines can be preempted", ""};
  return {"go.preemption", Level::kAdvice, "goroutines cannot be preempted: " + why,
          "use Go 1.23 to 1.27, or write \"cpu\": {\"preempt\": \"off\"}"};
}

}  // namespace

GoVersion parse_go_version(const std::string& text) {
  if (!text.starts_with("go")) return {};
  GoVersion version;
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data() + 2, end, version.major);
  if (error != std::errc() || dot == end || *dot != '.') return {};
  if (std::from_chars(dot + 1, end, version.minor).ec != std::errc()) return {};
  return version;
}

std::vector<Check> check_go(const Progress& progress) {
  const Scratch scratch;
  if (!scratch.path()) {
    return {{"go", Level::kProblem, scratch.path().error().text(), "set TMPDIR to another folder"}};
  }
  const auto go = ask_go(*scratch.path());
  if (!go) return {{"go", Level::kProblem, go.error().message, std::string(kInstallGoFix)}};
  std::vector<Check> checks = {version_check(*go)};
  if (checks.front().level == Level::kProblem) return checks;
  progress("trying " + go->version);
  checks.push_back(overlay_check(*go, *scratch.path()));
  if (checks.back().level == Level::kProblem) return checks;
  checks.push_back(probe_check(*scratch.path()));
  if (checks.back().level == Level::kProblem) return checks;
  checks.push_back(preemption_check(*go, progress));
  return checks;
}

}  // namespace sf::front::doctor
