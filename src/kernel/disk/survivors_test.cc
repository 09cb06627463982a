// Survivor sets as JSON: a round trip, and files that somebody edited or made up.
#include "kernel/disk/survivors.h"

#include <gtest/gtest.h>

#include <limits>

namespace sf::kernel::disk {
namespace {

Result<Survivors> parse(const std::string& text) {
  const auto json = parse_json(text, "capsule.json");
  EXPECT_TRUE(json.has_value()) << text;
  return survivors_from_json(*json, "$.survivors");
}

TEST(DiskSurvivors, RoundTrip) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const Survivors& set : {Survivors{}, Survivors{.kept = 3, .pending = 5, .torn_bytes = 14},
                               Survivors{.kept = most, .pending = most},
                               Survivors{.kept = 0, .pending = 1, .sync_first = true}}) {
    const auto back = parse(to_json(set).dump());
    ASSERT_TRUE(back.has_value()) << back.error().text();
    EXPECT_EQ(*back, set);
  }
  EXPECT_EQ(to_json({.kept = 3, .pending = 5}).dump(), R"({"kept":3,"pending":5})");
}

TEST(DiskSurvivors, HostileJsonIsRefusedWithItsPlace) {
  const auto refused = [](const std::string& text, const std::string& part) {
    const auto result = parse(text);
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::kUsage);
    EXPECT_NE(result.error().text().find(part), std::string::npos) << result.error().text();
  };
  refused("[]", "$.survivors: expected an object");
  refused("null", "expected an object");
  refused("{}", "needs `kept` and `pending`");
  refused(R"({"kept":1})", "needs `kept` and `pending`");
  refused(R"({"kept":-1,"pending":1})", "$.survivors.kept: expected a count");
  refused(R"({"kept":1.5,"pending":2})", "$.survivors.kept: expected a count");
  refused(R"({"kept":"1","pending":2})", "$.survivors.kept: expected a count");
  refused(R"({"kept":3,"pending":2})", "kept 3 of 2 operations");
  refused(R"({"kept":1,"pending":2,"torn_bytes":4096})", "4096 is above 4095");
  refused(R"({"kept":1,"pending":2,"torn_bytes":-1})", "torn_bytes: expected a count");
  refused(R"({"kept":1,"pending":2,"sync_first":1})", "sync_first: expected true or false");
  refused(R"({"kept":1,"pending":2,"torn":1})", "unknown key `torn`");
}

}  // namespace
}  // namespace sf::kernel::disk
