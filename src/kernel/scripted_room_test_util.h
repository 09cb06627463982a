// A room of scripted guests for tests: node definitions, scripted faults, and the log of one run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "kernel/room.h"
#include "kernel/scripted_guest_test_util.h"

namespace sf::kernel::testing {

// Faults as a test lists them: at times or at operations. Draws nothing.
class ScriptedFaults : public FaultOracle {
 public:
  struct AtTime {
    SimTime time;
    NodeId node{};
    FaultKind kind = FaultKind::kPower;
  };
  struct AtOp {
    NodeId node{};
    Incarnation incarnation = 1;
    std::uint64_t ordinal = 0;
    FaultKind kind = FaultKind::kPower;
    Phase phase = Phase::kInside;
  };
  struct Cut {
    SimTime from, until;
    std::vector<std::pair<NodeId, NodeId>> links;
  };
  struct ErrorAt {
    NodeId node{};
    Incarnation incarnation = 1;
    std::uint64_t ordinal = 0;
    IoFault fault;
  };
  // Anything else that a fault does to the room, at a time.
  struct Act {
    SimTime time;
    NodeId node{};
    std::function<void(Room&)> action;
  };
  std::vector<AtTime> at_times;
  std::vector<ErrorAt> errors;
  std::vector<Act> acts;
  std::vector<AtOp> at_ops;
  std::vector<Cut> cuts;
  // Events that do nothing, to chop slices as a planner's would.
  std::vector<std::pair<SimTime, Concern>> noise;
  Duration restart = milliseconds(5);
  bool torn = false;
  bool nothing_survives = false;   // a power loss

  std::vector<CrashReport> reports;
  std::vector<IoReport> error_reports;
  std::vector<std::pair<SimTime, SimTime>> quiet_windows;
  std::vector<SimTime> setups;

  void attach(Room& room) override { room_ = &room; }
  void booted(NodeId, Incarnation, SimTime) override {
    if (!std::exchange(begun_, true)) schedule_all();
  }
  void gone(NodeId, Incarnation, SimTime) override {}
  void setup_complete(SimTime now) override { setups.push_back(now); }
  void quiet(SimTime from, SimTime until) override { quiet_windows.emplace_back(from, until); }
  void reseeded(SimTime) override {}
  std::optional<Strike> at_disk_op(const DiskOpContext& context) override {
    for (const AtOp& at : at_ops) {
      if (at.node == context.node && at.incarnation == context.incarnation &&
          at.ordinal == context.ordinal) {
        return Strike{1, at.kind, at.phase};
      }
    }
    return {};
  }
  std::optional<IoFault> io_fault(const IoRequest& request) override {
    const DiskOpContext& operation = request.operation;
    for (const ErrorAt& at : errors) {
      if (at.node == operation.node && at.incarnation == operation.incarnation &&
          at.ordinal == operation.ordinal) {
        return at.fault;
      }
    }
    return {};
  }
  void io_failed(FaultHandle, const IoReport& report) override { error_reports.push_back(report); }
  disk::Survivors survivors(FaultHandle, const disk::Volume& volume,
                            disk::InFlight in_flight) override {
    if (nothing_survives) {
      disk::Survivors nothing;
      nothing.pending = volume.pending_operations();
      return nothing;
    }
    return volume.draw_survivors(in_flight, Dice(room_->now().ns()),
                                 torn ? disk::Tearing::kTorn : disk::Tearing::kWhole);
  }
  std::optional<std::uint32_t> pages_kept(FaultHandle, std::uint32_t pages) override {
    return pages / 2;
  }
  Duration inside_sync(FaultHandle, Duration length) override { return length / 2; }
  Duration restart_delay(FaultHandle) override { return restart; }
  void crashed(FaultHandle, const CrashReport& report) override { reports.push_back(report); }

 private:
  void schedule_all() {
    std::uint64_t number = 0;
    for (const AtTime& at : at_times) {
      room_->schedule_fault(at.time, Concern::kNode, at.node, Entity::of(1, ++number), [this, at] {
        room_->strike_now(at.node, Strike{1, at.kind, Phase::kBefore});
      });
    }
    for (const Cut& cut : cuts) {
      room_->schedule_fault(cut.from, Concern::kRoomWide, kTheRoom, Entity::of(2, ++number),
                            [this, cut] { room_->partition(cut.links, "cut"); });
      room_->schedule_fault(cut.until, Concern::kRoomWide, kTheRoom, Entity::of(2, ++number),
                            [this, cut] { room_->heal(cut.links, "heal"); });
    }
    for (const Act& act : acts) {
      room_->schedule_fault(act.time, Concern::kNode, act.node, Entity::of(4, ++number),
                            [this, act] { act.action(*room_); });
    }
    for (const auto& [time, concern] : noise) {
      room_->schedule_fault(time, concern, NodeId{0}, Entity::of(3, ++number), [] {});
    }
  }
  Room* room_ = nullptr;
  bool begun_ = false;
};

struct NodeDef {
  NodeSpec spec;
  Program program;
  ScriptedGuest::Bound bound = {};
};

inline NodeDef service(std::string name, Program program) {
  NodeDef def;
  def.spec.name = std::move(name);
  def.spec.sync_time = Spread{.kind = Spread::Kind::kExponential, .low = Duration(0),
                              .high = milliseconds(50), .scale = milliseconds(2)};
  def.program = std::move(program);
  return def;
}
inline NodeDef workload(std::string name, Program program) {
  NodeDef def = service(std::move(name), std::move(program));
  def.spec.role = NodeRole::kWorkload;
  return def;
}
inline NodeDef supervised(std::string name, Program program) {
  NodeDef def = service(std::move(name), std::move(program));
  def.spec.supervision = Supervision::kRestart;
  return def;
}
// A workload that only waits for the end of the run.
inline NodeDef timer(Duration length) {
  return workload("timer", [length](ScriptedGuest& g) -> Script { co_await g.sleep(length); });
}

class LogSink final : public TraceSink, public PropertySink {
 public:
  explicit LogSink(bool text) : text_(text) {}
  bool wants_text() const override { return text_; }
  void record(std::uint64_t step, const Record& record) override {
    SF_CHECK(step == records.size() + 1);
    records.push_back(record);
  }
  void hit(const PropertyHit& hit) override { hits.push_back(hit); }
  std::vector<Record> records;
  std::vector<PropertyHit> hits;

 private:
  bool text_;
};

// What trace/ hashes: everything but the text.
inline std::uint64_t hash_of(const std::vector<Record>& records) {
  std::uint64_t hash = 0;
  for (const Record& r : records) {
    hash = mix_into(hash, static_cast<std::uint64_t>(r.time.ns()));
    hash = mix_into(hash, (static_cast<std::uint64_t>(r.kind) << 32) | r.call);
    hash = mix_into(hash, (static_cast<std::uint64_t>(index_of(r.node)) << 32) | r.incarnation);
    hash = mix_into(mix_into(hash, static_cast<std::uint64_t>(r.result)), r.payload);
  }
  return hash;
}

inline Settings test_settings(Duration horizon = seconds(10)) {
  Settings settings;
  settings.horizon = SimTime::zero() + horizon;
  settings.network.latency = Spread{.low = microseconds(200), .high = milliseconds(1)};
  return settings;
}

// One room and everything it refers to.
class TestRoom {
 public:
  TestRoom(std::vector<NodeDef> defs, FaultOracle& faults, const Settings& settings,
           std::uint64_t seed, bool text = true)
      : sink(text) {
    std::vector<Room::NodePlan> plans;
    for (NodeDef& def : defs) {
      factories_.push_back(
          std::make_unique<ScriptedFactory>(std::move(def.program), std::move(def.bound)));
      plans.push_back(Room::NodePlan{std::move(def.spec), factories_.back().get()});
    }
    room = std::make_unique<Room>(settings, seed, std::move(plans), RoomParts{faults, sink, sink});
    SF_CHECK(room->boot_all().has_value());
  }
  // Boots and runs to the end.
  struct RunNow {};
  TestRoom(std::vector<NodeDef> defs, FaultOracle& faults, const Settings& settings,
           std::uint64_t seed, RunNow)
      : TestRoom(std::move(defs), faults, settings, seed) {
    run();
  }
  TestRoom(const TestRoom&) = delete;
  TestRoom& operator=(const TestRoom&) = delete;
  void run() {
    while (room->advance(SimTime::never())) {
    }
  }

  // What programs noted, as "words" or "words value", in trace order.
  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    for (const Record& record : sink.records) {
      if (record.kind != RecordKind::kCall || record.call != kNote) continue;
      out.push_back(record.what);
      if (record.result != 0) out.back() += fmt::format(" {}", record.result);
    }
    return out;
  }
  // The value of the first note with these words.
  std::optional<std::int64_t> value(const std::string& words) const {
    for (const Record& record : sink.records) {
      if (record.call == kNote && record.what == words) return record.result;
    }
    return {};
  }
  std::optional<SimTime> time_of(const std::string& words) const {
    for (const Record& record : sink.records) {
      if (record.call == kNote && record.what == words) return record.time;
    }
    return {};
  }
  std::uint64_t hash() const { return hash_of(sink.records); }

  LogSink sink;
  std::unique_ptr<Room> room;

 private:
  std::vector<std::unique_ptr<ScriptedFactory>> factories_;
};

inline TestRoom run(std::vector<NodeDef> defs, FaultOracle& faults, std::uint64_t seed = 1,
                    const Settings& settings = test_settings()) {
  return TestRoom(std::move(defs), faults, settings, seed, TestRoom::RunNow{});
}

}  // namespace sf::kernel::testing
