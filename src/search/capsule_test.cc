// The capsule and the outcome of a seed as JSON: round trips, and hostile files.
//
// Method: one full capsule; each key dropped or given a value of each wrong kind, and texts that
// RapidCheck cuts or changes. Every error names its place; nothing crashes.
#include "search/capsule.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "search/seed_outcome.h"

namespace sf::search {
namespace {

fault::Fault crash() {
  fault::Fault fault;
  fault.id = "power/server/1#t1";
  fault.kind = fault::FaultKind::kPower;
  fault.target = "server";
  fault.incarnation = 1;
  fault.time = SimTime(427'268'000);
  fault.operation = fault::OpTrigger{56, kernel::Phase::kInside, kernel::DiskOp::kSync};
  fault.survivors = kernel::disk::Survivors{.kept = 2, .pending = 4};
  return fault;
}
fault::Preemption preemption() {
  fault::Preemption preemption;
  preemption.node = "server";
  preemption.incarnation = 2;
  preemption.tick = std::numeric_limits<std::uint64_t>::max() - 7;
  preemption.pc = 0x1234'0002;
  preemption.time = SimTime(1'000'001);
  preemption.place = "server/pages.go:43 (main.(*pages).Set)";
  return preemption;
}
Capsule full() {
  Capsule capsule;
  capsule.world = "kvlog";
  capsule.config = "../seedfall.json";
  capsule.identity.world_hash = "0123456789abcdef";
  capsule.identity.guest_hashes = {{"server", "aa"}, {"client", "bb"}};
  capsule.made_by = "seedfall 0.1.0";
  capsule.seed = std::numeric_limits<std::uint64_t>::max();
  capsule.reseeds = {{SimTime(5), std::numeric_limits<std::uint64_t>::max() - 1}, {SimTime(7), 0}};
  capsule.faults = {crash()};
  capsule.preemptions = std::vector{preemption()};
  capsule.fingerprint = "assertion/client/entry … lost";
  capsule.message = "entry 7 lost";
  capsule.hash = 0x0123456789abcdefULL;
  return capsule;
}

Result<Capsule> read(const std::string& text) {
  const auto json = parse_json(text, "x.json");
  if (!json) return tl::make_unexpected(json.error());
  return capsule_from_json(*json, "x.json: $");
}

TEST(Capsule, SurvivesARoundTripWithAll64Bits) {
  const auto back = read(to_json(full()).dump_pretty());
  ASSERT_TRUE(back.has_value()) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(full()));
  EXPECT_EQ(back->seed, full().seed);
  EXPECT_EQ(back->hash, full().hash);
  ASSERT_EQ(back->reseeds.size(), 2U);
  EXPECT_EQ(back->reseeds[0].root, std::numeric_limits<std::uint64_t>::max() - 1);
  EXPECT_EQ(back->identity.guest_hashes, full().identity.guest_hashes);
  const world::RunSpec spec = spec_of(*back);
  EXPECT_EQ(spec.seed, full().seed);
  ASSERT_TRUE(spec.faults.has_value());
  EXPECT_EQ(spec.faults->size(), 1U);
  ASSERT_TRUE(spec.preemptions.has_value());
  EXPECT_EQ(*spec.preemptions, full().preemptions);
}

TEST(Capsule, ANewerVersionIsRefusedWithAHint) {
  Json json = to_json(full());
  json.set("version", kCapsuleVersion + 1);
  const auto result = capsule_from_json(json, "x.json: $");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().where, "x.json: $.version");
  EXPECT_NE(result.error().message.find("newer"), std::string::npos);
  EXPECT_EQ(result.error().hint, "update seedfall");
  for (const Json& bad : {Json(0), Json(-1), Json("1"), Json(1.0)}) {
    json.set("version", bad);
    EXPECT_FALSE(capsule_from_json(json, "$").has_value()) << bad.dump();
  }
}

Json without(const Json& object, const std::string& key) {
  Json out = Json::object();
  for (const auto& [name, value] : object.members()) {
    if (name != key) out.set(name, value);
  }
  return out;
}

TEST(Capsule, TheFirstVersionHadNoPreemptions) {
  Json old = without(to_json(full()), "preemptions");
  old.set("version", 1);
  const auto result = capsule_from_json(old, "$");
  ASSERT_TRUE(result.has_value()) << result.error().text();
  ASSERT_TRUE(result->preemptions.has_value());
  EXPECT_TRUE(result->preemptions->empty());
}

// A capsule of the single-crash pass draws them again, as its run did.
TEST(Capsule, PreemptionsMayBeLeftToTheSeed) {
  Capsule drawn = full();
  drawn.preemptions.reset();
  const auto back = capsule_from_json(to_json(drawn), "$");
  ASSERT_TRUE(back.has_value()) << back.error().text();
  EXPECT_FALSE(back->preemptions.has_value());
  EXPECT_FALSE(spec_of(*back).preemptions.has_value());
}

TEST(Capsule, AnotherFileIsNoCapsule) {
  for (const char* text : {"{}", "[]", "1", R"({"format":"something else","version":1})"}) {
    const auto result = read(text);
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_TRUE(result.error().where.starts_with("x.json: $")) << text;
  }
  EXPECT_FALSE(read("").has_value());
}

TEST(Capsule, EachMissingOrWronglyTypedKeyGivesAnErrorThatNamesIt) {
  const Json good = to_json(full());
  const Json wrong[] = {Json(), Json(true), Json(-1), Json(1.5), Json("no"), Json::array().push(1),
                        Json::object()};
  for (const auto& [key, value] : good.members()) {
    if (key != "made_by") {
      const auto missing = capsule_from_json(without(good, key), "$");
      ASSERT_FALSE(missing.has_value()) << key;
      EXPECT_NE(missing.error().text().find(key), std::string::npos) << missing.error().text();
    }
    for (const Json& other : wrong) {
      Json bad = good;
      bad.set(key, other);
      const auto result = capsule_from_json(bad, "$");
      const bool any_string = other.is(Json::Kind::kString) && key == "made_by";
      ASSERT_EQ(result.has_value(), any_string) << key << " = " << other.dump();
      if (!any_string && key != "format") {
        EXPECT_TRUE(result.error().where.starts_with("$." + key)) << result.error().text();
      }
    }
  }
}

TEST(Capsule, TheTraceHashIsSixteenHexadecimalDigits) {
  for (const char* bad : {"", "0123", "0123456789abcdefa", "0x23456789abcdef", "+123456789abcdef",
                          "-123456789abcdef", " 123456789abcdef", "0123456789abcdeg"}) {
    Json json = to_json(full());
    json.set("trace_hash", bad);
    const auto result = capsule_from_json(json, "$");
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().where, "$.trace_hash");
  }
}

TEST(Capsule, ABrokenFaultIsNamedByItsIndex) {
  Json json = to_json(full());
  json.set("faults", Json::array().push(fault::to_json(crash())).push(Json::object()));
  const auto result = capsule_from_json(json, "$");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().where, "$.faults[1]");
}

TEST(Capsule, CutOrChangedTextsAreRefusedWithAPlaceOrReadAsSomethingWritable) {
  EXPECT_TRUE(rc::check("mutated text", [] {
    std::string text = to_json(full()).dump();
    const auto changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      switch (*rc::gen::inRange(0, 3)) {
        case 0: text.resize(at + 1); break;
        case 1: text[at] = *rc::gen::arbitrary<char>(); break;
        default: text.erase(at, 1 + *rc::gen::inRange<std::size_t>(0, 20)); break;
      }
      if (text.empty()) break;
    }
    const auto result = read(text);
    if (result) {
      RC_ASSERT(capsule_from_json(to_json(*result), "$").has_value());
    } else {
      RC_ASSERT(result.error().where.starts_with("x.json"));
      RC_ASSERT(!result.error().message.empty());
    }
  }));
}

// ---- what a worker hands to its parent

TEST(SeedOutcome, SurvivesARoundTrip) {
  SeedOutcome outcome;
  outcome.seed = std::numeric_limits<std::uint64_t>::max();
  outcome.kind = OutcomeKind::kFinding;
  outcome.finding = FindingSummary{"assertion", "client", "lost", "main.go:8", {"a", "b"}, "f"};
  outcome.faults = {crash()};
  outcome.evidence = {{"crash", 3}, {"tick", std::numeric_limits<std::uint64_t>::max()}};
  outcome.properties["always: x"].held = 4;
  outcome.properties["always: x"].kind = kernel::PropertyKind::kAlways;
  outcome.end_ns = 5;
  outcome.steps = 6;
  outcome.scheduler_steps = 7;
  outcome.hash = std::numeric_limits<std::uint64_t>::max();
  outcome.cpu_seconds = 0.25;
  const auto json = parse_json(to_json(outcome).dump(), "worker");
  ASSERT_TRUE(json.has_value());
  const auto back = outcome_from_json(*json);
  ASSERT_TRUE(back.has_value()) << back.error().text();
  EXPECT_EQ(to_json(*back).dump(), to_json(outcome).dump());
  EXPECT_EQ(back->hash, outcome.hash);
  EXPECT_EQ(back->cpu_seconds, 0.25);
}

}  // namespace
}  // namespace sf::search
