#include "fault/recorder.h"

#include <utility>

namespace sf::fault {

void Recorder::crashed(Fault fault, const kernel::CrashReport& report) {
  fault.time = report.time;
  fault.incarnation = report.incarnation;
  fault.aim = Aim::kExact;
  if (report.operation) {
    fault.operation = OpTrigger{report.operation->ordinal, report.phase, report.operation->op};
  } else {
    fault.operation.reset();
  }
  fault.survivors = report.survivors;
  fault.pages_kept = report.pages_kept;
  fault.subject = report.subject;
  fault.effect = report.effect.description;
  if (report.restart_at != SimTime::never()) fault.restarted_at = report.restart_at;
  fired_.push_back(std::move(fault));
}

}  // namespace sf::fault
