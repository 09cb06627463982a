// The room's agenda: order of events and the look-ahead bound.
//
// Method: small queues for each rule of the order; for the bound and for random schedules with
// cancellations a naive twin (a plain list that is searched), compared by RapidCheck.
#include "kernel/event_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sf::kernel {
namespace {

EventSpec event(std::int64_t ns, Rank rank = Rank::kArrival, std::uint64_t entity = 1,
                std::uint32_t node = 0, Concern concern = Concern::kNode) {
  return EventSpec{.time = SimTime(ns), .rank = rank, .entity = Entity::of(entity),
                   .concern = concern, .node = NodeId{node}, .action = [] {}};
}

TEST(EventQueue, PopsByTimeThenByRank) {
  const Choices choices(1);
  EventQueue queue(choices);
  queue.schedule(event(20, Rank::kFault));
  queue.schedule(event(10, Rank::kHorizon));
  queue.schedule(event(10, Rank::kWake));
  queue.schedule(event(10, Rank::kFault));
  queue.schedule(event(10, Rank::kArrival));
  std::vector<std::pair<std::int64_t, Rank>> order;
  while (!queue.empty()) {
    const EventSpec next = queue.pop();
    order.emplace_back(next.time.ns(), next.rank);
  }
  EXPECT_EQ(order, (std::vector<std::pair<std::int64_t, Rank>>{{10, Rank::kFault},
                                                                {10, Rank::kArrival},
                                                                {10, Rank::kWake},
                                                                {10, Rank::kHorizon},
                                                                {20, Rank::kFault}}));
}

// The order in which 8 entities with equal time and rank come out.
std::vector<std::uint64_t> tie_order(std::uint64_t root, const std::vector<std::uint64_t>& inserted,
                                     std::int64_t ns = 10) {
  const Choices choices(root);
  EventQueue queue(choices);
  std::vector<std::uint64_t> order;
  for (const std::uint64_t entity : inserted) {
    EventSpec spec = event(ns, Rank::kArrival, entity);
    spec.action = [&order, entity] { order.push_back(entity); };
    queue.schedule(std::move(spec));
  }
  while (!queue.empty()) queue.pop().action();
  return order;
}

TEST(EventQueue, TiesBetweenEntitiesFollowTheSeedAndNotTheInsertion) {
  const std::vector<std::uint64_t> up{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::uint64_t> down(up.rbegin(), up.rend());
  EXPECT_EQ(tie_order(1, up), tie_order(1, down));
  // Negative control: another seed or another moment orders them otherwise.
  EXPECT_NE(tie_order(1, up), tie_order(2, up));
  EXPECT_NE(tie_order(1, up, 10), tie_order(1, up, 11));
}

TEST(EventQueue, OneEntityStaysFirstInFirstOut) {
  const Choices choices(7);
  EventQueue queue(choices);
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    EventSpec spec = event(10, Rank::kArrival, 3);
    spec.action = [&order, i] { order.push_back(i); };
    queue.schedule(std::move(spec));
  }
  while (!queue.empty()) queue.pop().action();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(order.size(), 100U);
}

// A stream must not reorder itself because the root changed between two of its segments.
TEST(EventQueue, OneEntityStaysFirstInFirstOutAcrossAReseed) {
  for (std::uint64_t root = 1; root <= 20; ++root) {
    Choices choices(root);
    EventQueue queue(choices);
    std::vector<int> order;
    for (int i = 0; i < 4; ++i) {
      EventSpec spec = event(10, Rank::kArrival, 3);
      spec.action = [&order, i] { order.push_back(i); };
      queue.schedule(std::move(spec));
      choices.reseed(root * 1000 + static_cast<std::uint64_t>(i));
    }
    while (!queue.empty()) queue.pop().action();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3})) << "root " << root;
  }
}

TEST(EventQueue, ACancelledEventNeverComes) {
  const Choices choices(1);
  EventQueue queue(choices);
  const EventId first = queue.schedule(event(10));
  const EventId second = queue.schedule(event(20));
  queue.cancel(first);
  EXPECT_EQ(queue.next_time(), SimTime(20));
  queue.pop();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), SimTime::never());
  // What has run, was cancelled or never was is no error.
  queue.cancel(first);
  queue.cancel(second);
  queue.cancel(99);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, VersionChangesWithTheAgendaOnly) {
  const Choices choices(1);
  EventQueue queue(choices);
  const std::uint64_t before = queue.version();
  const EventId id = queue.schedule(event(10));
  const std::uint64_t scheduled = queue.version();
  EXPECT_NE(before, scheduled);
  queue.cancel(id);
  const std::uint64_t cancelled = queue.version();
  EXPECT_NE(scheduled, cancelled);
  queue.cancel(id);
  static_cast<void>(queue.horizon_of(NodeId{0}, Duration(5)));
  EXPECT_EQ(queue.version(), cancelled);
}

TEST(EventQueue, OnlyHorizonLeftMeansThatNothingElseIsPlannedEvenLater) {
  const Choices choices(1);
  EventQueue queue(choices);
  EXPECT_TRUE(queue.only_horizon_left());
  queue.schedule(event(100, Rank::kHorizon, 9, 0, Concern::kRoomWide));
  EXPECT_TRUE(queue.only_horizon_left());
  const EventId earlier = queue.schedule(event(50));
  EXPECT_FALSE(queue.only_horizon_left());
  queue.cancel(earlier);
  // Somebody sleeps longer than the run lasts: that is no deadlock.
  queue.schedule(event(200));
  EXPECT_FALSE(queue.only_horizon_left());
}

// ---- the naive twin

struct Listed {
  std::int64_t time;
  Rank rank;
  std::uint64_t entity;
  std::uint32_t node;
  Concern concern;
  std::size_t number;
};

SimTime naive_horizon(const std::vector<Listed>& events, std::uint32_t node, Duration least) {
  SimTime bound = SimTime::never();
  for (const Listed& e : events) {
    const bool concerns = e.concern == Concern::kRoomWide || e.node == node;
    const bool behind_programs = e.rank == Rank::kOutcome || e.rank == Rank::kHorizon;
    const SimTime own = SimTime(e.time + (behind_programs ? 1 : 0));
    bound = std::min(bound, concerns ? own : SimTime(e.time) + least);
  }
  return bound;
}

rc::Gen<std::vector<Listed>> queues() {
  return rc::gen::container<std::vector<Listed>>(rc::gen::map(
      rc::gen::tuple(rc::gen::inRange<std::int64_t>(0, 60), rc::gen::inRange(0, 5),
                     rc::gen::inRange<std::uint64_t>(0, 4), rc::gen::inRange<std::uint32_t>(0, 3),
                     rc::gen::inRange(0, 6)),
      [](const std::tuple<std::int64_t, int, std::uint64_t, std::uint32_t, int>& t) {
        return Listed{std::get<0>(t), static_cast<Rank>(std::get<1>(t)), std::get<2>(t),
                      std::get<3>(t),
                      std::get<4>(t) == 0 ? Concern::kRoomWide : Concern::kNode, 0};
      }));
}

void check_horizons(const std::function<SimTime(const EventQueue&, NodeId, Duration)>& horizon) {
  const auto events = *queues();
  const Duration least(*rc::gen::inRange<std::int64_t>(0, 40));
  const Choices choices(1);
  EventQueue queue(choices);
  for (const Listed& e : events) {
    queue.schedule(event(e.time, e.rank, e.entity, e.node, e.concern));
  }
  for (std::uint32_t node = 0; node < 3; ++node) {
    RC_ASSERT(horizon(queue, NodeId{node}, least) == naive_horizon(events, node, least));
  }
}

TEST(EventQueue, HorizonEqualsTheNaiveMinimum) {
  EXPECT_TRUE(rc::check("horizon_of against a full scan", [] {
    check_horizons([](const EventQueue& queue, NodeId node, Duration least) {
      return queue.horizon_of(node, least);
    });
  }));
}

TEST(EventQueue, NegativeControlAHorizonThatForgetsTheLatencyIsNoticed) {
  std::uint64_t wrong = 0;
  for (std::int64_t other = 1; other <= 20; ++other) {
    const Choices choices(1);
    EventQueue queue(choices);
    queue.schedule(event(other, Rank::kWake, 1, 1));
    queue.schedule(event(15, Rank::kWake, 2, 0));
    const std::vector<Listed> events{{other, Rank::kWake, 1, 1, Concern::kNode, 0},
                                     {15, Rank::kWake, 2, 0, Concern::kNode, 1}};
    EXPECT_EQ(queue.horizon_of(NodeId{0}, Duration(5)), naive_horizon(events, 0, Duration(5)));
    wrong += queue.horizon_of(NodeId{0}, Duration(0)) != naive_horizon(events, 0, Duration(5));
  }
  EXPECT_GT(wrong, 5U);
}

TEST(EventQueue, RandomSchedulesAndCancelsComeOutLikeASortedList) {
  EXPECT_TRUE(rc::check("pop order against stable sort", [] {
    auto events = *queues();
    const auto cancelled = *rc::gen::container<std::set<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, 30));
    const Choices choices(*rc::gen::arbitrary<std::uint64_t>());
    EventQueue queue(choices);
    std::vector<EventId> ids;
    std::vector<std::size_t> popped;
    for (std::size_t i = 0; i < events.size(); ++i) {
      events[i].number = i;
      EventSpec spec = event(events[i].time, events[i].rank, events[i].entity, events[i].node,
                             events[i].concern);
      spec.action = [&popped, i] { popped.push_back(i); };
      ids.push_back(queue.schedule(std::move(spec)));
    }
    std::vector<Listed> left;
    for (const Listed& e : events) {
      if (cancelled.contains(e.number)) {
        queue.cancel(ids[e.number]);
      } else {
        left.push_back(e);
      }
    }
    while (!queue.empty()) queue.pop().action();
    const auto key = [&choices](const Listed& e) {
      return std::tuple(e.time, e.rank,
                        choices.word(Purpose::kTieBreak, Entity::of(e.entity),
                                     static_cast<std::uint64_t>(e.time)));
    };
    std::stable_sort(left.begin(), left.end(),
                     [&](const Listed& a, const Listed& b) { return key(a) < key(b); });
    std::vector<std::size_t> expected;
    for (const Listed& e : left) expected.push_back(e.number);
    RC_ASSERT(popped == expected);
  }));
}

}  // namespace
}  // namespace sf::kernel
