// The settings of `exec`: what a file says goes first, then what suits a single program.
#include "world/exec_config.h"

#include <gtest/gtest.h>

namespace sf::world {
namespace {

ExecSettings decoded(std::string_view text, const std::string& profile = "") {
  const auto settings = decode_exec_settings(text, "exec.json", profile);
  EXPECT_TRUE(settings.has_value()) << settings.error().text();
  return settings ? *settings : ExecSettings();
}

std::string complaint(std::string_view text, const std::string& profile = "") {
  const auto settings = decode_exec_settings(text, "exec.json", profile);
  return settings ? "" : settings.error().text();
}

TEST(ExecConfig, NothingStopsAProgramEarlyUnlessTheFileSaysSo) {
  const ExecSettings silent = decoded("{}");
  EXPECT_EQ(silent.world.horizon, exec_defaults::kHorizon);
  EXPECT_EQ(silent.world.limits.spin, exec_defaults::kSpin);
  EXPECT_EQ(silent.world.cpu.preempt, PreemptPolicy::kRandom);
  EXPECT_EQ(silent.world.cpu.preempt_rate, exec_defaults::kPreemptRate);
  EXPECT_EQ(silent.disk.capacity_bytes, exec_defaults::kCapacityBytes);
  const ExecSettings said = decoded(R"({"horizon": "2s", "limits": {"spin": "3s"},
      "cpu": {"preempt": "burst"}, "disk": {"capacity": "8MiB"}})");
  EXPECT_EQ(said.world.horizon, seconds(2));
  EXPECT_EQ(said.world.limits.spin, seconds(3));
  EXPECT_EQ(said.world.limits.output_bytes, exec_defaults::kOutputBytes);
  EXPECT_EQ(said.world.cpu.preempt, PreemptPolicy::kBurst);
  EXPECT_NE(said.world.cpu.preempt_rate, exec_defaults::kPreemptRate);
  EXPECT_EQ(said.disk.capacity_bytes, std::uint64_t{8} << 20);
}

TEST(ExecConfig, AProfileOnTheCommandLineGoesFirstAndBringsItsOwnTear) {
  EXPECT_EQ(decoded("{}").disk.profile, DiskProfile::kInOrder);
  const ExecSettings chosen = decoded(R"({"disk": {"profile": "scc"}})", "strict-posix");
  EXPECT_EQ(chosen.disk.profile, DiskProfile::kStrictPosix);
  EXPECT_EQ(chosen.disk.tear, TearUnit::kSector);
  EXPECT_EQ(load_exec_settings("", "")->disk.profile, DiskProfile::kControl);
}

TEST(ExecConfig, RefusesProgramsAndContradictions) {
  EXPECT_NE(complaint(R"({"nodes": [{"name": "a", "pkg": "./a"}]})").find("$.nodes"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"workload": {"name": "a", "pkg": "./a"}})").find("$.workload"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"disk": {"tear": "byte"}})", "strict-posix").find("tear"),
            std::string::npos);
  EXPECT_NE(complaint("{}", "ext9").find("there are control, scc"), std::string::npos);
  EXPECT_EQ(complaint(R"({"faults": {"crash_per_sec": 1}})"), "");
}

}  // namespace
}  // namespace sf::world
