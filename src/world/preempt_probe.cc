#include "world/preempt_probe.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/host/file.h"
#include "base/strings.h"
#include "engine/compile.h"
#include "engine/rewrite.h"
#include "world/guest_build.h"
#include "world/guest_build_layout.h"
#include "world/run.h"
#include "world/world.h"

namespace sf::world {
namespace {

constexpr std::string_view kPackage = "./internal/preemptprobe";
// One preemption in 200 ticks: all code of the program meets some.
constexpr std::uint32_t kProbeRate = 5000;
constexpr std::uint64_t kSeeds = 3;

// Bytes of a wasm file, read in order; empty results at the end.
class Bytes {
 public:
  explicit Bytes(std::string_view left) : left_(left) {}
  bool at_end() const { return left_.empty(); }
  std::uint32_t number() {   // LEB128
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(take(1).empty() ? 0 : last_);
      value |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  std::string_view take(std::size_t size) {
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(taken.size());
    if (!taken.empty()) last_ = taken.back();
    return taken;
  }
  std::string_view name() { return take(number()); }

 private:
  std::string_view left_;
  char last_ = 0;
};

// WebAssembly tool conventions, "Producers section": fields of (name, values of (name, version)).
std::string language_version(Bytes fields) {
  for (std::uint32_t n = fields.number(); n > 0 && !fields.at_end(); --n) {
    const bool is_language = fields.name() == "language";
    for (std::uint32_t values = fields.number(); values > 0 && !fields.at_end(); --values) {
      const bool is_go = fields.name() == "Go";
      const std::string_view version = fields.name();
      if (is_language && is_go) return std::string(version);
    }
  }
  return "";
}

// One run of the probe; the complaint, or empty.
std::string complaint(const World& world, std::uint64_t seed) {
  RunSpec spec;
  spec.seed = seed;
  const auto result = run(world, spec);
  if (!result) return result.error().text();
  if (result->findings.empty()) return "";
  const kernel::Finding& finding = result->findings.front();
  return finding.detail.empty() ? finding.message : finding.detail.back();
}

Result<WorldConfig> config_of(const std::string& sdk, std::string_view argument,
                              std::string_view policy) {
  const std::string text = fmt::format(
      R"({{"nodes": [{{"name": "probe", "pkg": "{}", "args": ["{}"]}}],
           "cpu": {{"preempt": "{}", "preempt_rate": {}}}}})",
      kPackage, argument, policy, kProbeRate);
  SF_TRY(WorldConfig config, decode_config(text, "preempt-probe"));
  config.workloads = std::move(config.nodes);   // the run ends when it exits
  config.nodes.clear();
  config.directory = sdk;
  config.path = fmt::format("{}/{}/main.go", sdk, kPackage);
  return config;
}

// Builds the probe with this toolchain and runs it. An Error: it could not be tried.
Result<std::string> try_it(const std::string& sdk, const std::string& toolchain) {
  PrepareOptions options;
  options.go_toolchain = toolchain;
  options.trust_go = true;
  for (const auto& [argument, policy] : {std::pair("kept", "off"), std::pair("lost", "random")}) {
    SF_TRY(WorldConfig config, config_of(sdk, argument, policy));
    SF_TRY(const std::unique_ptr<World> world, World::prepare(std::move(config), options));
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const std::string found = complaint(*world, seed);
      if (!found.empty()) return fmt::format("the self-test failed ({}: {})", policy, found);
    }
  }
  return std::string();
}

// What to set GOTOOLCHAIN to. Nothing is downloaded: a version that is not here cannot be tried.
std::string toolchain_for(const std::string& sdk, const std::string& version) {
  const auto local = run_go({"env", "GOVERSION"}, sdk, {{"GOTOOLCHAIN", "local"}});
  return local && local->substr(0, local->find('\n')) == version ? "local" : version;
}

Result<std::string> answer_path(const std::string& sdk, const std::string& version) {
  SF_TRY(const std::string cache, host::cache_directory());
  SF_TRY(const std::string source,
         host::read_file(fmt::format("{}/{}/main.go", sdk, kPackage)));
  const std::string all = fmt::format("{}|{}|{}|{}", version, source,
                                      engine::engine_fingerprint(), engine::kRewriteVersion);
  return fmt::format("{}/preempt/{}.txt", cache, hash128(as_bytes(all)).hex());
}

}  // namespace

std::string go_version_of(const std::string& wasm_path) {
  const auto wasm = host::read_file(wasm_path);
  if (!wasm) return "";
  Bytes sections(*wasm);
  sections.take(8);   // magic and version
  while (!sections.at_end()) {
    const std::string_view id = sections.take(1);
    Bytes content(sections.name());
    if (id[0] == 0 && content.name() == "producers") return language_version(content);
  }
  return "";
}

std::string why_not_preemptible(const std::string& go_version,
                                const std::function<void(const std::string&)>& progress) {
  if (go_version.empty()) return "the program does not say which version of Go made it";
  const std::string sdk = find_sdk_directory();
  if (sdk.empty()) return "the self-test in the Go SDK was not found: set SEEDFALL_SDK_DIR";
  const auto path = answer_path(sdk, go_version);
  if (!path) return path.error().text();
  if (const auto known = host::read_file(*path)) return *known;
  if (progress) progress("testing preemption with " + go_version);
  const auto answer = try_it(sdk, toolchain_for(sdk, go_version));
  if (!answer) {
    return fmt::format("the self-test could not be run with {}: {}", go_version,
                       excerpt(answer.error().text(), 300));
  }
  const std::string text = answer->empty() ? "" : go_version + ": " + *answer;
  // Without a cache the next run asks again.
  static_cast<void>(host::make_directories(path->substr(0, path->rfind('/'))));
  static_cast<void>(host::write_file(*path, text));
  return text;
}

}  // namespace sf::world
