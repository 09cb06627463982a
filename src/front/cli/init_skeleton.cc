// Two workloads. When the address of the node is known, the workload connects to it: it states that
// the node answers again once the faults have ended, which a server that cannot recover breaks.
// Otherwise it only lets time pass; the verdict then rests on what seedfall watches by itself, such
// as a program that exits after a restart. Neither knows the program's protocol, and both say so.
#include "front/cli/init_skeleton.h"

#include <algorithm>
#include <string_view>

#include "base/json.h"

namespace sf::front {
namespace {

constexpr std::string_view kHead = R"(//go:build seedfall

// Command @workload@ drives @node@ in the simulator. `seedfall init` wrote it as a first draft.
//
// The build tag keeps it out of other builds: seedfall sets it, and brings the package sim, which
// its docs/guide/sdk.md describes.
package main
)";

constexpr std::string_view kDialing = R"(
import (
	"context"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

const address = "@address@"

func main() {
	sim.Assert(answersWithin(10*time.Second), "@node@ does not answer after its first start")
	sim.SetupComplete() // no fault happens before this line

	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		err := request()
		sim.Sometimes(err == nil, "a request was answered while faults happen")
		time.Sleep(50 * time.Millisecond)
	}

	// Whatever happened, it must be possible to recover from it.
	sim.QuietFor(time.Minute)
	sim.Assert(answersWithin(30*time.Second), "@node@ does not answer after the faults have ended")
}

// request sends one request. As it is written for you it only connects: speak the protocol of
// @node@ here, remember what it has acknowledged, and sim.Assert that it is never lost.
func request() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := sim.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return c.Close()
}

// answersWithin repeats a request until it succeeds, for d at most.
func answersWithin(d time.Duration) bool {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if request() == nil {
			return true
		}
	}
	return false
}
)";

constexpr std::string_view kWaiting = R"(
import (
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// main lets @node@ run through faults and then through a time without any. seedfall itself
// reports a program that crashes, exits with an error, hangs or never stops computing.
//
// As it is written for you it does not talk to @node@. Once that listens with sim.Listen, connect
// with sim.Dial, remember what it has acknowledged, and sim.Assert that it is never lost.
func main() {
	time.Sleep(20 * time.Second)
	sim.QuietFor(10 * time.Second)
	time.Sleep(10 * time.Second)
	sim.Reachable("@node@ was left alone after 20 s of faults")
}
)";

std::string filled(std::string_view text, const Skeleton& skeleton) {
  const std::size_t slash = skeleton.workload_package.rfind('/');
  const std::string workload = skeleton.workload_package.substr(slash + 1);
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = text.find('@');
    out += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find('@', begin + 1);
    const std::string_view name = text.substr(begin + 1, end - begin - 1);
    out += name == "node" ? skeleton.node : name == "address" ? skeleton.address : workload;
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

std::string as_name(const std::string& text, const std::string& otherwise) {
  constexpr std::size_t kLongest = 63;
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string name;
  bool has_letter = false;
  for (const char c : text) {
    const bool plain = is_letter(c) || is_digit(c);
    if (name.empty() && !plain) continue;
    has_letter = has_letter || is_letter(c);
    name += plain || c == '.' || c == '_' || c == '-' ? c : '-';
  }
  name.resize(std::min(name.size(), kLongest));
  return has_letter && name != "localhost" ? name : otherwise;
}

std::string skeleton_config(const Skeleton& skeleton) {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  const std::size_t slash = skeleton.workload_package.rfind('/');
  return "{\n  \"name\": " + quoted(skeleton.world) + ",\n  \"nodes\": [\n    {\"name\": " +
         quoted(skeleton.node) + ", \"pkg\": " + quoted(skeleton.package) +
         "}\n  ],\n  \"workload\": {\"name\": " +
         quoted(as_name(skeleton.workload_package.substr(slash + 1), "workload")) +
         ", \"pkg\": " + quoted(skeleton.workload_package) +
         "},\n  \"horizon\": \"2m\",\n  \"faults\": {\n    \"crash_per_sec\": 0.3,\n"
         "    \"kill_per_sec\": 0.1,\n    \"restart_after\": \"500ms\",\n"
         "    \"torn_writes\": 0.5\n  }\n}\n";
}

std::string skeleton_workload(const Skeleton& skeleton) {
  return filled(kHead, skeleton) +
         filled(skeleton.address.empty() ? kWaiting : kDialing, skeleton);
}

}  // namespace sf::front
