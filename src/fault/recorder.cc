#include "fault/recorder.h"

#include <utility>

#include <fmt/format.h>

namespace sf::fault {

void Recorder::crashed(Fault fault, const kernel::CrashReport& report) {
  fault.time = report.time;
  if (fault.aim == Aim::kNearest) {
    // It struck somewhere else than where its name says: it gets the name of what it became.
    fault.id = fmt::format("{}/{}/{}#{}", kind_word(fault.kind), fault.target, report.incarnation,
                           report.operation ? fmt::format("op{}", report.operation->ordinal)
                                            : fmt::format("at{}", report.time.ns()));
  }
  fault.incarnation = report.incarnation;
  fault.aim = Aim::kExact;
  fault.skip = 0;
  if (report.operation) {
    fault.operation = OpTrigger{report.operation->ordinal, report.phase, report.operation->op};
  } else {
    fault.operation.reset();
  }
  fault.survivors = report.survivors;
  fault.pages_kept = report.pages_kept;
  fault.subject = report.subject;
  fault.effect = report.effect.description;
  if (!report.effect.missing_barrier.empty()) fault.effect += "; " + report.effect.missing_barrier;
  fault.restarted_at.reset();
  fired_.push_back(std::move(fault));
}

void Recorder::io_failed(Fault fault, const kernel::IoReport& report) {
  const kernel::DiskOpContext& at = report.operation;
  fault.time = at.time;
  if (fault.aim == Aim::kNearest) {
    fault.id = fmt::format("{}/{}/{}#op{}", kind_word(fault.kind), fault.target, at.incarnation,
                           at.ordinal);
  }
  fault.incarnation = at.incarnation;
  fault.aim = Aim::kExact;
  fault.skip = 0;
  fault.operation = OpTrigger{at.ordinal, kernel::Phase::kInside, at.op};
  fault.subject = report.subject;
  fault.effect = report.effect;
  fired_.push_back(std::move(fault));
}

void Recorder::booted(const std::string& node, SimTime now) {
  for (auto fault = fired_.rbegin(); fault != fired_.rend(); ++fault) {
    if (manner_of(fault->kind) != Manner::kCrash || fault->target != node) continue;
    if (!fault->restarted_at) fault->restarted_at = now;
    return;
  }
}

}  // namespace sf::fault
