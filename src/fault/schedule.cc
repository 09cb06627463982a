// What a fault is called and how it reads in one line.
#include "fault/schedule.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/strings.h"
#include "fault/words.h"

namespace sf::fault {

std::string_view kind_word(FaultKind kind) { return word_of(kWords, kind); }

Manner manner_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kPower:
    case FaultKind::kKill: return Manner::kCrash;
    case FaultKind::kPartition: return Manner::kPartition;
    case FaultKind::kSyncError:
    case FaultKind::kWriteError:
    case FaultKind::kReadError:
    case FaultKind::kShortWrite: return Manner::kIoError;
    case FaultKind::kDiskFull:
    case FaultKind::kNoDescriptors:
    case FaultKind::kDiskStall: return Manner::kWindow;
    case FaultKind::kEvict:
    case FaultKind::kBitRot: return Manner::kMoment;
  }
  SF_CHECK(false);
  return Manner::kCrash;
}

std::string_view kind_title(FaultKind kind) {
  switch (kind) {
    case FaultKind::kPower: return "crash (power)";
    case FaultKind::kSyncError: return "fsync error";
    case FaultKind::kWriteError: return "write error";
    case FaultKind::kReadError: return "read error";
    case FaultKind::kShortWrite: return "short write";
    case FaultKind::kDiskFull: return "full disk";
    case FaultKind::kNoDescriptors: return "no descriptors";
    case FaultKind::kDiskStall: return "disk stall";
    case FaultKind::kEvict: return "eviction";
    case FaultKind::kBitRot: return "bit rot";
    default: return kind_word(kind);
  }
}

namespace {

std::string describe_crash(const Fault& fault) {
  std::string out = fault.kind == FaultKind::kPower ? fmt::format("crash {} (power)", fault.target)
                                                    : fmt::format("kill {}", fault.target);
  if (fault.operation) {
    const std::string_view where = fault.operation->phase == kernel::Phase::kInside
                                       ? std::string_view("during")
                                       : phase_name(fault.operation->phase);
    out += fmt::format(" {} disk op #{}: {}", where, fault.operation->ordinal, fault.subject);
  }
  if (!fault.effect.empty()) out += (fault.operation ? ", " : ": ") + fault.effect;
  if (fault.restarted_at) {
    out += ", restart at " + format_duration(*fault.restarted_at - SimTime::zero());
  }
  return out;
}

std::string describe_window(const Fault& fault) {
  const std::string length = format_duration(fault.length);
  switch (fault.kind) {
    case FaultKind::kDiskFull: return fmt::format("disk of {} full for {}", fault.target, length);
    case FaultKind::kNoDescriptors:
      return fmt::format("{} can open no files for {}", fault.target, length);
    default: break;
  }
  if (fault.slowdown == 0) return fmt::format("disk of {} stalls for {}", fault.target, length);
  return fmt::format("disk of {} {} times slower for {}", fault.target, fault.slowdown, length);
}

}  // namespace

std::string describe(const Fault& fault) {
  switch (manner_of(fault.kind)) {
    case Manner::kCrash: return describe_crash(fault);
    case Manner::kPartition:
      return fmt::format("partition {}, heals after {}", fault.target,
                         format_duration(fault.length));
    case Manner::kWindow: return describe_window(fault);
    case Manner::kIoError:
    case Manner::kMoment: break;
  }
  std::string out = fmt::format("{} on {}", kind_title(fault.kind), fault.target);
  if (fault.operation) {
    out += fmt::format(" at disk op #{}: {}", fault.operation->ordinal, fault.subject);
  }
  if (!fault.effect.empty()) out += (fault.operation ? ", " : ": ") + fault.effect;
  return out;
}

}  // namespace sf::fault
