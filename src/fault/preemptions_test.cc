// Preemptions as data: the round trip, hostile files, and the words for people. How they come about
// is tested with real programs in world/preempt_test.cc.
#include "fault/preemptions.h"

#include <gtest/gtest.h>

namespace sf::fault {
namespace {

std::vector<Preemption> sample() {
  std::vector<Preemption> list;
  for (const auto& [node, incarnation] : {std::pair("a", 1U), {"a", 1U}, {"b", 1U}, {"a", 2U}}) {
    Preemption one;
    one.node = node;
    one.incarnation = incarnation;
    one.tick = 1000 + list.size();
    one.pc = (0x1234ULL << 16) + list.size();
    one.time = SimTime(5'000'000 + static_cast<std::int64_t>(list.size()));
    one.place = list.size() == 1 ? "server/store.go:88 (main.(*store).claim)" : "";
    list.push_back(one);
  }
  return list;
}

TEST(Preemptions, SurviveARoundTripInTheirOrder) {
  const auto back = preemptions_from_json(to_json(sample()), "$");
  ASSERT_TRUE(back.has_value()) << back.error().text();
  EXPECT_EQ(*back, sample());
  EXPECT_EQ(to_json(sample()).items().size(), 3U);   // one group for each stretch of a life
  EXPECT_TRUE(preemptions_from_json(Json::array(), "$")->empty());
}

TEST(Preemptions, ABadFileIsAnErrorThatNamesThePlace) {
  const std::pair<const char*, const char*> bad[] = {
      {R"({})", "$: expected a list"},
      {R"([7])", "$[0]: expected an object"},
      {R"([{"incarnation": 1, "at": []}])", "$[0]: missing key node"},
      {R"([{"node": "a", "incarnation": 0, "at": []}])", "$[0].incarnation: expected at least 1"},
      {R"([{"node": "a", "incarnation": 4294967296, "at": []}])",
       "$[0].incarnation: expected at most"},
      {R"([{"node": "a", "incarnation": 1}])", "$[0].at: expected a list"},
      {R"([{"node": "a", "incarnation": 1, "at": [[1, 2, 3]]}])", "$[0].at[0]: expected [ticks"},
      {R"([{"node": "a", "incarnation": 1, "at": [[-1, 2, 3, ""]]}])", "$[0].at[0]: expected"},
      {R"([{"node": "a", "incarnation": 1, "at": [[1, 2, 3, 4]]}])", "$[0].at[0]: expected"},
      {R"([{"node": "a", "incarnation": 1, "at": [[1, 2, 9223372036854775808, ""]]}])",
       "$[0].at[0]: the time"}};
  for (const auto& [text, error] : bad) {
    const auto result = preemptions_from_json(*parse_json(text, "x"), "$");
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_NE(result.error().text().find(error), std::string::npos)
        << text << " gives " << result.error().text();
  }
}

TEST(Preemptions, AreDescribedByPlaceOrElseByTick) {
  EXPECT_EQ(describe(sample()[1]), "a at server/store.go:88 (main.(*store).claim)");
  EXPECT_EQ(describe(sample()[2]), "b after 1002 ticks");
}

}  // namespace
}  // namespace sf::fault
