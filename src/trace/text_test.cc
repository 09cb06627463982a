// The text form of a trace: exact lines, since people and scripts read them.
//
// Method: golden lines, one per record kind and per rule of the columns.
#include "trace/text.h"

#include <gtest/gtest.h>

namespace sf::trace {
namespace {

using kernel::kTheRoom;
using kernel::NodeId;
using kernel::Record;
using kernel::RecordKind;

const std::vector<std::string> kNames{"server", "a-node-with-a-long-name"};

Record record(RecordKind kind, std::int64_t ns, NodeId node, std::string what,
              std::string outcome = {}) {
  Record r;
  r.time = SimTime(ns);
  r.node = node;
  r.kind = kind;
  r.what = std::move(what);
  r.outcome = std::move(outcome);
  return r;
}
constexpr NodeId kServer{0};

TEST(TraceText, ALineHasTimeNodeMarkWordsAndOutcome) {
  EXPECT_EQ(
      format_record(record(RecordKind::kFault, 427'268'000, kServer,
                           "crash (power) inside fsync /data/log (disk op #56)", "kept 14 of 64 B"),
                    kNames),
      "    0.427268000  server    !crash (power) inside fsync /data/log (disk op #56)          "
      "kept 14 of 64 B");
  EXPECT_EQ(
      format_record(record(RecordKind::kCall, 1, kServer, "write /log 5 B", "ok"), kNames),
      "    0.000000001  server     write /log 5 B                                              ok");
}

TEST(TraceText, EachKindHasItsMark) {
  const auto line = [](RecordKind kind) {
    return format_record(record(kind, 0, kServer, "words"), kNames);
  };
  EXPECT_EQ(line(RecordKind::kCall), "    0.000000000  server     words");
  EXPECT_EQ(line(RecordKind::kNet), "    0.000000000  server     words");
  EXPECT_EQ(line(RecordKind::kConsole), "    0.000000000  server     words");
  EXPECT_EQ(line(RecordKind::kBoot), "    0.000000000  server    ^words");
  EXPECT_EQ(line(RecordKind::kExit), "    0.000000000  server    $words");
  EXPECT_EQ(line(RecordKind::kTrap), "    0.000000000  server    $words");
  EXPECT_EQ(line(RecordKind::kFault), "    0.000000000  server    !words");
  EXPECT_EQ(line(RecordKind::kProperty), "    0.000000000  server    *words");
  EXPECT_EQ(line(RecordKind::kFinding), "    0.000000000  server    *words");
  EXPECT_EQ(line(RecordKind::kRoom), "    0.000000000  server    =words");
  EXPECT_EQ(line(RecordKind::kEnd), "    0.000000000  server    =words");
}

TEST(TraceText, TheRoomIsADashAndALongNameMovesTheRest) {
  EXPECT_EQ(
      format_record(record(RecordKind::kEnd, 60'000'000'000, kTheRoom, "end of the run"), kNames),
      "   60.000000000  -         =end of the run");
  EXPECT_EQ(format_record(record(RecordKind::kBoot, 0, NodeId{1}, "boot incarnation 1"), kNames),
            "    0.000000000  a-node-with-a-long-name^boot incarnation 1");
}

TEST(TraceText, TheTimeKeepsNineDigitsAndGrowsBeyondItsColumn) {
  EXPECT_EQ(format_record(record(RecordKind::kCall, 123'456'789'012'345, kServer, "x"), kNames),
            "123456.789012345  server     x");
}

TEST(TraceText, ALetterOfSeveralBytesIsOneColumn) {
  const std::string ascii =
      format_record(record(RecordKind::kBoot, 0, kServer, "volume 2c0a.", "ok"), kNames);
  const std::string utf8 =
      format_record(record(RecordKind::kBoot, 0, kServer, "volume 2c0a…", "ok"), kNames);
  EXPECT_EQ(utf8.size(), ascii.size() + 2);
  EXPECT_EQ(utf8.substr(utf8.size() - 3), " ok");
}

TEST(TraceText, WordsThatFillTheColumnAreStillKeptApartFromTheOutcome) {
  const std::string words(80, 'w');
  EXPECT_EQ(format_record(record(RecordKind::kCall, 0, kServer, words, "ok"), kNames),
            "    0.000000000  server     " + words + " ok");
}

TEST(TraceText, WithoutWordsTheKindIsNamed) {
  EXPECT_EQ(format_record(record(RecordKind::kNet, 0, kServer, ""), kNames),
            "    0.000000000  server     net");
  const std::pair<RecordKind, std::string_view> words[] = {
      {RecordKind::kCall, "call"},         {RecordKind::kBoot, "boot"},
      {RecordKind::kExit, "exit"},         {RecordKind::kTrap, "trap"},
      {RecordKind::kConsole, "console"},   {RecordKind::kFault, "fault"},
      {RecordKind::kNet, "net"},           {RecordKind::kProperty, "property"},
      {RecordKind::kRoom, "room"},         {RecordKind::kFinding, "finding"},
      {RecordKind::kEnd, "end"}};
  for (const auto& [kind, word] : words) EXPECT_EQ(kind_word(kind), word);
}

}  // namespace
}  // namespace sf::trace
