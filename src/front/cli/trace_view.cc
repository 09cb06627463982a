#include "front/cli/trace_view.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/strings.h"
#include "front/cli/output.h"
#include "trace/text.h"

namespace sf::front {
namespace {

constexpr std::string_view kKinds[] = {"call", "boot",     "exit", "trap",    "console", "fault",
                                       "net",  "property", "room", "finding", "end",     "preempt"};

Result<SimTime> time_flag(const std::string& name, const std::string& text, SimTime absent) {
  if (text.empty()) return absent;
  const auto parsed = parse_duration(text);
  if (!parsed) {
    return usage_error("", fmt::format("-{} {}: not a duration", name, excerpt(text, 40)),
                       "for example -from 0.4s");
  }
  return SimTime::zero() + *parsed;
}

Json json_of(std::uint64_t step, const kernel::Record& record,
             const std::vector<std::string>& names) {
  return Json::object()
      .set("step", step)
      .set("time_ns", record.time.ns())
      .set("node",
           record.node == kernel::kTheRoom ? std::string() : names[index_of(record.node)])
      .set("incarnation", record.incarnation)
      .set("kind", trace::kind_word(record.kind))
      .set("result", record.result)
      .set("what", record.what)
      .set("outcome", record.outcome);
}

}  // namespace

void ViewFlags::add_to(Flags& flags) {
  flags.text("node", node, "show only this node");
  flags.text("kind", kinds, "show only these kinds, for example call,fault,net");
  flags.text("from", from, "show from this simulated time");
  flags.text("to", to, "show to this simulated time");
  flags.toggle("json", json, "one JSON object per event");
}

Result<TraceView> TraceView::of(const ViewFlags& flags, std::vector<std::string> node_names) {
  TraceView view;
  view.names_ = std::move(node_names);
  view.node_ = flags.node;
  view.json_ = flags.json;
  const auto& names = view.names_;
  if (!flags.node.empty() && std::find(names.begin(), names.end(), flags.node) == names.end()) {
    return usage_error("", fmt::format("-node {}: no such node", excerpt(flags.node, 40)),
                       "nodes: " + join(names, ", "));
  }
  for (const std::string_view kind : split(flags.kinds, ',')) {
    if (kind.empty()) continue;
    if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) {
      return usage_error("", fmt::format("-kind {}: no such kind of event", excerpt(kind, 40)),
                         fmt::format("kinds: {}", fmt::join(kKinds, ", ")));
    }
    view.kinds_.emplace_back(kind);
  }
  SF_TRY(view.from_, time_flag("from", flags.from, SimTime::zero()));
  SF_TRY(view.to_, time_flag("to", flags.to, SimTime::never()));
  return view;
}

bool TraceView::shows(const kernel::Record& record) const {
  if (record.time < from_ || record.time > to_) return false;
  if (!node_.empty()) {
    if (record.node == kernel::kTheRoom || names_[index_of(record.node)] != node_) return false;
  }
  return kinds_.empty() ||
         std::find(kinds_.begin(), kinds_.end(), trace::kind_word(record.kind)) != kinds_.end();
}

void TraceView::show(std::uint64_t step, const kernel::Record& record) const {
  if (!shows(record)) return;
  fmt::print("{}\n", json_ ? json_of(step, record, names_).dump()
                           : printable(trace::format_record(record, names_)));
}

}  // namespace sf::front
