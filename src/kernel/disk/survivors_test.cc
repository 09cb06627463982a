// Survivor sets as JSON: a round trip, and files that somebody edited or made up.
#include "kernel/disk/survivors.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

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
                               Survivors{.kept = 0, .pending = 1, .sync_first = true},
                               Survivors{.kept = 5, .pending = 9, .lost = {0, 3, 4, 8}},
                               Survivors{.kept = 1, .pending = 3, .sync_first = true,
                                         .lost = {1, 2}, .torn = {{1, 0x81}, {2, 1}}}}) {
    const auto back = parse(to_json(set).dump());
    ASSERT_TRUE(back.has_value()) << back.error().text();
    EXPECT_EQ(*back, set);
  }
  EXPECT_EQ(to_json({.kept = 3, .pending = 5}).dump(), R"({"kept":3,"pending":5})");
  const Survivors set{.kept = 5, .pending = 9, .lost = {0, 3, 4, 8}, .torn = {{3, 128}}};
  EXPECT_EQ(to_json(set).dump(), R"({"kept":5,"pending":9,"lost":[[0,0],[3,4],[8,8]],)"
                                 R"("torn":[{"operation":3,"sectors":128}]})");
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
  refused(R"({"kept":1,"pending":2,"melted":1})", "unknown key `melted`");
  const auto refused_set = [&](const std::string& lost, const std::string& part) {
    refused(R"({"kept":1,"pending":4,"lost":)" + lost + "}", part);
  };
  refused_set("3", "$.survivors.lost: expected a list of pairs");
  refused_set("[3]", "$.survivors.lost[0]: expected a pair");
  refused_set("[[1]]", "expected a pair");
  refused_set("[[1,-2]]", "$.survivors.lost[0][1]: expected a count");
  refused_set("[[2,1]]", "not ascending");
  refused_set("[[1,2],[2,3]]", "$.survivors.lost[1]: not ascending");
  refused_set("[[1,4]]", "below `pending`");
  refused_set("[[0,0]]", "$.survivors.kept: kept 1 of 4 operations, but 1 are lost");
  refused(R"({"kept":0,"pending":18446744073709551615,"lost":[[0,18446744073709551614]]})",
          "$.survivors.lost[0]");
  refused(R"({"kept":1,"pending":2,"torn_bytes":3,"lost":[[1,1]]})", "belongs to a prefix");
  const auto refused_torn = [&](const std::string& torn, const std::string& part) {
    refused(R"({"kept":0,"pending":2,"lost":[[0,1]],"torn":)" + torn + "}", part);
  };
  refused_torn("1", "$.survivors.torn: expected a list");
  refused_torn("[1]", "$.survivors.torn[0]: expected an object");
  refused_torn(R"([{"operation":0}])", "expected an object with `operation` and `sectors`");
  refused_torn(R"([{"operation":0,"sectors":256}])", "256 is above 255");
  refused_torn(R"([{"operation":5,"sectors":1}])", "operation 5 is not among the lost");
  refused_torn(R"([{"operation":1,"sectors":1},{"operation":0,"sectors":1}])", "must ascend");
}

// Any chain of simpler sets ends, each lost or torn less than the one before.
void expect_ever_simpler(const Survivors& set) {
  const auto weight = [](const Survivors& s) {
    return std::pair{s.lost_count(), s.torn.size() + (s.torn_bytes != 0 ? 1 : 0)};
  };
  for (const Survivors& next : simpler(set)) {
    EXPECT_LT(weight(next), weight(set));
    EXPECT_EQ(next.pending, set.pending);
    const auto back = parse(to_json(next).dump());
    ASSERT_TRUE(back.has_value()) << back.error().text();
    EXPECT_EQ(*back, next);
    if (weight(next).first * 2 >= weight(set).first) expect_ever_simpler(next);
  }
}

TEST(DiskSurvivors, SimplerSetsComeSimplestFirst) {
  const Survivors set{.kept = 5, .pending = 9, .lost = {0, 3, 4, 8}, .torn = {{3, 1}, {8, 1}}};
  const std::vector<Survivors> all = simpler(set);
  EXPECT_EQ(all.front(), keeping_all(set));
  EXPECT_EQ(all[1], (Survivors{.kept = 7, .pending = 9, .lost = {4, 8}, .torn = {{8, 1}}}));
  EXPECT_EQ(all[2], (Survivors{.kept = 7, .pending = 9, .lost = {0, 3}, .torn = {{3, 1}}}));
  EXPECT_EQ(all[3].lost, (std::vector<std::uint64_t>{3, 4, 8}));
  expect_ever_simpler(set);
  const Survivors prefix{.kept = 2, .pending = 9, .torn_bytes = 7};
  std::vector<std::uint64_t> kept;
  for (const Survivors& next : simpler(prefix)) kept.push_back(next.kept);
  EXPECT_EQ(kept, (std::vector<std::uint64_t>{9, 8, 7, 5, 2}));
  expect_ever_simpler(prefix);
  EXPECT_TRUE(simpler(keeping_all(set)).empty());
}

}  // namespace
}  // namespace sf::kernel::disk
