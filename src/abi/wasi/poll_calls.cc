// poll_oneoff: level-triggered; answers every subscription that is ready, at least one, and waits
// while none is. The subscriptions are read again at each try, so nothing of guest memory is kept;
// only the moment the call began is, for relative timeouts.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "abi/wasi/calls.h"
#include "abi/wasi/errno_map.h"
#include "abi/wasi/layout.h"
#include "abi/wasi/rights.h"
#include "abi/wasm_guest.h"
#include "kernel/net/network.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::abi::wasi {
namespace {

using kernel::Description;
using kernel::DescriptionKind;

constexpr std::uint32_t kSubscriptionsMax = 65'536;
// Looking at a subscription takes time; that of a few is within the cost of any host call.
constexpr std::uint32_t kFreeSubscriptions = 64;
constexpr Duration kSubscriptionCost = nanoseconds(20);
constexpr std::uint8_t kTagClock = 0, kTagRead = 1, kTagWrite = 2;
constexpr std::uint16_t kAbsolute = 1;
constexpr std::uint16_t kHangup = 1;
// What a write to something that never blocks can take; the number is the size of a
// pipe (pipe(7)).
constexpr std::uint64_t kPipeBytes = 65'536;

Outcome<SimTime> due(Frame& frame, const Subscription& clock) {
  const kernel::Process& process = frame.process();
  const bool absolute = (clock.clock_flags & kAbsolute) != 0;
  const auto value = static_cast<std::int64_t>(
      std::min<std::uint64_t>(clock.timeout, std::numeric_limits<std::int64_t>::max()));
  // The CPU clocks of a program that waits stand still. Linux would wait for ever for that of
  // the process, and refuses the thread's (clock_nanosleep(2)).
  if (clock.clock_or_fd > 3) return kernel::fail(Errno::kInval);
  if (clock.clock_or_fd > 1) return kernel::fail(Errno::kNotSup);
  if (!absolute) {
    // Counted from the moment the call began, on the node's own (perhaps drifting) clock.
    return frame.state.deadline + (process.after(value) - process.now());
  }
  return clock.clock_or_fd == 0 ? process.time_of_wall(value) : process.time_of_monotonic(value);
}

// What is left of a file; this is what ioctl(FIONREAD) of wasi-libc shows.
std::uint64_t bytes_to_read(Frame& frame, const Description& target) {
  if (target.kind != DescriptionKind::kFile) return 0;
  const auto stat = frame.process().node().volume().stat(target.ino);
  return stat && stat->size > target.offset ? stat->size - target.offset : 0;
}

// The event of a descriptor subscription, or nothing while it is not ready.
std::optional<Event> descriptor_event(Frame& frame, const Subscription& subscription) {
  Event event{};
  event.userdata = subscription.userdata;
  event.type = subscription.tag;
  if (const auto* parked = frame.guest().parked().find(subscription.clock_or_fd)) {
    if (frame.process().operations().is_pending(parked->id)) return {};
    return event;
  }
  const auto file = frame.process().fds().get(subscription.clock_or_fd);
  if (!file) {
    event.error = static_cast<std::uint16_t>(number_of(file.error()));
    return event;
  }
  const Description& target = **file;
  const bool to_write = subscription.tag == kTagWrite;
  if (!may_poll(target, to_write)) {
    event.error = static_cast<std::uint16_t>(number_of(Errno::kNotCapable));
    return event;
  }
  if (target.kind != DescriptionKind::kListener && target.kind != DescriptionKind::kStream) {
    // Files and the console never block.
    event.bytes = to_write ? kPipeBytes : bytes_to_read(frame, target);
    return event;
  }
  const kernel::Readiness ready = frame.process().room().network().readiness(target.socket);
  if (!(to_write ? ready.writable : ready.readable)) return {};
  event.bytes = to_write ? kernel::kWindowBytes : ready.bytes;
  event.flags = ready.hangup ? kHangup : 0;
  return event;
}

struct Scan {
  std::vector<Event> events;
  SimTime earliest = SimTime::never();
};

Outcome<Scan> scan(Frame& frame, std::uint32_t address, std::uint32_t count) {
  Scan result;
  const SimTime now = frame.process().now();
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto subscription =
        frame.get<Subscription>(static_cast<std::uint32_t>(address + i * sizeof(Subscription)));
    if (!subscription) return kernel::fail(subscription.error());
    if (subscription->tag == kTagClock) {
      if ((subscription->clock_flags & ~kAbsolute) != 0) return kernel::fail(Errno::kInval);
      Event event{};
      event.userdata = subscription->userdata;
      const auto deadline = due(frame, *subscription);
      if (!deadline) {
        event.error = static_cast<std::uint16_t>(number_of(deadline.error()));
        result.events.push_back(event);
      } else if (*deadline <= now) {
        result.events.push_back(event);
      } else {
        result.earliest = std::min(result.earliest, *deadline);
      }
    } else if (subscription->tag == kTagRead || subscription->tag == kTagWrite) {
      if (const auto event = descriptor_event(frame, *subscription)) {
        result.events.push_back(*event);
      }
    } else {
      return kernel::fail(Errno::kInval);
    }
  }
  return result;
}

}  // namespace

Answer poll_oneoff(Frame& frame) {
  const std::uint32_t count = frame.u32(2);
  if (count == 0 || count > kSubscriptionsMax) return Answer::done(Errno::kInval);
  // Both areas must lie in memory as a whole, so that no event can be lost half-way.
  SF_CALL_TRY(const std::span<std::byte> in,
              frame.bytes(frame.u32(0), std::uint64_t{count} * sizeof(Subscription)));
  SF_CALL_TRY(const std::span<std::byte> out,
              frame.bytes(frame.u32(1), std::uint64_t{count} * sizeof(Event)));
  if (frame.state.stage == 0) {
    frame.state.stage = 1;
    frame.state.deadline = frame.process().now();   // relative timeouts count from here
    frame.note_data(hash64(in));
    if (frame.wants_text()) frame.what(fmt::format("poll {} subscriptions", count));
    if (count > kFreeSubscriptions) {
      frame.process().spend(kSubscriptionCost * (count - kFreeSubscriptions));
    }
  }
  SF_CALL_TRY(const Scan result, scan(frame, frame.u32(0), count));
  if (result.events.empty()) return Answer::wait(result.earliest);
  std::uint32_t at = frame.u32(1);
  for (const Event& event : result.events) {
    SF_CALL_CHECK(frame.put(at, event));
    at += static_cast<std::uint32_t>(sizeof(Event));
  }
  frame.note_data(hash64(out.first(result.events.size() * sizeof(Event))));
  if (frame.wants_text()) frame.outcome(fmt::format("{} ready", result.events.size()));
  SF_CALL_CHECK(frame.put(frame.u32(3), static_cast<std::uint32_t>(result.events.size())));
  return Answer::done();
}

}  // namespace sf::abi::wasi
