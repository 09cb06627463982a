// Draws faults from rates and odds.
//
// Each (kind, node, incarnation) has its own stream of arrivals; each draw is keyed by the fault's
// identity. So a fault that is disabled by id draws nothing and moves nothing else: all other
// planned faults, and every keyed draw up to the first divergence of the programs, stay equal.
//
// A crash that arrives by rate *arms*: with odds 3/4 it waits, at most 50 ms, for an operation
// where crashes hurt most (inside an fsync, after an unsynced rename, in recovery, …); else it
// strikes at its time. The rate stays true and the aim gets good.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fault/allowed_times.h"
#include "fault/node_windows.h"
#include "fault/rates.h"
#include "fault/recorder.h"
#include "kernel/choices.h"
#include "kernel/event_queue.h"
#include "kernel/fault_oracle.h"

namespace sf::fault {

class Planner final : public kernel::FaultOracle {
 public:
  // `disabled`: ids of faults that must not fire.
  Planner(const FaultRates& rates, std::set<std::string> disabled)
      : rates_(rates), disabled_(std::move(disabled)) {}

  const std::vector<Fault>& fired() const { return recorder_.fired(); }

  // kernel::FaultOracle
  void attach(kernel::Room& room) override;
  void booted(NodeId node, kernel::Incarnation incarnation, SimTime now) override;
  void gone(NodeId node, kernel::Incarnation incarnation, SimTime now) override;
  void setup_complete(SimTime now) override;
  void quiet(SimTime from, SimTime until) override;
  void reseeded(SimTime now) override;
  std::optional<kernel::Strike> at_disk_op(const kernel::DiskOpContext& context) override;
  std::optional<kernel::IoFault> io_fault(const kernel::IoRequest& request) override;
  void io_failed(kernel::FaultHandle fault, const kernel::IoReport& report) override;
  kernel::disk::Survivors survivors(kernel::FaultHandle fault, const kernel::disk::Volume& volume,
                                    kernel::disk::InFlight in_flight) override;
  std::optional<std::uint32_t> pages_kept(kernel::FaultHandle fault, std::uint32_t pages) override;
  Duration inside_sync(kernel::FaultHandle fault, Duration length) override;
  Duration restart_delay(kernel::FaultHandle fault) override;
  void crashed(kernel::FaultHandle fault, const kernel::CrashReport& report) override;

 private:
  struct Armed {
    kernel::FaultHandle handle = 0;
    FaultKind kind = FaultKind::kPower;
    kernel::EventId deadline = 0;
  };
  // The next arrival of one stream, while it is in the queue.
  struct Arrival {
    FaultKind kind = FaultKind::kPower;
    kernel::Incarnation incarnation = 0;
    std::uint64_t k = 0;
    kernel::EventId event = 0;
  };
  struct Partition {
    Fault fault;
    std::vector<std::pair<NodeId, NodeId>> links;
    kernel::EventId heal_event = 0;
  };
  // A restart that will be hit while it recovers: at this operation of this incarnation.
  struct Ambush {
    kernel::Incarnation incarnation = 0;
    std::uint64_t ordinal = 0;
  };
  bool hurts(NodeId node) const;
  bool may_strike(SimTime now) const { return allowed_.contain(now); }
  kernel::FaultHandle make(FaultKind kind, NodeId node, kernel::Incarnation incarnation,
                           std::string_view stream, std::uint64_t k);
  kernel::Dice dice(kernel::FaultHandle fault, std::uint64_t use) const;
  const Rate& rate_of(FaultKind kind) const;
  void schedule_arrival(FaultKind kind, NodeId node, kernel::Incarnation incarnation,
                        std::uint64_t k, SimTime after);
  void arrive(FaultKind kind, NodeId node, kernel::Incarnation incarnation, std::uint64_t k);
  void arm(NodeId node, kernel::FaultHandle handle, FaultKind kind);
  std::optional<kernel::Strike> armed_strike(const kernel::DiskOpContext& context);
  std::optional<kernel::Strike> ambush_strike(const kernel::DiskOpContext& context);
  void plan_ambush(NodeId node, kernel::Incarnation incarnation);
  void window_or_moment(FaultKind kind, NodeId node, kernel::FaultHandle handle);
  std::optional<kernel::IoFault> drawn_io_fault(const kernel::IoRequest& request, FaultKind kind,
                                                Odds odds);
  bool fill_sync_error(kernel::FaultHandle handle, const kernel::IoRequest& request);
  // Arrivals that concern the whole room.
  struct RoomStream {
    FaultKind kind = FaultKind::kPartition;
    const Rate* rate = nullptr;
    void (Planner::*arrive)(std::uint64_t k) = nullptr;
    Arrival next;
  };
  void schedule_in_room(RoomStream& stream, std::uint64_t k, SimTime after);
  void power_all(std::uint64_t k);
  void start_partition(std::uint64_t k);
  void heal(std::size_t index);
  std::vector<bool> draw_sides(kernel::Dice dice) const;

  FaultRates rates_;
  std::set<std::string> disabled_;
  kernel::Room* room_ = nullptr;
  Recorder recorder_;
  std::vector<Fault> handles_;               // a handle is an index plus 1
  std::map<NodeId, Armed> armed_;
  std::map<std::pair<NodeId, FaultKind>, Arrival> arrivals_;   // of the present incarnations
  std::map<NodeId, Ambush> ambushes_;
  NodeWindows windows_{recorder_};
  RoomStream partition_stream_;
  RoomStream power_all_stream_;
  std::vector<Partition> partitions_;
  bool streams_started_ = false;
  AllowedTimes allowed_{rates_};
};

}  // namespace sf::fault
