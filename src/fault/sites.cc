// Which ways to crash at an operation differ? A power loss or a kill, before, inside or after it:
// six at most. What is equal for a reason that is known beforehand is left out: an operation that
// changes nothing (read), and kills in an fsync, which the page cache outlives. The rest is decided
// by what really happened: of branches of one operation that crash at the same time and leave the
// same disk, only the first is carried on (Branches::crashed). Nothing that is random remains: a
// crash inside an fsync comes at its middle, the restart after the mean delay, a kill inside a
// write leaves half of its pages. Only the survivors are drawn, by the name of the site.
#include "fault/sites.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "kernel/choices.h"
#include "kernel/room.h"

namespace sf::fault {

using kernel::DiskOp;
using kernel::DiskOpContext;
using kernel::FaultHandle;
using kernel::Phase;
using kernel::Strike;

namespace {

constexpr FaultHandle kTheFault = 1;
constexpr Phase kPhases[] = {Phase::kBefore, Phase::kInside, Phase::kAfter};

bool may_differ(DiskOp op, FaultKind kind, Phase phase) {
  if (phase == Phase::kBefore) return true;
  return op != DiskOp::kRead && !(op == DiskOp::kSync && kind == FaultKind::kKill);
}

}  // namespace

void Sites::booted(NodeId node, kernel::Incarnation incarnation, SimTime now) {
  recorder_.booted(room_->node(node).name(), now);
  inner_.booted(node, incarnation, now);
}

void Sites::setup_complete(SimTime now) {
  allowed_.setup_complete();
  inner_.setup_complete(now);
}

void Sites::quiet(SimTime from, SimTime until) {
  allowed_.quiet(from, until);
  inner_.quiet(from, until);
}

bool Sites::may_strike(const DiskOpContext& context) const {
  return !room_->node(context.node).is_workload() && allowed_.contain(context.time);
}

std::optional<Strike> Sites::at_disk_op(const DiskOpContext& context) {
  if (site_ || !may_strike(context)) return {};
  const std::uint64_t operation = ++operations_;
  if (branches_ == nullptr || operation < range_.from || operation > range_.to) return {};
  for (const FaultKind kind : {FaultKind::kPower, FaultKind::kKill}) {
    for (const Phase phase : kPhases) {
      const SiteId site{operation, kind, phase};
      if (may_differ(context.op, kind, phase) && branches_->branch(site)) {
        return begin(site, context);
      }
    }
  }
  return {};
}

Strike Sites::begin(const SiteId& site, const DiskOpContext& context) {
  site_ = site;
  fault_.kind = site.kind;
  fault_.target = room_->node(context.node).name();
  fault_.incarnation = context.incarnation;
  fault_.id = fmt::format("{}/{}/{}#op{}", kind_word(site.kind), fault_.target,
                          context.incarnation, context.ordinal);
  return Strike{kTheFault, site.kind, site.phase};
}

// All phases of an operation draw alike, so that where they leave the same, they are seen to.
kernel::disk::Survivors Sites::survivors(FaultHandle, const kernel::disk::Volume& volume,
                                         kernel::disk::InFlight in_flight) {
  kernel::Dice dice = room_->choices().dice(kernel::Purpose::kSurvivors,
                                            kernel::Entity{hash64(fault_.id)}, 0);
  const bool torn = dice.hit(rates_.torn_writes);
  return volume.draw_survivors(
      in_flight, dice, torn ? kernel::disk::Tearing::kTorn : kernel::disk::Tearing::kWhole);
}

std::optional<std::uint32_t> Sites::pages_kept(FaultHandle, std::uint32_t pages) {
  return pages / 2;
}

Duration Sites::inside_sync(FaultHandle, Duration length) {
  fault_.inside_sync = Duration(length.ns() / 2);
  return *fault_.inside_sync;
}

Duration Sites::restart_delay(FaultHandle) {
  fault_.restart_after = rates_.restart_after;
  return fault_.restart_after;
}

void Sites::crashed(FaultHandle fault, const kernel::CrashReport& report) {
  SF_CHECK(fault == kTheFault && site_);
  recorder_.crashed(fault_, report);
  const kernel::NodeId node = report.operation->node;
  const Hash128 image = room_->node(node).volume().image_hash();
  std::uint64_t key = mix_into(site_->operation, static_cast<std::uint64_t>(site_->kind));
  key = mix_into(key, static_cast<std::uint64_t>(report.time.ns()));
  key = mix_into(mix_into(key, image.high), image.low);
  branches_->crashed(key);
}

}  // namespace sf::fault
