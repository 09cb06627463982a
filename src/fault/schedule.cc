#include "fault/schedule.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "fault/json_fields.h"

namespace sf::fault {
namespace {

constexpr std::pair<FaultKind, std::string_view> kWords[] = {
    {FaultKind::kPower, "power"}, {FaultKind::kKill, "kill"}, {FaultKind::kPartition, "partition"}};
constexpr std::pair<kernel::Phase, std::string_view> kPhases[] = {
    {kernel::Phase::kBefore, "before"},
    {kernel::Phase::kInside, "inside"},
    {kernel::Phase::kAfter, "after"}};

using kernel::DiskOp;
constexpr std::pair<DiskOp, std::string_view> kOps[] = {
    {DiskOp::kOpen, "open"},         {DiskOp::kRead, "read"},
    {DiskOp::kWrite, "write"},       {DiskOp::kSync, "fsync"},
    {DiskOp::kTruncate, "truncate"}, {DiskOp::kRename, "rename"},
    {DiskOp::kLink, "link"},         {DiskOp::kUnlink, "unlink"},
    {DiskOp::kMakeDirectory, "mkdir"}, {DiskOp::kRemoveDirectory, "rmdir"},
    {DiskOp::kSymlink, "symlink"},   {DiskOp::kSetTimes, "utimes"}};

template <class Value, std::size_t N>
Result<Value> value_of(const std::pair<Value, std::string_view> (&table)[N],
                       const std::string& word, const std::string& where) {
  std::vector<std::string_view> words;
  for (const auto& [value, name] : table) {
    if (name == word) return value;
    words.push_back(name);
  }
  const auto near = nearest(word, words);
  return usage_error(
      where, fmt::format("unknown word \"{}\"", excerpt(word, 40)),
      near ? "did you mean " + *near + "?" : "one of " + fmt::format("{}", fmt::join(words, ", ")));
}

}  // namespace

std::string_view kind_word(FaultKind kind) {
  for (const auto& [value, word] : kWords) {
    if (value == kind) return word;
  }
  return "unknown";
}

std::string_view kind_title(FaultKind kind) {
  return kind == FaultKind::kPower ? "crash (power)" : kind_word(kind);
}

std::string describe(const Fault& fault) {
  if (fault.kind == FaultKind::kPartition) {
    return fmt::format("partition {}, heals after {}", fault.target, format_duration(fault.length));
  }
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

Json to_json(const Fault& fault) {
  Json out = Json::object();
  out.set("id", fault.id).set("kind", kind_word(fault.kind)).set("target", fault.target);
  Json trigger = Json::object();
  trigger.set("time_ns", fault.time.ns());
  if (fault.operation) {
    trigger.set("disk_op", fault.operation->ordinal);
    trigger.set("op", disk_op_name(fault.operation->op));
    trigger.set("phase", phase_name(fault.operation->phase));
  }
  if (fault.incarnation != 0) trigger.set("incarnation", fault.incarnation);
  out.set("trigger", std::move(trigger));
  Json parameters = Json::object();
  if (fault.kind == FaultKind::kPartition) {
    Json links = Json::array();
    for (const auto& [from, to] : fault.links) {
      links.push(Json::array().push(from).push(to));
    }
    parameters.set("length_ns", fault.length.ns()).set("links", std::move(links));
  } else {
    parameters.set("restart_after_ns", fault.restart_after.ns());
    if (fault.inside_sync) parameters.set("inside_sync_ns", fault.inside_sync->ns());
    if (fault.survivors) parameters.set("survivors", kernel::disk::to_json(*fault.survivors));
    if (fault.pages_kept) parameters.set("pages_kept", *fault.pages_kept);
  }
  out.set("parameters", std::move(parameters));
  Json effects = Json::object();
  if (!fault.subject.empty()) effects.set("at", fault.subject);
  if (!fault.effect.empty()) effects.set("what", fault.effect);
  if (fault.restarted_at) effects.set("restarted_at_ns", fault.restarted_at->ns());
  return out.set("effects", std::move(effects));
}

namespace {

constexpr std::int64_t kCountMax = 0xffffffff;
tl::unexpected<Error> too_big(std::string where) {
  return usage_error(std::move(where), fmt::format("expected at most {}", kCountMax));
}

Result<void> read_trigger(const Fields& trigger, Fault& fault) {
  SF_TRY(const std::int64_t time, trigger.integer("time_ns", 0));
  fault.time = SimTime(time);
  SF_TRY(const std::int64_t incarnation, trigger.optional_integer("incarnation", 0, 0));
  if (incarnation > kCountMax) return too_big(trigger.place("incarnation"));
  fault.incarnation = static_cast<std::uint32_t>(incarnation);
  SF_TRY(const std::int64_t ordinal, trigger.optional_integer("disk_op", 0, 0));
  if (ordinal == 0) return {};
  if (fault.kind == FaultKind::kPartition) {
    return usage_error(trigger.place("disk_op"),
                       "a partition begins at a time, not at an operation");
  }
  SF_TRY(const std::string phase, trigger.string("phase"));
  SF_TRY(const kernel::Phase value, value_of(kPhases, phase, trigger.place("phase")));
  SF_TRY(const std::string op, trigger.string("op"));
  SF_TRY(const kernel::DiskOp op_value, value_of(kOps, op, trigger.place("op")));
  fault.operation = OpTrigger{static_cast<std::uint64_t>(ordinal), value, op_value};
  return {};
}

Result<void> read_crash(const Fields& parameters, Fault& fault) {
  SF_TRY(const std::int64_t restart, parameters.integer("restart_after_ns", 0));
  fault.restart_after = Duration(restart);
  if (parameters.has("inside_sync_ns")) {
    SF_TRY(const std::int64_t inside, parameters.integer("inside_sync_ns", 0));
    fault.inside_sync = Duration(inside);
  }
  if (parameters.has("pages_kept")) {
    SF_TRY(const std::int64_t pages, parameters.integer("pages_kept", 0));
    if (pages > kCountMax) return too_big(parameters.place("pages_kept"));
    fault.pages_kept = static_cast<std::uint32_t>(pages);
  }
  if (const Json* survivors = parameters.find("survivors")) {
    SF_TRY(fault.survivors,
           kernel::disk::survivors_from_json(*survivors, parameters.place("survivors")));
  }
  return {};
}

Result<void> read_partition(const Fields& parameters, Fault& fault) {
  SF_TRY(const std::int64_t length, parameters.integer("length_ns", 1));
  fault.length = Duration(length);
  const Json* links = parameters.find("links");
  const std::string where = parameters.place("links");
  if (links == nullptr || !links->is(Json::Kind::kArray) || links->items().empty()) {
    return usage_error(where, "expected a list of [from, to] pairs of node names");
  }
  for (const Json& link : links->items()) {
    const bool pair = link.is(Json::Kind::kArray) && link.items().size() == 2 &&
                      link.items()[0].is(Json::Kind::kString) &&
                      link.items()[1].is(Json::Kind::kString);
    if (!pair) return usage_error(where, "expected a list of [from, to] pairs of node names");
    fault.links.emplace_back(link.items()[0].string(), link.items()[1].string());
  }
  return {};
}

}  // namespace

Result<Fault> fault_from_json(const Json& json, const std::string& where) {
  SF_TRY(const Fields fields, Fields::of(json, where));
  Fault fault;
  SF_TRY(fault.id, fields.string("id"));
  SF_TRY(const std::string kind, fields.string("kind"));
  SF_TRY(fault.kind, value_of(kWords, kind, fields.place("kind")));
  SF_TRY(fault.target, fields.string("target"));
  SF_TRY(const Fields trigger, fields.object("trigger"));
  SF_TRY_VOID(read_trigger(trigger, fault));
  SF_TRY(const Fields parameters, fields.object("parameters"));
  if (fault.kind == FaultKind::kPartition) {
    SF_TRY_VOID(read_partition(parameters, fault));
  } else {
    SF_TRY_VOID(read_crash(parameters, fault));
  }
  if (fields.has("effects")) {
    SF_TRY(const Fields effects, fields.object("effects"));
    SF_TRY(fault.subject, effects.optional_string("at"));
    SF_TRY(fault.effect, effects.optional_string("what"));
    if (effects.has("restarted_at_ns")) {
      SF_TRY(const std::int64_t at, effects.integer("restarted_at_ns", 0));
      fault.restarted_at = SimTime(at);
    }
  }
  return fault;
}

}  // namespace sf::fault
