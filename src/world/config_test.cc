#include "world/config.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/json.h"
#include "base/strings.h"
#include "world/config_defaults.h"
#include "world/config_schema.h"
#include "world/key_table.h"

namespace sf::world {
namespace {

using testing::HasSubstr;

constexpr std::string_view kNodes = R"("nodes": [{"name": "server", "pkg": "./server"}])";

std::string with(std::string_view more) { return fmt::format("{{{}, {}}}", kNodes, more); }
std::string with_node(std::string_view more) {
  return fmt::format(R"({{"nodes": [{{"name": "server", "pkg": "./server", {}}}]}})", more);
}

WorldConfig decoded(std::string_view text) {
  auto config = decode_config(text, "dir/seedfall.json");
  EXPECT_TRUE(config) << (config ? "" : config.error().text());
  return config ? *config : WorldConfig{};
}

std::string error_of(std::string_view text) {
  const auto config = decode_config(text, "seedfall.json");
  if (config) return "no error";
  EXPECT_EQ(config.error().code, ErrorCode::kUsage);
  return config.error().text();
}
std::string error_with(std::string_view more) { return error_of(with(more)); }
std::string error_in_node(std::string_view more) { return error_of(with_node(more)); }

// The error without its "seedfall.json:line:column: ".
std::string short_error(const std::string& more) {
  const std::string text = error_with(more);
  const auto dollar = text.find('$');
  return dollar == std::string::npos ? text : text.substr(dollar);
}

TEST(Config, AMemberCalledWithTwoSlashesIsAComment) {
  EXPECT_EQ(error_with(R"("//": {"any": ["thing"]}, "faults": {"//": "a comment"})"), "no error");
  EXPECT_EQ(error_in_node(R"("//": 1, "disk": {"//": null})"), "no error");
  EXPECT_THAT(error_with(R"("///": 1)"), HasSubstr("unknown key"));
}

TEST(Config, SmallestHasAllDefaults) {
  const WorldConfig config = decoded(fmt::format("{{{}}}", kNodes));
  EXPECT_EQ(config.name, "seedfall");
  ASSERT_EQ(config.nodes.size(), 1U);
  EXPECT_EQ(config.nodes[0].name, "server");
  EXPECT_EQ(config.nodes[0].source, "./server");
  EXPECT_EQ(config.nodes[0].source_place, "dir/seedfall.json:1:38: $.nodes[0].pkg");
  EXPECT_EQ(config.nodes[0].memory_bytes, 256ULL << 20);
  EXPECT_FALSE(config.nodes[0].supervise);
  EXPECT_EQ(config.nodes[0].disk.profile, DiskProfile::kInOrder);
  EXPECT_EQ(config.nodes[0].disk.tear, TearUnit::kByte);
  EXPECT_EQ(config.nodes[0].disk.sector_bytes, 512U);
  EXPECT_EQ(config.nodes[0].disk.fsync, defaults::kFsync);
  EXPECT_EQ(config.nodes[0].disk.op, (Latency{}));
  EXPECT_EQ(config.nodes[0].disk.capacity_bytes, 1ULL << 30);
  EXPECT_TRUE(config.workloads.empty());
  EXPECT_EQ(config.horizon, seconds(60));
  EXPECT_FALSE(config.horizon_ok);
  EXPECT_EQ(config.network.latency,
            (Latency{LatencyKind::kUniform, microseconds(200), milliseconds(1)}));
  EXPECT_EQ(config.cpu.slice, milliseconds(1));
  EXPECT_EQ(config.cpu.ns_per_1000_ticks, 4000);
  EXPECT_EQ(config.cpu.host_call, nanoseconds(200));
  EXPECT_EQ(config.cpu.clock_read, nanoseconds(20));
  EXPECT_EQ(config.cpu.preempt, PreemptPolicy::kRandom);
  EXPECT_EQ(config.cpu.preempt_rate, 50U);
  EXPECT_EQ(config.faults, (FaultConfig{.restart_after = milliseconds(500)}));
  EXPECT_EQ(config.limits.steps, 20'000'000U);
  EXPECT_EQ(config.limits.trace_bytes, 256ULL << 20);
  EXPECT_EQ(config.limits.open_files, 1024U);
  EXPECT_EQ(config.limits.output_bytes, 8ULL << 20);
  EXPECT_EQ(config.limits.events_per_instant, 100'000U);
  EXPECT_EQ(config.limits.spin, seconds(5));
}

// A text for a default as it would stand in the file.
std::string literal(const Key& key) {
  switch (key.type) {
    case KeyType::kBool:
    case KeyType::kInteger:
    case KeyType::kRate:
    case KeyType::kOdds:
    case KeyType::kOddsOrBool:
    case KeyType::kTexts:
    case KeyType::kEnvironment: return std::string(key.default_text);
    default: return fmt::format("\"{}\"", key.default_text);
  }
}

// Goal: the defaults that the reference page prints are the ones that are used.
// Method: write each of them into a config; nothing may change.
TEST(Config, DefaultsOfTheTableAreTheDefaultsInUse) {
  const WorldConfig plain = decoded(with_node(R"("args": [])"));
  int compared = 0;
  for (const Key& key : key_table()) {
    if (key.default_text.empty() || !key.built()) continue;
    const std::string member = fmt::format("\"{}\": {}", key.name, literal(key));
    const std::string pattern = path_pattern(key);
    const auto dot = pattern.find('.');
    std::string text;
    if (key.scope == Scope::kNode) text = with_node(member);
    else if (dot == std::string::npos) text = with(member);
    else text = with(fmt::format("\"{}\": {{{}}}", pattern.substr(0, dot), member));
    EXPECT_EQ(decoded(text), plain) << text;
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

TEST(Config, EverythingCanBeSaid) {
  const WorldConfig config = decoded(R"({
    // comments are fine
    "$schema": "./seedfall.schema.json",
    "name": "torn-tail",
    "nodes": [{"name": "db", "pkg": "./server", "count": 3, "args": ["-a", "b"],
               "env": {"Z": "1", "A": ""}, "supervise": false, "memory": "64MiB",
               "disk": {"tear": "page"}, "clock_offset": "-1.5s", "drift_ppm": -200,
               "files": "./seed"},
              {"name": "proxy", "wasm": "proxy.wasm", "memory": 1048576}],
    "workload": [{"name": "w1", "pkg": "./w"}, {"name": "w2", "pkg": "./w"}],
    "horizon": "2m", "horizon_ok": true, "supervise": true,
    "disk": {"profile": "scc", "sector": 4096, "fsync": "1ms..2ms", "op": "10us",
             "capacity": "64MB"},
    "network": {"latency": "lognormal 1ms 0.5"},
    "cpu": {"preempt": "off", "slice": "500us", "ns_per_1000_ticks": 1000, "host_call_ns": 0},
    "faults": {"crash_per_sec": 0.5, "crash_on_io": 0.25, "kill_per_sec": 3, "restart_after": "1s",
               "torn_writes": true, "partition_per_sec": 0.1, "from": "1s", "until": "30s"},
    "limits": {"steps": 5, "trace_bytes": "1MiB", "spin": "1s"}
  })");
  EXPECT_EQ(config.name, "torn-tail");
  ASSERT_EQ(config.nodes.size(), 4U);
  EXPECT_EQ(config.nodes[2].name, "db-3");
  EXPECT_EQ(config.nodes[0].args, (std::vector<std::string>{"-a", "b"}));
  EXPECT_EQ(config.nodes[0].env[0].first, "Z");
  EXPECT_FALSE(config.nodes[0].supervise);
  EXPECT_TRUE(config.nodes[3].supervise);
  EXPECT_EQ(config.nodes[0].clock_offset, milliseconds(-1500));
  EXPECT_EQ(config.nodes[0].drift_ppm, -200);
  EXPECT_EQ(config.nodes[0].files, "./seed");
  EXPECT_EQ(config.nodes[0].disk.profile, DiskProfile::kScc);
  EXPECT_EQ(config.nodes[0].disk.tear, TearUnit::kPage);
  EXPECT_EQ(config.nodes[3].disk.tear, TearUnit::kSector);
  EXPECT_EQ(config.nodes[3].disk.sector_bytes, 4096U);
  EXPECT_EQ(config.nodes[3].disk.fsync,
            (Latency{LatencyKind::kUniform, milliseconds(1), milliseconds(2)}));
  EXPECT_EQ(config.nodes[3].disk.capacity_bytes, 64'000'000U);
  EXPECT_EQ(config.nodes[3].guest, GuestKind::kWasmFile);
  EXPECT_EQ(config.workloads.size(), 2U);
  EXPECT_EQ(config.network.latency,
            (Latency{LatencyKind::kLogNormal, milliseconds(1), milliseconds(100), 50}));
  EXPECT_EQ(config.cpu.host_call, Duration(0));
  EXPECT_EQ(config.faults.crash.mean_gap, seconds(2));
  EXPECT_EQ(config.faults.kill.mean_gap, nanoseconds(333'333'333));
  EXPECT_EQ(config.faults.crash_on_io, Odds::ratio(1, 4));
  EXPECT_EQ(config.faults.torn_writes, Odds::always());
  EXPECT_EQ(config.faults.from.ns(), 1'000'000'000);
  EXPECT_EQ(config.faults.until.ns(), 30'000'000'000);
  EXPECT_EQ(config.limits.steps, 5U);
}

TEST(Config, UnknownKeysNamePlaceAndNearestKey) {
  EXPECT_EQ(
      error_of("{\n  \"nodes\": [{\"name\": \"s\", \"pkg\": \"./s\"}],\n  \"faults\": {\n"
               "      \"crash_per_second\": 1\n  }\n}"),
      "seedfall.json:4:7: $.faults.crash_per_second: unknown key; did you mean crash_per_sec?");
  EXPECT_EQ(short_error(R"("crash_per_sec": 1)"),
            "$.crash_per_sec: unknown key; did you mean faults.crash_per_sec?");
  EXPECT_EQ(short_error(R"("faults": {"crashPerSec": 1})"),
            "$.faults.crashPerSec: unknown key; did you mean crash_per_sec?");
  EXPECT_EQ(short_error(R"("banana": 1)"), "$.banana: unknown key");
  EXPECT_EQ(short_error(R"("a\nb": 1)"), "$.a\\nb: unknown key");
  EXPECT_THAT(error_in_node(R"("pkgs": "./x")"),
              HasSubstr("$.nodes[0].pkgs: unknown key; did you mean pkg?"));
}

TEST(Config, KeysOfLaterVersionsAreNotUnknown) {
  EXPECT_EQ(short_error(R"("faults": {"pause_per_sec": 0.1})"),
            "$.faults.pause_per_sec: not built yet: pause_per_sec comes with a later version");
  EXPECT_EQ(short_error(R"("faults": {"udp_loss": 0.1})"),
            "$.faults.udp_loss: not built yet: udp_loss comes with a later version");
  EXPECT_EQ(short_error(R"("disk": {"profile": "xfs"})"),
            "$.disk.profile: not built yet: xfs comes with a later version; "
            "built so far: control, scc, in-order, strict-posix");
  for (const char* text :
       {R"("net_overlay": true)", R"("swarm": {"x": 1})", R"("budget": {})",
        R"("check": {"nonsense": 1})", R"("antithesis": "auto")", R"("network": {"per_link": []})",
        R"("network": {"bandwidth": "1MB"})",
        R"("faults": {"workload": true})"}) {
    EXPECT_THAT(short_error(text), HasSubstr("not built yet")) << text;
  }
  for (const char* text : {R"("after": [])", R"("rust": "x")", R"("upgrade": {})"}) {
    EXPECT_THAT(error_in_node(text), HasSubstr("not built yet")) << text;
  }
}

TEST(Config, DiskSwitchesAreDecoded) {
  const auto disk_of = [](const std::string& keys) {
    const auto config = decode_config(with(R"("disk": {)" + keys + "}"), "seedfall.json");
    EXPECT_TRUE(config.has_value()) << config.error().text();
    return config->nodes[0].disk;
  };
  const DiskConfig strict = disk_of(R"("profile": "strict-posix")");
  EXPECT_EQ(strict.profile, DiskProfile::kStrictPosix);
  EXPECT_EQ(strict.tear, TearUnit::kSector);
  EXPECT_EQ(disk_of(R"("strict_posix": true)"), strict);
  EXPECT_EQ(disk_of(R"("strict_posix": false)").profile, DiskProfile::kInOrder);
  EXPECT_EQ(disk_of(R"("dirents": "strict")").dirents, Dirents::kStrict);
  EXPECT_EQ(disk_of(R"("dirents": "strict")").tear, TearUnit::kByte);
  EXPECT_EQ(disk_of(R"("prefix_scope": "file")").prefix_scope, PrefixScope::kFile);
  EXPECT_EQ(disk_of(R"("prefix_scope": "file")").tear, TearUnit::kSector);
  EXPECT_EQ(disk_of(R"("sector": 4096)").tear, TearUnit::kSector);
}

TEST(Config, DisksThatCannotBeAreRefusedWithTheReason) {
  EXPECT_EQ(short_error(R"("disk": {"profile": "strict-posix", "tear": "byte"})"),
            "$.disk.tear: a tear by byte needs one order of all writes, and strict-posix keeps "
            "none; use sector or page");
  EXPECT_EQ(short_error(R"("disk": {"prefix_scope": "file", "tear": "byte"})"),
            "$.disk.tear: a tear by byte needs one order of all writes, and prefix_scope file has "
            "one per file; use sector or page");
  EXPECT_EQ(short_error(R"("disk": {"sector": 4096, "tear": "byte"})"),
            "$.disk.tear: a drive that writes 4096 bytes as one does not tear inside them; use "
            "page");
  EXPECT_EQ(short_error(R"("disk": {"sector": 4096, "tear": "sector"})"),
            "$.disk.tear: a sector of 4096 bytes is a whole page: nothing tears; use page, or "
            "sector 512");
  EXPECT_EQ(short_error(R"("disk": {"profile": "scc", "prefix_scope": "file"})"),
            "$.disk.prefix_scope: prefix_scope is a switch of the profile in-order; leave it out, "
            "or use in-order");
  EXPECT_EQ(short_error(R"("disk": {"profile": "control", "dirents": "strict"})"),
            "$.disk.dirents: under control and scc a call that returned is never lost, synced or "
            "not; leave it out, or use in-order or strict-posix");
  EXPECT_EQ(short_error(R"("disk": {"profile": "strict-posix", "dirents": "implied"})"),
            "$.disk.dirents: under strict-posix a file's name needs its directory's sync; leave it "
            "out");
  EXPECT_EQ(short_error(R"("disk": {"profile": "scc", "strict_posix": true})"),
            "$.disk.strict_posix: strict_posix is true and profile names another one; give one of "
            "the two");
  EXPECT_THAT(error_in_node(R"("disk": {"strict_posix": true, "tear": "byte"})"),
              HasSubstr("$.nodes[0].disk.tear: a tear by byte needs one order of all writes"));
}

TEST(Config, LaterKeysThatAskForNothingAreAccepted) {
  EXPECT_EQ(error_with(R"("net_overlay": false, "swarm": false, "antithesis": "off",
                          "faults": {"udp_loss": 0, "reset_per_sec": 0.0, "workload": false},
                          "disk": {"strict_posix": false, "dirents": "implied"})"),
            "no error");
}

TEST(Config, WrongFormsSayWhatWasExpectedAndFound) {
  EXPECT_EQ(short_error(R"("horizon": 60)"),
            "$.horizon: expected a duration such as \"250ms\", found 60; write \"60s\" if seconds "
            "are meant");
  EXPECT_EQ(short_error(R"("horizon": "60")"),
            "$.horizon: expected a duration such as \"250ms\", found \"60\"");
  EXPECT_EQ(short_error(R"("horizon": null)"),
            "$.horizon: expected a duration such as \"250ms\", found null");
  EXPECT_EQ(short_error(R"("horizon_ok": "yes")"),
            "$.horizon_ok: expected true or false, found \"yes\"");
  EXPECT_EQ(short_error(R"("name": ["x"])"), "$.name: expected a string, found a list");
  EXPECT_EQ(short_error(R"("faults": [])"), "$.faults: expected an object, found a list");
  EXPECT_EQ(
      short_error(R"("faults": {"crash_per_sec": "0.5"})"),
      "$.faults.crash_per_sec: expected a number of events per simulated second, such as 0.5, "
      "found \"0.5\"");
  EXPECT_EQ(short_error(R"("faults": {"crash_on_io": true})"),
            "$.faults.crash_on_io: expected odds from 0 to 1, such as 0.01, found true");
  EXPECT_EQ(short_error(R"("faults": {"torn_writes": "often"})"),
            "$.faults.torn_writes: expected odds from 0 to 1, true or false, found \"often\"");
  EXPECT_EQ(short_error(R"("disk": {"profile": "in_order"})"),
            "$.disk.profile: expected one of control, scc, in-order, strict-posix, found "
            "\"in_order\"; did you mean in-order?");
  EXPECT_EQ(short_error(R"("disk": {"sector": 1024})"),
            "$.disk.sector: expected 512 or 4096, found 1024");
  EXPECT_EQ(short_error(R"("disk": {"capacity": "lots"})"),
            "$.disk.capacity: expected a size such as \"64MiB\", found \"lots\"");
  EXPECT_THAT(short_error(R"("network": {"latency": 2})"),
              HasSubstr("expected a latency such as \"2ms\", \"0.1ms..1ms\", \"exp 2ms\" or "
                        "\"lognormal 1ms 0.5\", found 2; write \"2s\" if seconds are meant"));
  EXPECT_EQ(short_error(R"("workload": "./client")"),
            "$.workload: expected a list of objects, found \"./client\"");
  EXPECT_THAT(error_in_node(R"("args": ["-n", 3])"),
              HasSubstr("$.nodes[0].args: expected a list of strings, found 3; put it in quotes"));
  EXPECT_THAT(error_in_node(R"("env": {"A": 1})"),
              HasSubstr("expected an object of strings, found 1"));
  EXPECT_THAT(error_in_node(R"("env": {"A=B": "1"})"), HasSubstr("\"A=B\" is not a variable name"));
  EXPECT_THAT(error_in_node(R"("args": ["a\u0000b"])"), HasSubstr("holds a zero byte"));
  EXPECT_EQ(error_of("[]"), "seedfall.json:1:1: $: expected an object, found a list");
}

TEST(Config, AbsurdValuesAreRefusedWithTheReason) {
  EXPECT_EQ(short_error(R"("faults": {"crash_per_sec": -1})"),
            "$.faults.crash_per_sec: a rate cannot be negative, found -1");
  EXPECT_EQ(
      short_error(R"("faults": {"crash_per_sec": 1000.5})"),
      "$.faults.crash_per_sec: 1000.5 per simulated second is more than the 1000 that make sense");
  EXPECT_EQ(short_error(R"("faults": {"crash_per_sec": 1e-12})"),
            "$.faults.crash_per_sec: 1e-12 per simulated second never happens in a run; use 0 to "
            "turn it off");
  EXPECT_EQ(short_error(R"("faults": {"crash_on_io": 1.5})"),
            "$.faults.crash_on_io: odds go from 0 to 1, found 1.5");
  EXPECT_EQ(short_error(R"("faults": {"crash_on_io": -0.1})"),
            "$.faults.crash_on_io: odds go from 0 to 1, found -0.1");
  EXPECT_EQ(short_error(R"("horizon": "0s")"), "$.horizon: must be more than zero");
  EXPECT_EQ(short_error(R"("horizon": "-5s")"), "$.horizon: cannot be negative, found \"-5s\"");
  EXPECT_EQ(short_error(R"("horizon": "99999999h")"),
            "$.horizon: expected a duration such as \"250ms\", found \"99999999h\"");
  EXPECT_EQ(short_error(R"("horizon": "100000h")"),
            "$.horizon: 100000h0m0s is above the greatest, 8766h0m0s");
  EXPECT_EQ(short_error(R"("network": {"latency": "9us"})"),
            "$.network.latency: 9\u00B5s is below the least, 10\u00B5s");
  EXPECT_EQ(short_error(R"("network": {"latency": "1ms..2h"})"),
            "$.network.latency: 2h0m0s is above the greatest, 1h0m0s");
  EXPECT_EQ(short_error(R"("network": {"latency": "2ms..1ms"})"),
            "$.network.latency: 2ms is more than 1ms; the lesser value comes first");
  EXPECT_EQ(short_error(R"("network": {"latency": "exp 2ms cap 1ms"})"),
            "$.network.latency: 2ms is more than 1ms; the cap must not be below it");
  EXPECT_EQ(short_error(R"("faults": {"until": "1s", "from": "2s"})"),
            "$.faults.until: faults end before they begin; until must not be less than from");
  EXPECT_THAT(error_in_node(R"("memory": "1KiB")"),
              HasSubstr("$.nodes[0].memory: \"1KiB\" is outside 1MiB to 4GiB"));
  EXPECT_THAT(error_in_node(R"("memory": 4294967297)"),
              HasSubstr("4294967297 is outside 1MiB to 4GiB"));
  EXPECT_THAT(error_in_node(R"("count": 0)"), HasSubstr("$.nodes[0].count: 0 is outside 1 to 100"));
  EXPECT_THAT(error_in_node(R"("count": 18446744073709551615)"),
              HasSubstr("18446744073709551615 is outside 1 to 100"));
  EXPECT_THAT(error_in_node(R"("count": 1.0)"), HasSubstr("expected an integer, found 1.0"));
}

TEST(Config, NodesMustBeWhole) {
  EXPECT_THAT(error_of("{}"), HasSubstr("1:1: $: nodes is missing; for example"));
  EXPECT_THAT(error_of(R"({"nodes": []})"), HasSubstr("$.nodes: is empty; for example"));
  EXPECT_THAT(error_of(R"({"nodes": {}})"),
              HasSubstr("$.nodes: expected a list of objects, found an object"));
  EXPECT_THAT(error_of(R"({"nodes": ["server"]})"),
              HasSubstr("$.nodes[0]: expected an object, found \"server\""));
  EXPECT_THAT(error_of(R"({"nodes": [{"pkg": "./s"}]})"), HasSubstr("$.nodes[0]: name is missing"));
  EXPECT_EQ(error_of(R"({"nodes": [{"name": "s"}]})"),
            "seedfall.json:1:12: $.nodes[0]: no program: pkg is missing; for example \"pkg\": "
            "\"./server\"; or give c or wasm");
  EXPECT_EQ(error_of(R"({"nodes": [{"name": "s", "wasm": "w", "pkg": "./s"}]})"),
            "seedfall.json:1:39: $.nodes[0].pkg: a node runs one program, but wasm and pkg are "
            "both given; keep one");
  EXPECT_THAT(error_of(R"({"nodes": [{"name": "s", "pkg": ""}]})"),
              HasSubstr("$.nodes[0].pkg: is empty"));
  EXPECT_THAT(error_of(R"({"nodes": [{"name": "s", "pkg": "-o=x"}]})"),
              HasSubstr("begins with '-'"));
}

TEST(Config, CProgramsNameSourcesAndFlags) {
  const WorldConfig config = decoded(
      R"({"nodes": [{"name": "s", "c": {"sources": ["a.c", "lib/*.cc"], "flags": ["-Iinc"]}}],
          "workload": {"name": "w", "c": {"sources": ["w.cpp"]}}})");
  ASSERT_EQ(config.nodes.size(), 1U);
  const NodeConfig& node = config.nodes[0];
  EXPECT_EQ(node.guest, GuestKind::kCSources);
  EXPECT_EQ(node.source, "a.c lib/*.cc");
  EXPECT_EQ(node.source_place, "dir/seedfall.json:1:31: $.nodes[0].c");
  EXPECT_EQ(node.c.files, (std::vector<std::string>{"a.c", "lib/*.cc"}));
  EXPECT_EQ(node.c.file_places[1], "dir/seedfall.json:1:51: $.nodes[0].c.sources[1]");
  EXPECT_EQ(node.c.flags, (std::vector<std::string>{"-Iinc"}));
  EXPECT_EQ(config.workloads[0].c.files, (std::vector<std::string>{"w.cpp"}));
}

std::string error_of_c(std::string_view c) {
  const std::string error =
      error_of(fmt::format(R"({{"nodes": [{{"name": "s", "c": {}}}]}})", c));
  return error.substr(std::min(error.size(), error.find('$')));
}

TEST(Config, CProgramsThatCannotBeBuiltAreRefusedInPlace) {
  EXPECT_EQ(error_of_c(R"("x.c")"), "$.nodes[0].c: expected an object, found \"x.c\"");
  EXPECT_EQ(error_of_c("{}"),
            "$.nodes[0].c: sources is missing; for example \"sources\": [\"server.c\"]");
  EXPECT_EQ(error_of_c(R"({"sources": []})"),
            "$.nodes[0].c.sources: is empty; for example [\"server.c\"]");
  EXPECT_EQ(error_of_c(R"({"sources": "a.c"})"),
            "$.nodes[0].c.sources: expected a list of strings, found \"a.c\"");
  EXPECT_EQ(error_of_c(R"({"sources": ["a.c", "a.h"]})"),
            "$.nodes[0].c.sources[1]: a.h is no C or C++ source; they end in .c, or in .cc, .cpp, "
            ".cxx or .C; headers are found by -I in flags");
  EXPECT_EQ(error_of_c(R"({"sources": ["a.c"], "flags": ["-O1", "-oa.wasm"]})"),
            "$.nodes[0].c.flags[1]: -oa.wasm names an output, which seedfall chooses");
  EXPECT_EQ(error_of_c(R"({"sources": ["a.c"], "flag": ["-O1"]})"),
            "$.nodes[0].c.flag: unknown key; did you mean flags?");
  EXPECT_THAT(error_in_node(R"("c": {"sources": ["a.c"]})"),
              HasSubstr("a node runs one program, but pkg and c are both given; keep one"));
}

std::string error_of_name(const std::string& name) {
  return error_of(fmt::format(R"({{"nodes": [{{"name": {}, "pkg": "./s"}}]}})", Json(name).dump()));
}

TEST(Config, NamesAreHostNames) {
  for (const char* good : {"a", "Server-1", "0a", "a.b_c-d"})
    EXPECT_EQ(error_of_name(good), "no error");
  EXPECT_EQ(error_of_name(std::string(63, 'a')), "no error");
  EXPECT_THAT(error_of_name(std::string(64, 'a')), HasSubstr("is not a node name"));
  for (const char* bad : {"", "-a", ".a", "a b", "a/b", "a:1", "\u00E4"}) {
    EXPECT_THAT(error_of_name(bad), HasSubstr("is not a node name; use at most 63 letters")) << bad;
  }
  EXPECT_THAT(error_of_name("10.0.0.1"), HasSubstr("would read as an address"));
  EXPECT_THAT(error_of_name("LocalHost"), HasSubstr("every node's own name"));
  EXPECT_THAT(error_with(R"("workload": {"name": "SERVER", "pkg": "./w"})"),
              HasSubstr("$.workload.name: a second node is named SERVER"));
  EXPECT_THAT(
      error_of(
          R"({"nodes": [{"name": "a", "pkg": "./s", "count": 2}, {"name": "a-2", "pkg": "./s"}]})"),
      HasSubstr("$.nodes[1].name: a second node is named a-2"));
  EXPECT_THAT(
      error_of(
          R"({"nodes": [{"name": "a", "pkg": "./s", "count": 100},
                         {"name": "b", "pkg": "./s", "count": 100},
                                     {"name": "c", "pkg": "./s", "count": 100}]})"),
      HasSubstr("$.nodes[2].name: more than 250 nodes and workloads"));
  EXPECT_THAT(error_of(fmt::format(R"({{"nodes": [{{"name": "{}", "pkg": "./s", "count": 2}}]}})",
                                   std::string(62, 'a'))),
              HasSubstr("longer than 63 characters; count adds a number to the name"));
}

TEST(Config, TheWorldsNameFitsIntoFileNames) {
  EXPECT_EQ(decoded(with(R"("name": "torn tail, \u00E4")")).name, "torn tail, \u00E4");
  for (const char* bad : {R"("")", R"("a/b")", R"("..")", R"("a\nb")"}) {
    EXPECT_THAT(error_with(fmt::format("\"name\": {}", bad)),
                HasSubstr("cannot be part of a file name"))
        << bad;
  }
}

TEST(Config, FirstErrorInTheFileIsReported) {
  EXPECT_THAT(error_of(R"({"horizon": 1, "nodez": 2})"), HasSubstr("$.horizon"));
  EXPECT_THAT(error_of(R"({"nodez": 2, "horizon": 1})"), HasSubstr("$.nodez"));
}

TEST(Config, HostileTextsAreRefused) {
  EXPECT_THAT(error_of(std::string(100'000, '[')), HasSubstr("nested deeper than 16 levels"));
  EXPECT_THAT(error_of(std::string(2 << 20, ' ')),
              HasSubstr("2MiB is more than the 1MiB that are read"));
  EXPECT_THAT(error_of(R"({"nodes": [], "nodes": []})"), HasSubstr("key nodes stands twice"));
  EXPECT_THAT(error_of(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(error_with("\"" + std::string(500'000, 'k') + "\": 1"), HasSubstr("unknown key"));
  EXPECT_THAT(error_with(R"("faults": {"crash_per_sec": 1e999})"), HasSubstr("number overflow"));
  EXPECT_THAT(error_with(R"("faults": {"crash_per_sec": NaN})"), HasSubstr("not valid JSON"));
}

TEST(Latency, CapsDefaultToAMultiple) {
  const auto latency = [](const std::string& text) {
    return decoded(with(fmt::format(R"("network": {{"latency": "{}"}})", text))).network.latency;
  };
  EXPECT_EQ(latency("2ms"), (Latency{LatencyKind::kFixed, milliseconds(2), milliseconds(2)}));
  EXPECT_EQ(latency("exp 2ms"),
            (Latency{LatencyKind::kExponential, milliseconds(2), milliseconds(50)}));
  EXPECT_EQ(latency("exp 2ms cap 3ms"),
            (Latency{LatencyKind::kExponential, milliseconds(2), milliseconds(3)}));
  EXPECT_EQ(latency("exp 1h").b, seconds(3600));
  EXPECT_EQ(latency("lognormal 1ms 1.25 cap 9ms"),
            (Latency{LatencyKind::kLogNormal, milliseconds(1), milliseconds(9), 125}));
  for (const char* bad :
       {"", " ", "exp", "exp 2ms 3ms", "lognormal 1ms", "lognormal 1ms 6", "lognormal 1ms -1",
        "lognormal 1ms nan", "1ms..", "..1ms", "2ms cap 3ms", "exp 2ms cap", "-2ms"}) {
    EXPECT_THAT(short_error(fmt::format(R"("network": {{"latency": "{}"}})", bad)),
                HasSubstr("expected a latency"))
        << bad;
  }
}

TEST(KeyTable, NamesAreUniqueAndDocumented) {
  for (const Key& key : key_table()) {
    EXPECT_EQ(find_key(key.scope, key.name), &key) << path_pattern(key);
    EXPECT_TRUE(key.documentation.ends_with('.')) << path_pattern(key);
    EXPECT_FALSE(key.built() && key.type == KeyType::kAny) << path_pattern(key);
    EXPECT_EQ(key.type == KeyType::kChoice, !key.choices.empty()) << path_pattern(key);
  }
}

// Each fault key reaches the value it names, and no other.
TEST(Faults, EveryKeyIsDecodedToItsOwnValue) {
  const FaultConfig none = decode_config(with(R"("faults": {})"), "t")->faults;
  const auto one = [](const char* key) {
    return decode_config(with(fmt::format(R"("faults": {{"{}": 0.5}})", key)), "t")->faults;
  };
  const Rate every_two_seconds{seconds(2)};
  const Odds half = Odds::ratio(1, 2);
  const auto expect = [&](const char* key, auto FaultConfig::*member, const auto& value) {
    FaultConfig wanted = none;
    wanted.*member = value;
    EXPECT_EQ(one(key), wanted) << key;
  };
  expect("crash_per_sec", &FaultConfig::crash, every_two_seconds);
  expect("kill_per_sec", &FaultConfig::kill, every_two_seconds);
  expect("partition_per_sec", &FaultConfig::partition, every_two_seconds);
  expect("power_all_per_sec", &FaultConfig::power_all, every_two_seconds);
  expect("enospc_per_sec", &FaultConfig::enospc, every_two_seconds);
  expect("emfile_per_sec", &FaultConfig::emfile, every_two_seconds);
  expect("disk_stall_per_sec", &FaultConfig::disk_stall, every_two_seconds);
  expect("evict_per_sec", &FaultConfig::evict, every_two_seconds);
  expect("bit_rot_per_sec", &FaultConfig::bit_rot, every_two_seconds);
  expect("crash_on_io", &FaultConfig::crash_on_io, half);
  expect("crash_in_recovery", &FaultConfig::crash_in_recovery, half);
  expect("torn_writes", &FaultConfig::torn_writes, half);
  expect("fsync_eio", &FaultConfig::fsync_eio, half);
  expect("write_eio", &FaultConfig::write_eio, half);
  expect("read_eio", &FaultConfig::read_eio, half);
  expect("short_writes", &FaultConfig::short_writes, half);
}

TEST(Faults, CombinationsThatLeaveNoTimeAreRefusedWithTheReason) {
  EXPECT_EQ(short_error(R"("faults": {"crash_per_sec": 200, "restart_after": "1s"})"),
            "$.faults.crash_per_sec: a node that runs for 5ms and then is down for 1s "
            "(faults.restart_after) gets nothing done; lower the rate or restart_after");
  EXPECT_EQ(short_error(R"("faults": {"crash_per_sec": 100, "restart_after": "1s"})"),
            "no error");
  EXPECT_EQ(short_error(R"("faults": {"enospc_per_sec": 5})"),
            "$.faults.enospc_per_sec: at this rate the window never closes; a window lasts up to "
            "10s; at most 4 per second");
  EXPECT_EQ(short_error(R"("faults": {"enospc_per_sec": 4})"), "no error");
}

TEST(Schema, KeysThatAreNotBuiltMayOnlyBeOff) {
  const Json schema = config_schema();
  const Json& faults = *schema.find("properties")->find("faults")->find("properties");
  EXPECT_NE(faults.find("crash_per_sec"), nullptr);
  EXPECT_EQ(*faults.find("pause_per_sec")->find("const"), Json(0));
  EXPECT_EQ(faults.find("clock_skew"), nullptr);
  EXPECT_NE(schema.find("$defs")->find("node")->find("properties")->find("pkg"), nullptr);
  EXPECT_NE(schema.find("$defs")->find("node")->find("properties")->find("c"), nullptr);
  EXPECT_TRUE(parse_json(schema.dump_pretty(), "schema"));
}

TEST(ConfigProperty, RatesBecomeGapsWithinHalfANanosecond) {
  EXPECT_TRUE(rc::check([] {
    const double rate = *rc::gen::inRange(1, 1'000'000) / 1000.0;
    const auto config =
        decode_config(with(fmt::format(R"("faults": {{"evict_per_sec": {}}})", rate)), "t");
    RC_ASSERT(config.has_value());
    const double gap = static_cast<double>(config->faults.evict.mean_gap->ns());
    RC_ASSERT(std::fabs(gap - 1e9 / rate) <= 0.5 + 1e-6);
  }));
}

TEST(ConfigProperty, OddsThatAreBinaryFractionsAreExact) {
  EXPECT_TRUE(rc::check([] {
    const auto numerator = *rc::gen::inRange<std::uint64_t>(0, 4097);
    const auto text =
        fmt::format(R"("faults": {{"crash_on_io": {}}})", static_cast<double>(numerator) / 4096);
    RC_ASSERT(decode_config(with(text), "t")->faults.crash_on_io == Odds::ratio(numerator, 4096));
  }));
}

// Goal: no text crashes the decoder, and each error names its place.
// Method: damage a config that uses every kind of key, byte by byte and token by token.
TEST(ConfigProperty, DamagedConfigsAreDecodedOrRefusedWithAPlace) {
  const std::string good = R"({"name": "w",
    "nodes": [{"name": "db", "pkg": "./s", "count": 2, "args": ["-a"], "env": {"A": "b"},
               "memory": "64MiB", "disk": {"tear": "page"}, "clock_offset": "-1s", "drift_ppm": 5}],
    "workload": {"name": "c", "wasm": "w"},
    "horizon": "60s", "horizon_ok": false,
    "disk": {"profile": "scc", "sector": 512, "fsync": "exp 2ms"},
    "network": {"latency": "lognormal 1ms 0.5 cap 9ms"},
    "cpu": {"slice": "1ms"},
    "faults": {"crash_per_sec": 0.5, "torn_writes": true},
    "limits": {"steps": 9}})";
  ASSERT_EQ(error_of(good), "no error");
  EXPECT_TRUE(rc::check([&good] {
    std::string text = good;
    const int edits = *rc::gen::inRange(1, 4);
    for (int i = 0; i < edits; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      const auto cut = *rc::gen::inRange<std::size_t>(0, 6);
      const auto piece = *rc::gen::element<std::string>(
          "", "0", "9", "-", "\"", "{", "}", "[", "]", ",", ":", "null", "true", "{}", "[]",
          "1e308", "ms", "..", "\"x\":1,", "18446744073709551615", "\xFF", " ", "exp ", "cap");
      text.replace(at, cut, piece);
    }
    const auto config = decode_config(text, "t.json");
    if (!config) RC_ASSERT(config.error().where.starts_with("t.json:"));
    if (config) RC_ASSERT(!config->nodes.empty());
  }));
}

}  // namespace
}  // namespace sf::world
