// The schedule as JSON: what is written is read back, and what is broken gives an error with a
// place.
//
// Method: RapidCheck makes faults and mutations of their JSON (keys dropped, values replaced, text
// cut or changed); no mutation may crash, each error names where it stands.
#include "fault/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <set>

#include "fault/fault_world_test_util.h"

namespace sf::fault::testing {
namespace {

Fault power_in_sync() {
  Fault fault;
  fault.id = "power/server/2#t1";
  fault.kind = FaultKind::kPower;
  fault.target = "server";
  fault.incarnation = 2;
  fault.time = SimTime(427'268'000);
  fault.operation = OpTrigger{56, Phase::kInside, DiskOp::kSync};
  fault.restart_after = milliseconds(364);
  fault.inside_sync = microseconds(1200);
  fault.survivors = kernel::disk::Survivors{3, 5, 14, true};
  fault.subject = "fsync /data/log";
  fault.effect = "kept 3 of 5 pending operations";
  fault.restarted_at = SimTime(791'388'000);
  return fault;
}
Fault kill_in_write() {
  Fault fault;
  fault.id = "kill/server/1#t2";
  fault.kind = FaultKind::kKill;
  fault.target = "server";
  fault.incarnation = 1;
  fault.time = SimTime(5);
  fault.operation = OpTrigger{7, Phase::kAfter, DiskOp::kWrite};
  fault.pages_kept = 3;
  return fault;
}
Fault cut() {
  Fault fault;
  fault.id = "partition/room/0#t1";
  fault.kind = FaultKind::kPartition;
  fault.target = "a|b,c";
  fault.time = SimTime(1'000);
  fault.length = milliseconds(20);
  fault.links = {{"a", "b"}, {"b", "a"}, {"a", "c"}, {"c", "a"}};
  return fault;
}

Fault error(FaultKind kind, DiskOp op) {
  Fault fault;
  fault.id = std::string(kind_word(kind)) + "/server/2#op9";
  fault.kind = kind;
  fault.target = "server";
  fault.incarnation = 2;
  fault.time = SimTime(5'000);
  fault.operation = OpTrigger{9, Phase::kInside, op};
  fault.subject = std::string(disk_op_name(op)) + " /data/log";
  fault.effect = "EIO";
  return fault;
}
Fault sync_error() {
  Fault fault = error(FaultKind::kSyncError, DiskOp::kSync);
  fault.bad_pages = {0, 7};
  fault.bad_page = kernel::disk::BadPage::kSticky;
  return fault;
}
Fault short_write() {
  Fault fault = error(FaultKind::kShortWrite, DiskOp::kWrite);
  fault.bytes = 14;
  fault.effect = "took 14 of 64 bytes";
  return fault;
}
Fault on_node(FaultKind kind) {
  Fault fault;
  fault.id = std::string(kind_word(kind)) + "/server/1#t1";
  fault.kind = kind;
  fault.target = "server";
  fault.incarnation = 1;
  fault.time = SimTime(1'000);
  if (manner_of(kind) == Manner::kWindow) fault.length = milliseconds(20);
  if (kind == FaultKind::kDiskStall) fault.slowdown = 9;
  if (kind == FaultKind::kBitRot) fault.draw = 1'234'567'890'123;
  return fault;
}
std::vector<Fault> one_of_each() {
  return {power_in_sync(),
          kill_in_write(),
          cut(),
          sync_error(),
          error(FaultKind::kWriteError, DiskOp::kWrite),
          error(FaultKind::kReadError, DiskOp::kRead),
          short_write(),
          on_node(FaultKind::kDiskFull),
          on_node(FaultKind::kNoDescriptors),
          on_node(FaultKind::kDiskStall),
          on_node(FaultKind::kEvict),
          on_node(FaultKind::kBitRot)};
}

Result<Fault> read(const std::string& text) {
  const auto json = parse_json(text, "schedule.json");
  if (!json) return tl::make_unexpected(json.error());
  return fault_from_json(*json, "faults[3]");
}

TEST(Schedule, EveryKindOfFaultSurvivesARoundTrip) {
  std::set<FaultKind> kinds;
  for (const Fault& fault : one_of_each()) {
    kinds.insert(fault.kind);
    const std::string text = to_json(fault).dump();
    const auto back = read(text);
    ASSERT_TRUE(back.has_value()) << back.error().text();
    EXPECT_EQ(to_json(*back).dump(), text);
    EXPECT_EQ(back->id, fault.id);
    EXPECT_EQ(back->time, fault.time);
    EXPECT_EQ(back->survivors, fault.survivors);
    EXPECT_EQ(back->inside_sync, fault.inside_sync);
    EXPECT_EQ(back->links, fault.links);
    EXPECT_EQ(back->operation.has_value(), fault.operation.has_value());
    EXPECT_EQ(back->bad_pages, fault.bad_pages);
    EXPECT_EQ(back->bad_page, fault.bad_page);
    EXPECT_EQ(back->bytes, fault.bytes);
    EXPECT_EQ(back->length, fault.length);
    EXPECT_EQ(back->slowdown, fault.slowdown);
    EXPECT_EQ(back->draw, fault.draw);
    EXPECT_EQ(describe(*back), describe(fault));
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(FaultKind::kBitRot) + 1);
}

TEST(Schedule, TheTextOfAFaultIsFixed) {
  EXPECT_EQ(
      to_json(power_in_sync()).dump(),
      R"({"id":"power/server/2#t1","kind":"power","target":"server","trigger":{"time_ns":427268000,)"
      R"("disk_op":56,"op":"fsync","phase":"inside","incarnation":2},"parameters":)"
      R"({"restart_after_ns":364000000,"inside_sync_ns":1200000,"survivors":)" +
          kernel::disk::to_json(kernel::disk::Survivors{3, 5, 14, true}).dump() +
          R"(},"effects":{"at":"fsync /data/log","what":"kept 3 of 5 pending operations",)"
          R"("restarted_at_ns":791388000}})");
}

TEST(Schedule, DescribeIsOneLineForPeople) {
  EXPECT_EQ(
      describe(power_in_sync()),
      "crash server (power) during disk op #56: fsync /data/log, kept 3 of 5 pending operations, "
      "restart at 791.388ms");
  EXPECT_EQ(describe(cut()), "partition a|b,c, heals after 20ms");
  Fault timed = kill_in_write();
  timed.operation.reset();
  timed.effect = "page cache kept";
  EXPECT_EQ(describe(timed), "kill server: page cache kept");
  EXPECT_EQ(describe(sync_error()), "fsync error on server at disk op #9: fsync /data/log, EIO");
  EXPECT_EQ(describe(short_write()),
            "short write on server at disk op #9: write /data/log, took 14 of 64 bytes");
  EXPECT_EQ(describe(on_node(FaultKind::kDiskFull)), "disk of server full for 20ms");
  EXPECT_EQ(describe(on_node(FaultKind::kDiskStall)), "disk of server 9 times slower for 20ms");
}

rc::Gen<Fault> faults() {
  return rc::gen::exec([] {
    Fault fault;
    fault.id = *rc::gen::string<std::string>();
    fault.kind = static_cast<FaultKind>(*rc::gen::inRange(0, 3));
    fault.target = *rc::gen::nonEmpty(rc::gen::string<std::string>());
    fault.time =
        SimTime(*rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max()));
    if (fault.kind == FaultKind::kPartition) {
      fault.length = Duration(*rc::gen::inRange<std::int64_t>(1, 1LL << 60));
      fault.links = {{"a", "b"}};
      return fault;
    }
    fault.incarnation = *rc::gen::arbitrary<std::uint32_t>();
    if (*rc::gen::arbitrary<bool>()) {
      fault.operation = OpTrigger{*rc::gen::inRange<std::uint64_t>(1, 1ULL << 62),
                                  static_cast<Phase>(*rc::gen::inRange(0, 3)),
                                  static_cast<DiskOp>(*rc::gen::inRange(0, 12))};
    }
    fault.restart_after = Duration(*rc::gen::inRange<std::int64_t>(0, 1LL << 60));
    if (*rc::gen::arbitrary<bool>())
      fault.inside_sync = Duration(*rc::gen::inRange<std::int64_t>(0, 1LL << 60));
    if (*rc::gen::arbitrary<bool>()) fault.pages_kept = *rc::gen::arbitrary<std::uint32_t>();
    if (*rc::gen::arbitrary<bool>()) {
      fault.survivors = kernel::disk::Survivors{*rc::gen::inRange<std::uint64_t>(0, 100),
                                                *rc::gen::inRange<std::uint64_t>(100, 200),
                                                *rc::gen::inRange<std::uint32_t>(0, 4096), false};
    }
    return fault;
  });
}

TEST(Schedule, RandomFaultsSurviveARoundTrip) {
  EXPECT_TRUE(rc::check("round trip", [] {
    const Fault fault = *faults();
    const Json json = to_json(fault);
    // (Ids may hold any bytes; the writer replaces invalid UTF-8, so the second trip is the fixed
    // point.)
    const auto once = read(json.dump());
    RC_ASSERT(once.has_value());
    const auto twice = read(to_json(*once).dump());
    RC_ASSERT(twice.has_value());
    RC_ASSERT(to_json(*once).dump() == to_json(*twice).dump());
    RC_ASSERT(once->time == fault.time);
    RC_ASSERT(once->incarnation == fault.incarnation);
    RC_ASSERT(once->pages_kept ==
              (fault.kind == FaultKind::kPartition ? std::nullopt : fault.pages_kept));
  }));
}

// ---- hostile

struct Bad {
  const char* text;
  const char* where;     // the error's place
  const char* says;
};

TEST(Schedule, BrokenFaultsGiveAnErrorWithItsPlace) {
  const std::string crash =
      R"("id":"x","kind":"power","target":"s","trigger":{"time_ns":1},"parameters":{"restart_after_ns":0})";
  ASSERT_TRUE(read("{" + crash + "}").has_value());
  const Bad cases[] = {
      {"[]", "faults[3]", "expected an object"},
      {"7", "faults[3]", "expected an object"},
      {"null", "faults[3]", "expected an object"},
      {"{}", "faults[3]", "missing key id"},
      {R"({"id":7})", "faults[3].id", "expected a string"},
      {R"({"id":"x","kind":"powr","target":"s"})", "faults[3].kind", "unknown word \"powr\""},
      {R"({"id":"x","kind":"power","target":"s"})", "faults[3]", "missing key trigger"},
      {R"({"id":"x","kind":"power","target":"s","trigger":[]})", "faults[3].trigger",
       "expected an object"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{}})", "faults[3].trigger",
       "missing key time_ns"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":-1}})",
       "faults[3].trigger.time_ns", "at least 0"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":1.5}})",
       "faults[3].trigger.time_ns", "whole number"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":18446744073709551615}})",
       "faults[3].trigger.time_ns", "at least 0"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":1,"incarnation":4294967296}})",
       "faults[3].trigger.incarnation", "at most"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":1,"disk_op":4}})",
       "faults[3].trigger", "missing key phase"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":1,"disk_op":4,"phase":"during"}})",
       "faults[3].trigger.phase", "unknown word"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":1,"disk_op":4,"phase":"inside","op":"fsink"}})",
       "faults[3].trigger.op", "unknown word"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":1}})", "faults[3]",
       "missing key parameters"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":1},"parameters":{}})",
       "faults[3].parameters", "missing key restart_after_ns"},
      {R"({"id":"x","kind":"kill","target":"s","trigger":{"time_ns":1},"parameters":{"restart_after_ns":0,"pages_kept":4294967296}})",
       "faults[3].parameters.pages_kept", "at most"},
      {R"({"id":"x","kind":"power","target":"s","trigger":{"time_ns":1},"parameters":{"restart_after_ns":0,"survivors":3}})",
       "faults[3].parameters.survivors", "object"},
      {R"({"id":"x","kind":"partition","target":"s","trigger":{"time_ns":1},"parameters":{"length_ns":0}})",
       "faults[3].parameters.length_ns", "at least 1"},
      {R"({"id":"x","kind":"partition","target":"s","trigger":{"time_ns":1},"parameters":{"length_ns":5}})",
       "faults[3].parameters.links", "pairs"},
      {R"({"id":"x","kind":"partition","target":"s","trigger":{"time_ns":1},"parameters":{"length_ns":5,"links":[["a"]]}})",
       "faults[3].parameters.links", "pairs"},
      {R"({"id":"x","kind":"partition","target":"s","trigger":{"time_ns":1},"parameters":{"length_ns":5,"links":[["a",1]]}})",
       "faults[3].parameters.links", "pairs"},
      {R"({"id":"x","kind":"partition","target":"s","trigger":{"time_ns":1,"disk_op":3,"phase":"inside","op":"read"},"parameters":{"length_ns":5,"links":[["a","b"]]}})",
       "faults[3].trigger.disk_op", "partition"},
      {R"({"id":"x","kind":"fsync-eio","target":"s","trigger":{"time_ns":1},"parameters":{"pages":[],"bad":"once"}})",
       "faults[3].trigger.disk_op", "needs the operation"},
      {R"({"id":"x","kind":"fsync-eio","target":"s","trigger":{"time_ns":1,"disk_op":3,"phase":"inside","op":"fsync"},"parameters":{"pages":[-1],"bad":"once"}})",
       "faults[3].parameters.pages", "page numbers"},
      {R"({"id":"x","kind":"fsync-eio","target":"s","trigger":{"time_ns":1,"disk_op":3,"phase":"inside","op":"fsync"},"parameters":{"pages":[1],"bad":"often"}})",
       "faults[3].parameters.bad", "unknown word"},
      {R"({"id":"x","kind":"short-write","target":"s","trigger":{"time_ns":1,"disk_op":3,"phase":"inside","op":"write"},"parameters":{"bytes":0}})",
       "faults[3].parameters.bytes", "at least 1"},
      {R"({"id":"x","kind":"disk-full","target":"s","trigger":{"time_ns":1,"disk_op":3,"phase":"inside","op":"read"},"parameters":{"length_ns":5}})",
       "faults[3].trigger.disk_op", "begins at a time"},
      {R"({"id":"x","kind":"disk-stall","target":"s","trigger":{"time_ns":1},"parameters":{"length_ns":5,"slowdown":-2}})",
       "faults[3].parameters.slowdown", "at least 0"},
  };
  for (const Bad& bad : cases) {
    const auto result = read(bad.text);
    ASSERT_FALSE(result.has_value()) << bad.text;
    EXPECT_EQ(result.error().where, bad.where) << bad.text;
    EXPECT_NE(result.error().message.find(bad.says), std::string::npos)
        << bad.text << ": " << result.error().message;
  }
}

Json any_value() {
  switch (*rc::gen::inRange(0, 12)) {
    case 8: return Json(*rc::gen::inRange<std::int64_t>(0, 10));
    case 9: return Json(*rc::gen::inRange<std::int64_t>(0, 5'000'000));
    case 10:
      return Json(*rc::gen::element<std::string>("server", "a", "b", "fsync", "before", "kill"));
    case 0: return Json();
    case 1: return Json(true);
    case 2: return Json(*rc::gen::arbitrary<std::int64_t>());
    case 3: return Json(std::numeric_limits<std::uint64_t>::max());
    case 4: return Json(1e300);
    case 5: return Json(*rc::gen::string<std::string>());
    case 6: return Json::array();
    default: return Json::object();
  }
}
// Replaces or drops one random value somewhere in the tree.
Json mutated(const Json& json, int depth = 0) {
  if (depth > 0 && *rc::gen::inRange(0, 4) == 0) return any_value();
  if (json.is(Json::Kind::kObject) && !json.members().empty()) {
    const auto pick = *rc::gen::inRange<std::size_t>(0, json.members().size());
    const bool drop = *rc::gen::inRange(0, 5) == 0;
    Json out = Json::object();
    for (std::size_t i = 0; i < json.members().size(); ++i) {
      const auto& [key, value] = json.members()[i];
      if (i != pick) out.set(key, value);
      else if (!drop) out.set(key, mutated(value, depth + 1));
    }
    return out;
  }
  if (json.is(Json::Kind::kArray) && !json.items().empty()) {
    const auto pick = *rc::gen::inRange<std::size_t>(0, json.items().size());
    Json out = Json::array();
    for (std::size_t i = 0; i < json.items().size(); ++i) {
      out.push(i == pick ? mutated(json.items()[i], depth + 1) : json.items()[i]);
    }
    return out;
  }
  return any_value();
}

// Whatever is accepted also runs: a hostile list may break things but not the room.
void accept_and_run(const Result<Fault>& fault, std::uint64_t* accepted, std::uint64_t* refused) {
  if (!fault) {
    RC_ASSERT(fault.error().where.starts_with("faults[3]") ||
              fault.error().where.starts_with("schedule.json:"));
    RC_ASSERT(!fault.error().message.empty());
    ++*refused;
    return;
  }
  ++*accepted;
  Fault second = *fault;
  second.kind = FaultKind::kKill;
  ListedFaults listed({*fault, second});
  std::vector<NodeDef> defs{
      service("server", [](ScriptedGuest& g) { return writer(g, milliseconds(1)); }),
      service("a", [](ScriptedGuest& g) { return writer(g, milliseconds(1)); }),
      timer(milliseconds(20))};
  run_with(listed, std::move(defs), 1);
}

TEST(Schedule, MutatedJsonIsRefusedWithAPlaceOrRuns) {
  std::uint64_t accepted = 0, refused = 0;
  EXPECT_TRUE(rc::check("mutated values", [&] {
    Fault fault = *rc::gen::elementOf(one_of_each());
    fault.time = SimTime(3'000'000);
    fault.incarnation = fault.incarnation == 0 ? 0 : 1;
    if (fault.operation) fault.operation->ordinal = 3;
    accept_and_run(read(mutated(to_json(fault)).dump()), &accepted, &refused);
  }));
  EXPECT_EQ(accepted + refused, 100U);
  EXPECT_GT(refused, 5U);
}

TEST(Schedule, CutOrChangedTextIsRefusedWithAPlaceOrRuns) {
  std::uint64_t accepted = 0, refused = 0;
  EXPECT_TRUE(rc::check("mutated text", [&] {
    std::string text = to_json(*rc::gen::elementOf(one_of_each())).dump();
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    if (*rc::gen::arbitrary<bool>()) {
      text.resize(at);
    } else {
      text[at] = *rc::gen::arbitrary<char>();
    }
    accept_and_run(read(text), &accepted, &refused);
  }));
  EXPECT_GT(refused, 20U);
}

}  // namespace
}  // namespace sf::fault::testing
