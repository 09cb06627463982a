// Faults in capsules: written exactly, read strictly.
#include <fmt/format.h>

#include "base/check.h"
#include "fault/json_fields.h"
#include "fault/words.h"

namespace sf::fault {
namespace {

Json links_to_json(const Fault& fault) {
  Json links = Json::array();
  for (const auto& [from, to] : fault.links) links.push(Json::array().push(from).push(to));
  return links;
}

Json parameters_of(const Fault& fault) {
  Json out = Json::object();
  switch (fault.kind) {
    case FaultKind::kPower:
    case FaultKind::kKill:
      out.set("restart_after_ns", fault.restart_after.ns());
      if (fault.inside_sync) out.set("inside_sync_ns", fault.inside_sync->ns());
      if (fault.survivors) out.set("survivors", kernel::disk::to_json(*fault.survivors));
      if (fault.pages_kept) out.set("pages_kept", *fault.pages_kept);
      break;
    case FaultKind::kPartition:
      out.set("length_ns", fault.length.ns()).set("links", links_to_json(fault));
      break;
    case FaultKind::kSyncError: {
      Json pages = Json::array();
      for (const std::uint64_t page : fault.bad_pages) pages.push(page);
      out.set("pages", std::move(pages)).set("bad", word_of(kBadPages, fault.bad_page));
      break;
    }
    case FaultKind::kShortWrite: out.set("bytes", fault.bytes); break;
    case FaultKind::kDiskStall: out.set("slowdown", fault.slowdown); [[fallthrough]];
    case FaultKind::kDiskFull:
    case FaultKind::kNoDescriptors: out.set("length_ns", fault.length.ns()); break;
    case FaultKind::kBitRot: out.set("draw", fault.draw); break;
    case FaultKind::kWriteError:
    case FaultKind::kReadError:
    case FaultKind::kEvict: break;
  }
  return out;
}

}  // namespace

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
  out.set("parameters", parameters_of(fault));
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
  if (ordinal == 0 && manner_of(fault.kind) == Manner::kIoError) {
    return usage_error(trigger.place("disk_op"),
                       fmt::format("a {} needs the operation it hits", kind_title(fault.kind)));
  }
  if (ordinal == 0) return {};
  const Manner manner = manner_of(fault.kind);
  if (manner != Manner::kCrash && manner != Manner::kIoError) {
    return usage_error(trigger.place("disk_op"),
                       fmt::format("a {} begins at a time, not at an operation",
                                   kind_title(fault.kind)));
  }
  SF_TRY(const std::string phase, trigger.string("phase"));
  SF_TRY(const kernel::Phase value, value_of(kPhaseWords, phase, trigger.place("phase")));
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

Result<void> read_sync_error(const Fields& parameters, Fault& fault) {
  const Json* pages = parameters.find("pages");
  const std::string where = parameters.place("pages");
  const auto bad_list = [&where] {
    return usage_error(where, "expected a list of page numbers", "for example [0, 3]");
  };
  if (pages == nullptr || !pages->is(Json::Kind::kArray)) return bad_list();
  for (const Json& page : pages->items()) {
    if (!page.is(Json::Kind::kInteger) || page.is_negative()) return bad_list();
    fault.bad_pages.push_back(page.unsigned_integer());
  }
  SF_TRY(const std::string bad, parameters.string("bad"));
  SF_TRY(fault.bad_page, value_of(kBadPages, bad, parameters.place("bad")));
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

Result<void> read_parameters(const Fields& parameters, Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kPower:
    case FaultKind::kKill: return read_crash(parameters, fault);
    case FaultKind::kPartition: return read_partition(parameters, fault);
    case FaultKind::kSyncError: return read_sync_error(parameters, fault);
    case FaultKind::kShortWrite: {
      SF_TRY(const std::int64_t bytes, parameters.integer("bytes", 1));
      fault.bytes = static_cast<std::uint64_t>(bytes);
      return {};
    }
    case FaultKind::kDiskStall: {
      SF_TRY(const std::int64_t slowdown, parameters.integer("slowdown", 0));
      if (slowdown > kCountMax) return too_big(parameters.place("slowdown"));
      fault.slowdown = static_cast<std::uint32_t>(slowdown);
      [[fallthrough]];
    }
    case FaultKind::kDiskFull:
    case FaultKind::kNoDescriptors: {
      SF_TRY(const std::int64_t length, parameters.integer("length_ns", 1));
      fault.length = Duration(length);
      return {};
    }
    case FaultKind::kBitRot: {
      SF_TRY(const std::int64_t draw, parameters.integer("draw", 0));
      fault.draw = static_cast<std::uint64_t>(draw);
      return {};
    }
    case FaultKind::kWriteError:
    case FaultKind::kReadError:
    case FaultKind::kEvict: return {};
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
  SF_TRY_VOID(read_parameters(parameters, fault));
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
