#include "trace/file.h"

#include <gtest/gtest.h>

namespace sf::trace {
namespace {

kernel::Record sample() {
  kernel::Record record;
  record.time = SimTime(1234);
  record.node = kernel::NodeId{1};
  record.incarnation = 2;
  record.kind = kernel::RecordKind::kFault;
  record.call = 7;
  record.result = -5;
  record.payload = 0xfedcba9876543210;
  record.what = "crash (power)";
  record.outcome = "kept 3 of 5";
  return record;
}

std::string sample_file() {
  FileWriter writer({"server", "client"}, 1 << 20);
  writer.add(1, sample());
  kernel::Record end;
  end.kind = kernel::RecordKind::kEnd;
  writer.add(2, end);
  return writer.bytes();
}

// What was written is read back, field by field.
TEST(TraceFile, RoundTripKeepsEveryField) {
  const auto content = read_trace(sample_file(), "t");
  ASSERT_TRUE(content.has_value()) << content.error().text();
  EXPECT_EQ(content->node_names, (std::vector<std::string>{"server", "client"}));
  ASSERT_EQ(content->records.size(), 2U);
  const kernel::Record& read = content->records[0];
  const kernel::Record wrote = sample();
  EXPECT_EQ(read.time, wrote.time);
  EXPECT_EQ(read.node, wrote.node);
  EXPECT_EQ(read.incarnation, wrote.incarnation);
  EXPECT_EQ(read.kind, wrote.kind);
  EXPECT_EQ(read.call, wrote.call);
  EXPECT_EQ(read.result, wrote.result);
  EXPECT_EQ(read.payload, wrote.payload);
  EXPECT_EQ(read.what, wrote.what);
  EXPECT_EQ(read.outcome, wrote.outcome);
  EXPECT_EQ(content->records[1].node, kernel::kTheRoom);
}

// At its bound the writer stops at a whole record and says so.
TEST(TraceFile, BoundLeavesAReadableFile) {
  FileWriter writer({"server", "client"}, 100);
  for (std::uint64_t step = 1; step <= 10; ++step) writer.add(step, sample());
  EXPECT_TRUE(writer.full());
  const auto content = read_trace(writer.bytes(), "t");
  ASSERT_TRUE(content.has_value());
  EXPECT_LT(content->records.size(), 10U);
}

// A file that ends anywhere but behind a record is refused with the offset; never a crash.
TEST(TraceFile, EveryTruncationIsAnError) {
  const std::string whole = sample_file();
  std::size_t accepted = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto content = read_trace(std::string_view(whole).substr(0, size), "t");
    if (content) {
      ++accepted;   // cut exactly between two records, or before the first
      continue;
    }
    EXPECT_NE(content.error().text().find("t: byte "), std::string::npos);
  }
  EXPECT_EQ(accepted, 2U);
}

// Bytes of another kind are refused by name.
TEST(TraceFile, ForeignBytesAreRefused) {
  const auto content = read_trace(std::string(64, 'x'), "t");
  ASSERT_FALSE(content.has_value());
  EXPECT_NE(content.error().message.find("no seedfall trace"), std::string::npos);
}

// Any single damaged byte gives a value or an error, within bounds.
TEST(TraceFile, DamagedBytesNeverCrash) {
  const std::string whole = sample_file();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    (void)read_trace(damaged, "t");
  }
}

}  // namespace
}  // namespace sf::trace
