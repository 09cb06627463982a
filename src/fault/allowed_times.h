// When faults may happen: within `from` and `until`, after SetupComplete where a program calls it,
// and outside of quiet windows.
#pragma once

#include <algorithm>

#include "fault/rates.h"

namespace sf::fault {

class AllowedTimes {
 public:
  // `rates` must outlive it.
  explicit AllowedTimes(const FaultRates& rates) : rates_(rates) {}

  void setup_complete() { set_up_ = true; }
  // Windows come in the order of their begins; one that begins in another prolongs it.
  void quiet(SimTime from, SimTime until) {
    if (from > quiet_until_) quiet_from_ = from;
    quiet_until_ = std::max(quiet_until_, until);
  }
  bool contain(SimTime now) const {
    if (rates_.wait_for_setup && !set_up_) return false;
    if (now >= quiet_from_ && now < quiet_until_) return false;
    return now >= rates_.from && now < rates_.until;
  }

 private:
  const FaultRates& rates_;
  bool set_up_ = false;
  SimTime quiet_from_ = SimTime::never();
  SimTime quiet_until_;
};

}  // namespace sf::fault
