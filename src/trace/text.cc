#include "trace/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace sf::trace {
namespace {

constexpr std::size_t kNodeColumn = 10;
constexpr std::size_t kWhatColumn = 60;

// The mark before the words: what happened to a node, rather than what its program did.
std::string_view mark(kernel::RecordKind kind) {
  switch (kind) {
    case kernel::RecordKind::kFault: return "!";
    case kernel::RecordKind::kPreempt: return "~";
    case kernel::RecordKind::kBoot: return "^";
    case kernel::RecordKind::kExit:
    case kernel::RecordKind::kTrap: return "$";
    case kernel::RecordKind::kFinding:
    case kernel::RecordKind::kProperty: return "*";
    case kernel::RecordKind::kRoom:
    case kernel::RecordKind::kEnd: return "=";
    default: return " ";
  }
}

void pad_to(std::string& line, std::size_t width) {
  // Count characters, not bytes: "…" is one column.
  const auto columns = static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
  if (columns < width) line.append(width - columns, ' ');
}

}  // namespace

std::string_view kind_word(kernel::RecordKind kind) {
  switch (kind) {
    case kernel::RecordKind::kCall: return "call";
    case kernel::RecordKind::kBoot: return "boot";
    case kernel::RecordKind::kExit: return "exit";
    case kernel::RecordKind::kTrap: return "trap";
    case kernel::RecordKind::kConsole: return "console";
    case kernel::RecordKind::kFault: return "fault";
    case kernel::RecordKind::kNet: return "net";
    case kernel::RecordKind::kProperty: return "property";
    case kernel::RecordKind::kRoom: return "room";
    case kernel::RecordKind::kFinding: return "finding";
    case kernel::RecordKind::kEnd: return "end";
    case kernel::RecordKind::kPreempt: return "preempt";
  }
  return "unknown";
}

std::string format_record(const kernel::Record& record,
                          const std::vector<std::string>& node_names) {
  const std::int64_t ns = record.time.ns();
  std::string line = fmt::format("{:>5}.{:09d}  ", ns / 1'000'000'000, ns % 1'000'000'000);
  const std::size_t start = line.size();
  line += record.node == kernel::kTheRoom ? std::string_view("-")
                                          : std::string_view(node_names[index_of(record.node)]);
  pad_to(line, start + kNodeColumn);
  line += mark(record.kind);
  line += record.what.empty() ? std::string(kind_word(record.kind)) : record.what;
  if (!record.outcome.empty()) {
    pad_to(line, start + kNodeColumn + kWhatColumn);
    line += ' ';
    line += record.outcome;
  }
  return line;
}

}  // namespace sf::trace
