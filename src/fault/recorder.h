// Keeps the list of faults that fired, in the order they did.
#pragma once

#include <vector>

#include "fault/schedule.h"

namespace sf::fault {

class Recorder {
 public:
  // Fills a crash's trigger, parameters and effects from what the kernel reports.
  void crashed(Fault fault, const kernel::CrashReport& report);
  // A node is up again: its last crash learns when.
  void booted(const std::string& node, SimTime now);
  void io_failed(Fault fault, const kernel::IoReport& report);
  // Partitions, windows and moments, which know their own time and effect.
  void add(Fault fault) { fired_.push_back(std::move(fault)); }
  const std::vector<Fault>& fired() const { return fired_; }

 private:
  std::vector<Fault> fired_;
};

}  // namespace sf::fault
