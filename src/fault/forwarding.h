// An oracle that passes everything on to another one. A base for those that change one answer.
#pragma once

#include "kernel/fault_oracle.h"

namespace sf::fault {

class ForwardingOracle : public kernel::FaultOracle {
 public:
  // `inner` must outlive it.
  explicit ForwardingOracle(kernel::FaultOracle& inner) : inner_(inner) {}

  void attach(kernel::Room& room) override {
    room_ = &room;
    inner_.attach(room);
  }
  void booted(kernel::NodeId node, kernel::Incarnation incarnation, SimTime now) override {
    inner_.booted(node, incarnation, now);
  }
  void gone(kernel::NodeId node, kernel::Incarnation incarnation, SimTime now) override {
    inner_.gone(node, incarnation, now);
  }
  void setup_complete(SimTime now) override { inner_.setup_complete(now); }
  void quiet(SimTime from, SimTime until) override { inner_.quiet(from, until); }
  void reseeded(SimTime now) override { inner_.reseeded(now); }
  std::optional<kernel::Strike> at_disk_op(const kernel::DiskOpContext& context) override {
    return inner_.at_disk_op(context);
  }
  std::optional<kernel::IoFault> io_fault(const kernel::IoRequest& request) override {
    return inner_.io_fault(request);
  }
  void io_failed(kernel::FaultHandle fault, const kernel::IoReport& report) override {
    inner_.io_failed(fault, report);
  }
  kernel::disk::Survivors survivors(kernel::FaultHandle fault, const kernel::disk::Volume& volume,
                                    kernel::disk::InFlight in_flight) override {
    return inner_.survivors(fault, volume, in_flight);
  }
  std::optional<std::uint32_t> pages_kept(kernel::FaultHandle fault, std::uint32_t pages) override {
    return inner_.pages_kept(fault, pages);
  }
  Duration inside_sync(kernel::FaultHandle fault, Duration length) override {
    return inner_.inside_sync(fault, length);
  }
  Duration restart_delay(kernel::FaultHandle fault) override { return inner_.restart_delay(fault); }
  void crashed(kernel::FaultHandle fault, const kernel::CrashReport& report) override {
    inner_.crashed(fault, report);
  }

 protected:
  kernel::FaultOracle& inner_;
  kernel::Room* room_ = nullptr;
};

}  // namespace sf::fault
