#include "kernel/process.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::kernel {
namespace {

constexpr std::size_t kTailLines = 40;
constexpr std::size_t kLineBytesMax = 4096;
// CLOCK_MONOTONIC starts above zero so that a program never sees the moment "0", which some use as
// "not set".
constexpr std::int64_t kMonotonicStart = 1'000'000'000;

// value * numerator / denominator without overflow.
std::int64_t scale_ppm(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(value) * numerator / denominator);
}

Entity process_entity(NodeId node, Incarnation incarnation) {
  return Entity::of(index_of(node), incarnation);
}

}  // namespace

Process::Process(Room& room, Node& node, Incarnation incarnation, SimTime now)
    : room_(room), node_(node), incarnation_(incarnation), fds_(room.settings().limits.open_files),
      booted_(now), now_(now), last_call_(now), bound_(now), slice_start_(now) {}

Process::~Process() {
  if (wake_scheduled_) room_.queue().cancel(wake_event_);
  if (deadline_event_ != 0) room_.queue().cancel(deadline_event_);
}

NodeId Process::node_id() const { return node_.id(); }

// What a clock of this node shows after so much true time, and the reverse. The drift is constant,
// so both are exact up to a nanosecond.
std::int64_t Process::shown(Duration elapsed) const {
  return elapsed.ns() + scale_ppm(elapsed.ns(), node_.spec().drift_ppm, 1'000'000);
}
Duration Process::elapsed(std::int64_t shown_ns) const {
  const std::int64_t ppm = node_.spec().drift_ppm;
  return Duration(shown_ns - scale_ppm(shown_ns, ppm, 1'000'000 + ppm));
}

std::int64_t Process::wall_ns() const {
  return room_.settings().wall_epoch_ns + node_.spec().clock_offset.ns() +
         shown(now_ - SimTime::zero());
}
std::int64_t Process::monotonic_ns() const { return shown(now_ - booted_) + kMonotonicStart; }

SimTime Process::time_of_monotonic(std::int64_t ns) const {
  return booted_ + elapsed(ns - kMonotonicStart);
}
SimTime Process::time_of_wall(std::int64_t ns) const {
  std::int64_t since_start = 0;
  const std::int64_t base = room_.settings().wall_epoch_ns + node_.spec().clock_offset.ns();
  if (__builtin_sub_overflow(ns, base, &since_start)) return SimTime::never();
  return SimTime::zero() + elapsed(since_start);
}
SimTime Process::after(std::int64_t shown_ns) const { return now_ + elapsed(shown_ns); }

void Process::spend_ticks(std::int64_t ticks) {
  SF_CHECK(ticks >= 0);
  const std::int64_t thousandths =
      ticks * room_.settings().cpu.ns_per_1000_ticks + tick_remainder_;
  now_ += Duration(thousandths / 1000);
  cpu_ += Duration(thousandths / 1000);
  tick_remainder_ = thousandths % 1000;
  room_.evidence().ticks += static_cast<std::uint64_t>(ticks);
}

void Process::arrive(SimTime now) {
  if (now <= now_) return;
  last_call_ += now - now_;   // it waited: that is no CPU time
  now_ = now;
}

std::int64_t Process::ticks_left() {
  now_ += std::exchange(owed_, Duration());
  if (bound_version_ != room_.queue().version()) {
    bound_version_ = room_.queue().version();
    bound_ = std::min(slice_start_ + room_.settings().cpu.slice,
                      room_.queue().horizon_of(node_.id(), room_.least_latency()));
    bound_ = std::min(bound_, room_.pause() + nanoseconds(1));
  }
  // The last instant before the bound is the last one that is safe: what happens at the bound
  // happens before the program acts there.
  const std::int64_t left = (bound_ - now_).ns() - 1;
  if (left < 0) return -1;
  const std::int64_t cost = room_.settings().cpu.ns_per_1000_ticks;
  return std::max<std::int64_t>(0, (left * 1000 - tick_remainder_) / cost);
}

bool Process::spinning() const { return now_ - last_call_ > room_.settings().limits.spin; }

void Process::wait_until(SimTime deadline) {
  SF_CHECK(deadline_event_ == 0);
  if (deadline == SimTime::never()) return;
  deadline_event_ = room_.queue().schedule(EventSpec{
      .time = std::max(deadline, now_),
      .rank = Rank::kArrival,
      .entity = process_entity(node_.id(), incarnation_),
      .concern = Concern::kNode,
      .node = node_.id(),
      .action = [this] {
        deadline_event_ = 0;
        poke();
      }});
}

void Process::poke() {
  if (!stopped_) room_.schedule_wake(*this);
}

std::uint64_t Process::random_word(Purpose purpose, std::uint64_t index) const {
  return room_.choices().word(purpose, process_entity(node_.id(), incarnation_), index);
}

bool Process::console(std::uint8_t stream, std::string_view text) {
  SF_CHECK(stream == 1 || stream == 2);
  if (room_.terminal() != nullptr) room_.terminal()->write(node_id(), stream, text);
  output_bytes_ += text.size();
  std::string& line = line_[stream - 1];
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t take = std::min({newline, text.size(), kLineBytesMax - line.size()});
    line.append(text.substr(0, take));
    const bool ends = take == newline;
    text.remove_prefix(take + (ends ? 1 : 0));
    if (!ends && line.size() < kLineBytesMax) continue;
    end_line(stream);
  }
  return output_bytes_ <= room_.settings().limits.output_bytes;
}

// A line is complete.
void Process::end_line(std::uint8_t stream) {
  std::string& line = line_[stream - 1];
  // Go says why it dies in one line before its stacks, which may be longer than the tail.
  const bool says_why = line.starts_with("panic: ") || line.starts_with("fatal error: ");
  if (headline_.empty() && says_why) headline_ = line;
  tail_.push_back(line);
  if (tail_.size() > kTailLines) tail_.pop_front();
  record(RecordKind::kConsole, 0, stream, hash64(line),
         room_.journal().wants_text() ? "| " + line : std::string());
  line.clear();
}

void Process::fill_random(std::span<std::byte> into) {
  while (!into.empty()) {
    const std::uint64_t word = entropy_word();
    const std::size_t take = std::min(into.size(), sizeof word);
    std::memcpy(into.data(), &word, take);
    into = into.subspan(take);
  }
}

void Process::flush_console() {
  for (const std::uint8_t stream : {std::uint8_t{1}, std::uint8_t{2}}) {
    if (!line_[stream - 1].empty()) end_line(stream);
  }
}

void Process::record(RecordKind kind, std::uint32_t call, std::int64_t result,
                     std::uint64_t payload, std::string what, std::string outcome) {
  room_.journal().add(Record{now_, node_.id(), incarnation_, kind, call, result, payload,
                             std::move(what), std::move(outcome)});
}

void Process::property(PropertyHit hit) {
  hit.time = now_;
  hit.node = node_.id();
  Record record{now_,
                node_.id(),
                incarnation_,
                RecordKind::kProperty,
                static_cast<std::uint32_t>(hit.kind),
                hit.held ? 1 : 0,
                hash64(hit.identity),
                {},
                {}};
  if (room_.journal().wants_text()) {
    record.what = std::string(property_kind_name(hit.kind)) + ": " + hit.message;
    record.outcome = hit.held ? "holds" : "does not hold";
  }
  room_.journal().add(std::move(record), std::move(hit));
}

std::optional<Strike> Process::begin_disk_op(DiskOp op) {
  ++disk_ops_;
  ++room_.evidence().disk_ops;
  last_op_ = DiskOpContext{node_.id(), incarnation_,    disk_ops_,      op,
                           now_,       unsynced_write_, unsynced_name_, recovering_};
  return room_.faults().at_disk_op(last_op_);
}

std::optional<IoFault> Process::io_fault(disk::Ino ino, std::uint64_t bytes) {
  return room_.faults().io_fault(IoRequest{last_op_, bytes, ino});
}

Errno Process::may_open_descriptor() {
  if (node_.conditions().no_descriptors) {
    note_injected_error();
    return Errno::kMFile;
  }
  return fds_.open_count() < room_.settings().limits.open_files ? Errno::kOk : Errno::kMFile;
}

void Process::note_disk_op(DiskOp op, bool succeeded) {
  if (!succeeded) return;
  switch (op) {
    case DiskOp::kWrite:
    case DiskOp::kTruncate:
    case DiskOp::kAllocate:
      unsynced_write_ = true;
      return;
    case DiskOp::kSync:
      unsynced_write_ = false;
      unsynced_name_ = false;
      return;
    case DiskOp::kRename:
    case DiskOp::kLink:
    case DiskOp::kUnlink:
    case DiskOp::kMakeDirectory:
    case DiskOp::kRemoveDirectory:
    case DiskOp::kSymlink:
      unsynced_name_ = true;
      return;
    case DiskOp::kOpen:
    case DiskOp::kRead:
    case DiskOp::kSetTimes:
      return;
  }
}

void Process::spare() {
  if (stopped_) return;
  ++quiet_windows_;
  for (const EventId blow : std::exchange(blow_events_, {})) room_.queue().cancel(blow);
}

void Process::doom(const Strike& strike, disk::InFlight in_flight, std::string subject) {
  stopped_ = true;
  room_.schedule_blow(now_, *this, Room::Blow{strike, in_flight, last_op_, std::move(subject)});
}

}  // namespace sf::kernel
