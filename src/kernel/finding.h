// What can be wrong with a run, and how a run can end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "kernel/ids.h"

namespace sf::kernel {

enum class FindingKind : std::uint8_t {
  kAssertion,    // Assert, Always or Unreachable of the SDK
  kExit,         // a program ended with a non-zero code
  kTrap,         // a program did what wasm forbids, or used up its memory or stack
  kCrashLoop,    // a supervised program ends again and again without any fault
  kDeadlock,     // somebody waits and nothing will ever happen
  kSpin,         // CPU time without any host call
  kOutput,       // more console output than the bound allows
  kHorizon,      // the horizon came first (a finding unless the config allows it)
  kLimit,        // a bound of the run (steps, events at one instant)
};
std::string_view finding_kind_name(FindingKind kind);   // "assertion", "exit", …

struct Finding {
  FindingKind kind = FindingKind::kAssertion;
  SimTime time;
  NodeId node = kTheRoom;
  Incarnation incarnation = 0;
  std::string message;                // one line
  std::string site;                   // "client/main.go:88 (main.verify)", or empty
  std::vector<std::string> detail;    // console tail, stack, who waits for what
  // Equal for findings that are the same problem: kind, node role, message without its numbers.
  std::string fingerprint;
};

// The message with digits and quoted text replaced by "…": "acknowledged entry … lost: server now
// answers …".
std::string generalised(std::string_view message);

enum class EndKind : std::uint8_t {
  kWorkloadDone, kFinding, kHorizon,
};

}  // namespace sf::kernel
