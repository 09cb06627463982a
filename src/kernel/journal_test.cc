// The journal: records of nodes that ran ahead leave in room-time order.
//
// Method: random merges of several nodes' records, released in random stages, against a naive
// stable sort by (time, node); and the end of a run, after which nothing may leave.
#include "kernel/journal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace sf::kernel {
namespace {

struct Sink final : TraceSink, PropertySink {
  bool wants_text() const override { return false; }
  void record(std::uint64_t step, const Record& record) override {
    steps.push_back(step);
    records.push_back(record);
  }
  void hit(const PropertyHit& hit) override { hits.push_back(hit.time.ns()); }
  std::vector<std::uint64_t> steps;
  std::vector<Record> records;
  std::vector<std::int64_t> hits;
};

Record at(std::int64_t ns, std::uint32_t node, std::uint64_t number = 0) {
  Record record;
  record.time = SimTime(ns);
  record.node = node == 9 ? kTheRoom : NodeId{node};
  record.payload = number;
  return record;
}

using Seen = std::vector<std::tuple<std::int64_t, NodeId, std::uint64_t>>;
Seen seen(const std::vector<Record>& records) {
  Seen out;
  for (const Record& r : records) out.emplace_back(r.time.ns(), r.node, r.payload);
  return out;
}

TEST(Journal, RecordsLeaveByTimeThenByNodeWithTheRoomLast) {
  Sink sink;
  Journal journal(2, sink, sink);
  journal.add(at(5, 9, 1));
  journal.add(at(5, 1, 2));
  journal.add(at(7, 0, 3));
  journal.add(at(5, 0, 4));
  journal.release(SimTime(10), Journal::Edge::kBefore);
  EXPECT_EQ(seen(sink.records), (Seen{{5, NodeId{0}, 4}, {5, NodeId{1}, 2}, {5, kTheRoom, 1},
                                      {7, NodeId{0}, 3}}));
  EXPECT_EQ(sink.steps, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(journal.steps(), 4U);
}

TEST(Journal, BeforeLeavesOutTheMomentItselfAndThroughTakesIt) {
  Sink sink;
  Journal journal(1, sink, sink);
  journal.add(at(4, 0));
  journal.add(at(5, 0));
  journal.add(at(6, 0));
  journal.release(SimTime(5), Journal::Edge::kBefore);
  EXPECT_EQ(sink.records.size(), 1U);
  journal.release(SimTime(5), Journal::Edge::kThrough);
  EXPECT_EQ(sink.records.size(), 2U);
}

TEST(Journal, WhatComesAfterTheEndNeverLeaves) {
  Sink sink;
  {
    Journal journal(2, sink, sink);
    journal.add(at(5, 0), PropertyHit{.time = SimTime(5)});
    journal.add(at(9, 1), PropertyHit{.time = SimTime(9)});
    journal.release(SimTime(8), Journal::Edge::kThrough);
  }
  EXPECT_EQ(seen(sink.records), (Seen{{5, NodeId{0}, 0}}));
  EXPECT_EQ(sink.hits, (std::vector<std::int64_t>{5}));
}

TEST(JournalDeathTest, ARecordFromBeforeWhatHasLeftIsABugOfOurs) {
  Sink sink;
  Journal journal(2, sink, sink);
  journal.add(at(5, 0));
  journal.release(SimTime(6), Journal::Edge::kBefore);
  EXPECT_DEATH(journal.add(at(4, 1)), "released_");
}

// Adds in a random order, as a room does: nothing from before what was released.
void check_merge() {
  const auto stages = *rc::gen::container<std::vector<std::vector<std::pair<int, std::uint32_t>>>>(
      rc::gen::container<std::vector<std::pair<int, std::uint32_t>>>(
          rc::gen::pair(rc::gen::inRange(0, 20), rc::gen::inRange<std::uint32_t>(0, 4))));
  Sink sink;
  Journal journal(3, sink, sink);
  std::vector<Record> all;
  std::int64_t base = 0;
  for (const auto& stage : stages) {
    for (const auto& [offset, node] : stage) {
      const Record record = at(base + offset, node == 3 ? 9 : node, all.size());
      journal.add(record);
      all.push_back(record);
    }
    base += 10;
    journal.release(SimTime(base), Journal::Edge::kBefore);
  }
  journal.release(SimTime(base + 20), Journal::Edge::kThrough);
  std::stable_sort(all.begin(), all.end(), [](const Record& a, const Record& b) {
    return std::tuple(a.time, a.node) < std::tuple(b.time, b.node);
  });
  RC_ASSERT(seen(sink.records) == seen(all));
}

TEST(Journal, RandomMergesEqualANaiveStableSort) {
  EXPECT_TRUE(rc::check("merge against stable sort", [] { check_merge(); }));
}

TEST(Journal, NegativeControlTheComparisonNoticesAnotherOrderOfTies) {
  Sink sink;
  Journal journal(2, sink, sink);
  journal.add(at(5, 1, 0));
  journal.add(at(5, 0, 1));
  journal.release(SimTime(5), Journal::Edge::kThrough);
  EXPECT_NE(seen(sink.records), (Seen{{5, NodeId{1}, 0}, {5, NodeId{0}, 1}}));
}

}  // namespace
}  // namespace sf::kernel
