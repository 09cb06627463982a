// The hash chain and the first difference of two traces: every field counts but the text.
//
// Method: a base trace, and the same with one field of one record changed.
#include "trace/sinks.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>

namespace sf::trace {
namespace {

using kernel::NodeId;
using kernel::Record;
using kernel::RecordKind;

std::vector<Record> base() {
  std::vector<Record> records;
  for (int i = 0; i < 5; ++i) {
    Record r;
    r.time = SimTime(100 + i);
    r.node = NodeId{static_cast<std::uint32_t>(i % 2)};
    r.incarnation = 1;
    r.call = 7;
    r.payload = static_cast<std::uint64_t>(i);
    r.what = "words";
    records.push_back(r);
  }
  return records;
}
std::uint64_t hash_of(const std::vector<Record>& records) {
  HashSink sink;
  std::uint64_t step = 0;
  for (const Record& r : records) sink.record(++step, r);
  return sink.hash();
}

struct Change {
  const char* name;
  std::function<void(Record&)> apply;
};
const Change kChanges[] = {
    {"time", [](Record& r) { r.time += nanoseconds(1); }},
    {"node", [](Record& r) { r.node = NodeId{3}; }},
    {"room", [](Record& r) { r.node = kernel::kTheRoom; }},
    {"incarnation", [](Record& r) { ++r.incarnation; }},
    {"kind", [](Record& r) { r.kind = RecordKind::kNet; }},
    {"call", [](Record& r) { ++r.call; }},
    {"result", [](Record& r) { r.result = -1; }},
    {"payload", [](Record& r) { ++r.payload; }},
};

TEST(HashChain, EveryFieldOfEveryRecordCounts) {
  for (const Change& change : kChanges) {
    for (std::size_t i = 0; i < 5; ++i) {
      auto other = base();
      change.apply(other[i]);
      EXPECT_NE(hash_of(other), hash_of(base())) << change.name << " of record " << i;
      EXPECT_EQ(first_difference(base(), other), i) << change.name;
    }
  }
}

TEST(HashChain, TheTextDoesNotCount) {
  auto other = base();
  for (Record& r : other) {
    r.what.clear();
    r.outcome = "other words";
  }
  EXPECT_EQ(hash_of(other), hash_of(base()));
  EXPECT_EQ(first_difference(base(), other), std::nullopt);
}

TEST(HashChain, OrderAndNumberCount) {
  auto swapped = base();
  std::swap(swapped[1], swapped[2]);
  EXPECT_NE(hash_of(swapped), hash_of(base()));
  auto shorter = base();
  shorter.pop_back();
  EXPECT_NE(hash_of(shorter), hash_of(base()));
}

TEST(FirstDifference, OfATraceAndItsBeginningIsItsEnd) {
  auto shorter = base();
  shorter.pop_back();
  EXPECT_EQ(first_difference(base(), shorter), 4U);
  EXPECT_EQ(first_difference(shorter, base()), 4U);
  EXPECT_EQ(first_difference({}, base()), 0U);
  EXPECT_EQ(first_difference({}, {}), std::nullopt);
}

TEST(FirstDifference, IsTheFirstOfRandomlyManyChanges) {
  EXPECT_TRUE(rc::check("first of several", [] {
    const auto at = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 5)));
    auto other = base();
    for (const std::size_t i : at) other[i].payload = 1000 + i;
    RC_ASSERT(first_difference(base(), other) == *std::min_element(at.begin(), at.end()));
  }));
}

TEST(Sinks, AllKindsGiveTheSameHashAndAskForTheTextTheyNeed) {
  HashSink hash;
  std::vector<std::uint64_t> steps;
  CallbackSink callback([&steps](std::uint64_t step, const Record&) { steps.push_back(step); });
  MemorySink memory(1 << 20);
  MemorySink small(2 * (sizeof(Record) + 5));
  std::uint64_t step = 0;
  for (const Record& r : base()) {
    ++step;
    hash.record(step, r);
    callback.record(step, r);
    memory.record(step, r);
    small.record(step, r);
  }
  EXPECT_EQ(callback.hash(), hash.hash());
  EXPECT_EQ(memory.hash(), hash.hash());
  EXPECT_EQ(small.hash(), hash.hash());   // it stops storing, not hashing
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(memory.records().size(), 5U);
  EXPECT_FALSE(memory.full());
  EXPECT_EQ(small.records().size(), 2U);
  EXPECT_TRUE(small.full());
  EXPECT_FALSE(hash.wants_text());
  EXPECT_TRUE(callback.wants_text());
  EXPECT_TRUE(memory.wants_text());
}

}  // namespace
}  // namespace sf::trace
