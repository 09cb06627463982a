#include "kernel/finding.h"

namespace sf::kernel {

std::string_view finding_kind_name(FindingKind kind) {
  switch (kind) {
    case FindingKind::kAssertion: return "assertion";
    case FindingKind::kExit: return "exit";
    case FindingKind::kTrap: return "trap";
    case FindingKind::kCrashLoop: return "crash-loop";
    case FindingKind::kDeadlock: return "deadlock";
    case FindingKind::kSpin: return "spin";
    case FindingKind::kOutput: return "output";
    case FindingKind::kHorizon: return "horizon";
    case FindingKind::kLimit: return "limit";
  }
  return "unknown";
}

std::string generalised(std::string_view message) {
  static constexpr std::string_view kGap = "…";
  std::string out;
  const auto gap = [&out] {
    if (!out.ends_with(kGap)) out += kGap;
  };
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '"') {
      const std::size_t close = message.find('"', i + 1);
      gap();
      if (close == std::string_view::npos) break;
      i = close;
    } else if (c >= '0' && c <= '9') {
      gap();
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace sf::kernel
