#include "fault/preemptions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fault/json_fields.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::fault {
namespace {

using kernel::Incarnation;
using kernel::kNoTick;
using kernel::NodeId;

// A burst lasts an exponential time of this mean: a few critical sections and what lies between.
constexpr std::uint64_t kBurstTicks = 4000;
// Bursts are so many times as rare as single preemptions: programs that run for only some 100,000
// ticks meet one too.
constexpr std::uint64_t kBurstRarity = 4;
constexpr std::uint64_t kEdgeOneIn = 2;
constexpr std::uint64_t kElsewhereOneIn = 64;
// How long an aimed preemption looks for its place.
constexpr Duration kAimedPreemptionWindow = seconds(1);
// While an aimed preemption waits for its time it looks at the clock this often: 1 us of computing.
constexpr std::uint64_t kClockTicks = 256;

enum Use : std::uint64_t { kGap, kLength, kCoin };

}  // namespace

std::string describe(const Preemption& preemption) {
  return preemption.place.empty()
             ? fmt::format("{} after {} ticks", preemption.node, preemption.tick)
             : fmt::format("{} at {}", preemption.node, preemption.place);
}

void RecordedPreemptions::preempted(const kernel::PreemptionPoint& point, std::string place) {
  Preemption done;
  done.node = room_->node(point.node).name();
  done.incarnation = point.incarnation;
  done.tick = point.tick;
  done.pc = point.pc;
  done.time = point.time;
  done.place = std::move(place);
  done_.push_back(std::move(done));
}

// ---- drawn

std::uint64_t DrawnPreemptions::word(NodeId node, Incarnation incarnation, std::uint64_t use,
                                     std::uint64_t index) const {
  return room_->choices().word(kernel::Purpose::kPreemption,
                               kernel::Entity::of(index_of(node), incarnation, use), index);
}

// Exponential, so that the moments have no pattern; at least 1.
std::uint64_t DrawnPreemptions::gap(std::uint64_t mean, std::uint64_t word) const {
  kernel::Spread spread;
  spread.kind = kernel::Spread::Kind::kExponential;
  spread.low = Duration(1);
  spread.scale = Duration(static_cast<std::int64_t>(mean));
  spread.high = spread.scale * 20;
  return static_cast<std::uint64_t>(draw(spread, word).ns());
}

std::uint64_t DrawnPreemptions::next(NodeId node, Incarnation incarnation, std::uint64_t tick,
                                     SimTime) {
  if (settings_.policy == kernel::PreemptPolicy::kOff) return kNoTick;
  if (settings_.per_million_ticks == 0) return kNoTick;
  Stream& stream = streams_[node];
  if (stream.incarnation != incarnation) stream = Stream{incarnation, 0, 0};
  if (tick + 1 < stream.burst_until) return tick + 1;
  const bool burst = settings_.policy == kernel::PreemptPolicy::kBurst;
  const std::uint64_t mean =
      std::max<std::uint64_t>(1, (burst ? kBurstRarity : 1) * 1'000'000 /
                                     settings_.per_million_ticks);
  const std::uint64_t ordinal = stream.drawn++;
  const std::uint64_t begin = tick + gap(mean, word(node, incarnation, kGap, ordinal));
  if (burst) {
    stream.burst_until = begin + gap(kBurstTicks, word(node, incarnation, kLength, ordinal));
  }
  return begin;
}

bool DrawnPreemptions::at(const kernel::PreemptionPoint& point) {
  if (settings_.policy == kernel::PreemptPolicy::kRandom) return true;
  const std::uint64_t one_in = point.edge ? kEdgeOneIn : kElsewhereOneIn;
  return below(word(point.node, point.incarnation, kCoin, point.tick), one_in) == 0;
}

// ---- listed

ListedPreemptions::ListedPreemptions(std::vector<Preemption> list) : list_(std::move(list)) {}

void ListedPreemptions::attach(kernel::Room& room) {
  RecordedPreemptions::attach(room);
  for (Preemption& preemption : list_) {
    const auto node = room.find_node(preemption.node);
    if (node) queues_[*node].list.push_back(std::move(preemption));
  }
  list_.clear();
}

std::uint64_t ListedPreemptions::next(NodeId node, Incarnation incarnation, std::uint64_t tick,
                                      SimTime time) {
  Queue& queue = queues_[node];
  for (; queue.at < queue.list.size(); ++queue.at) {
    const Preemption& wanted = queue.list[queue.at];
    if (wanted.aim == Aim::kNearest) {
      if (time > wanted.time + kAimedPreemptionWindow) continue;
      return tick + (time < wanted.time ? kClockTicks : 1);
    }
    if (wanted.incarnation > incarnation) return kNoTick;
    if (wanted.incarnation == incarnation && wanted.tick > tick) return wanted.tick;
  }
  return kNoTick;
}

bool ListedPreemptions::at(const kernel::PreemptionPoint& point) {
  Queue& queue = queues_[point.node];
  Preemption& wanted = queue.list[queue.at];
  if (wanted.aim == Aim::kExact) {
    ++queue.at;
    return true;
  }
  if (point.time < wanted.time || point.pc != wanted.pc) return false;
  if (wanted.skip > 0) {
    --wanted.skip;
    return false;
  }
  ++queue.at;
  return true;
}

// ---- as JSON

Json to_json(const std::vector<Preemption>& preemptions) {
  Json lives = Json::array();
  for (std::size_t i = 0; i < preemptions.size();) {
    const Preemption& first = preemptions[i];
    Json at = Json::array();
    for (; i < preemptions.size() && preemptions[i].node == first.node &&
           preemptions[i].incarnation == first.incarnation;
         ++i) {
      at.push(Json::array()
                  .push(preemptions[i].tick)
                  .push(preemptions[i].pc)
                  .push(preemptions[i].time.ns())
                  .push(preemptions[i].place));
    }
    lives.push(Json::object()
                   .set("node", first.node)
                   .set("incarnation", first.incarnation)
                   .set("at", std::move(at)));
  }
  return lives;
}

namespace {

bool is_count(const Json& json) { return json.is(Json::Kind::kInteger) && !json.is_negative(); }

Result<Preemption> one_from_json(const Json& json, const std::string& where) {
  const bool right = json.is(Json::Kind::kArray) && json.items().size() == 4 &&
                     is_count(json.items()[0]) && is_count(json.items()[1]) &&
                     is_count(json.items()[2]) && json.items()[3].is(Json::Kind::kString);
  if (!right) return usage_error(where, "expected [ticks, pc, time in ns, \"place\"]");
  if (json.items()[2].unsigned_integer() > INT64_MAX) {
    return usage_error(where, "the time is beyond all runs");
  }
  Preemption preemption;
  preemption.tick = json.items()[0].unsigned_integer();
  preemption.pc = json.items()[1].unsigned_integer();
  preemption.time = SimTime(json.items()[2].integer());
  preemption.place = json.items()[3].string();
  return preemption;
}

}  // namespace

Result<std::vector<Preemption>> preemptions_from_json(const Json& json, const std::string& where) {
  if (!json.is(Json::Kind::kArray)) return usage_error(where, "expected a list");
  std::vector<Preemption> out;
  for (std::size_t i = 0; i < json.items().size(); ++i) {
    SF_TRY(const Fields life, Fields::of(json.items()[i], fmt::format("{}[{}]", where, i)));
    SF_TRY(const std::string node, life.string("node"));
    SF_TRY(const std::int64_t incarnation, life.integer("incarnation", 1));
    if (incarnation > UINT32_MAX) {
      return usage_error(life.place("incarnation"), fmt::format("expected at most {}", UINT32_MAX));
    }
    const Json* at = life.find("at");
    if (at == nullptr || !at->is(Json::Kind::kArray)) {
      return usage_error(life.place("at"), "expected a list");
    }
    for (std::size_t k = 0; k < at->items().size(); ++k) {
      SF_TRY(Preemption preemption,
             one_from_json(at->items()[k], fmt::format("{}[{}]", life.place("at"), k)));
      preemption.node = node;
      preemption.incarnation = static_cast<std::uint32_t>(incarnation);
      out.push_back(std::move(preemption));
    }
  }
  return out;
}

}  // namespace sf::fault
