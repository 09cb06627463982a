// The single-crash pass: one crash, and no other fault, at each disk operation of the services.
//
// Counts the disk operations at which faults are allowed (after SetupComplete where a program
// calls it, within faults.from and until, outside quiet windows) and branches off one run per way
// to crash there. What such a branch leaves is an ordinary list of one fault.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "fault/allowed_times.h"
#include "fault/branches.h"
#include "fault/forwarding.h"
#include "fault/rates.h"
#include "fault/recorder.h"

namespace sf::fault {

// Which operations of the run are tried, both included.
struct SiteRange {
  std::uint64_t from = 1;
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max();
};

class Sites final : public ForwardingOracle {
 public:
  // `inner` must bring no fault. `branches` may be null: then it only counts.
  Sites(kernel::FaultOracle& inner, const FaultRates& rates, const SiteRange& range,
        Branches* branches)
      : ForwardingOracle(inner), rates_(rates), range_(range), branches_(branches) {}

  std::uint64_t operations() const { return operations_; }
  const std::vector<Fault>& fired() const { return recorder_.fired(); }

  void booted(kernel::NodeId node, kernel::Incarnation incarnation, SimTime now) override;
  void setup_complete(SimTime now) override;
  void quiet(SimTime from, SimTime until) override;
  std::optional<kernel::Strike> at_disk_op(const kernel::DiskOpContext& context) override;
  kernel::disk::Survivors survivors(kernel::FaultHandle fault, const kernel::disk::Volume& volume,
                                    kernel::disk::InFlight in_flight) override;
  std::optional<std::uint32_t> pages_kept(kernel::FaultHandle fault, std::uint32_t pages) override;
  Duration inside_sync(kernel::FaultHandle fault, Duration length) override;
  Duration restart_delay(kernel::FaultHandle fault) override;
  void crashed(kernel::FaultHandle fault, const kernel::CrashReport& report) override;

 private:
  bool may_strike(const kernel::DiskOpContext& context) const;
  kernel::Strike begin(const SiteId& site, const kernel::DiskOpContext& context);

  const FaultRates& rates_;
  SiteRange range_;
  Branches* branches_;
  std::uint64_t operations_ = 0;
  AllowedTimes allowed_{rates_};
  std::optional<SiteId> site_;          // in a branch
  Fault fault_;
  Recorder recorder_;
};

}  // namespace sf::fault
