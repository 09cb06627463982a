#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "abi/wasi/calls.h"
#include "abi/wasm_guest.h"
#include "kernel/room.h"

namespace sf::abi::wasi {
namespace {

constexpr std::uint32_t kClockRealtime = 0;
constexpr std::uint32_t kClockMonotonic = 1;
constexpr std::uint32_t kClockProcessCpu = 2;
constexpr std::uint32_t kClockThreadCpu = 3;

// A program that only yields is waiting: after this many yields it sleeps between two of them.
constexpr std::uint32_t kFreeYields = 64;
constexpr Duration kYieldSleepFirst = microseconds(50);
constexpr Duration kYieldSleepMax = milliseconds(5);

Answer string_sizes(Frame& frame, const std::vector<std::string>& strings) {
  std::uint64_t bytes = 0;
  for (const std::string& text : strings) bytes += text.size() + 1;
  SF_CALL_CHECK(frame.put(frame.u32(0), static_cast<std::uint32_t>(strings.size())));
  SF_CALL_CHECK(frame.put(frame.u32(1), static_cast<std::uint32_t>(bytes)));
  return Answer::done();
}

Answer string_table(Frame& frame, const std::vector<std::string>& strings) {
  std::uint32_t pointer = frame.u32(0);
  std::uint32_t buffer = frame.u32(1);
  for (const std::string& text : strings) {
    SF_CALL_CHECK(frame.put(pointer, buffer));
    SF_CALL_TRY(const std::span<std::byte> to, frame.bytes(buffer, text.size() + 1));
    std::memcpy(to.data(), text.c_str(), to.size());
    pointer += 4;
    buffer += static_cast<std::uint32_t>(to.size());
  }
  return Answer::done();
}

}  // namespace

Answer args_get(Frame& frame) { return string_table(frame, frame.guest().spec().arguments); }
Answer args_sizes_get(Frame& frame) { return string_sizes(frame, frame.guest().spec().arguments); }
Answer environ_get(Frame& frame) { return string_table(frame, frame.guest().spec().environment); }
Answer environ_sizes_get(Frame& frame) {
  return string_sizes(frame, frame.guest().spec().environment);
}

Answer clock_res_get(Frame& frame) {
  if (frame.u32(0) > kClockThreadCpu) return Answer::done(Errno::kInval);
  SF_CALL_CHECK(frame.put(frame.u32(1), std::uint64_t{1}));
  return Answer::done();
}

Answer clock_time_get(Frame& frame) {
  const kernel::Process& process = frame.process();
  std::int64_t now = 0;
  switch (frame.u32(0)) {
    case kClockRealtime: now = process.wall_ns(); break;
    case kClockMonotonic: now = process.monotonic_ns(); break;
    case kClockProcessCpu:
    case kClockThreadCpu: now = process.cpu_time().ns(); break;   // there is one thread
    default: return Answer::done(Errno::kInval);
  }
  SF_CALL_CHECK(frame.put(frame.u32(2), now));
  if (frame.wants_text()) {
    frame.what(frame.u32(0) == kClockRealtime    ? "clock wall"
               : frame.u32(0) == kClockMonotonic ? "clock monotonic"
                                                 : "clock cpu");
    frame.outcome(fmt::format("{}", now));
  }
  frame.note_data(static_cast<std::uint64_t>(now));
  return Answer::done();
}

Answer random_get(Frame& frame) {
  SF_CALL_TRY(const std::span<std::byte> to, frame.bytes(frame.u32(0), frame.u32(1)));
  frame.process().fill_random(to);
  const std::uint64_t hash = hash64(to);
  frame.note_data(hash);
  frame.process().spend(Duration(static_cast<std::int64_t>(to.size())));
  if (frame.wants_text()) {
    frame.what(fmt::format("random_get {} B", to.size()));
    frame.outcome(fmt::format("{:04x}…", hash >> 48));
  }
  return Answer::done();
}

Answer proc_exit(Frame& frame) {
  if (frame.wants_text()) frame.what(fmt::format("proc_exit {}", frame.u32(0)));
  return Answer::exit(static_cast<std::int32_t>(frame.u32(0)));
}

namespace {

enum class SignalAction : std::uint8_t { kIgnore, kStop, kTerminate };

// What a signal does by default (signal(7)); the numbers are witx `signal`.
SignalAction default_action(std::uint32_t signal) {
  switch (signal) {
    case 0:    // none
    case 16:   // chld
    case 17:   // cont
    case 22:   // urg
    case 27:   // winch
      return SignalAction::kIgnore;
    case 18:   // stop
    case 19:   // tstp
    case 20:   // ttin
    case 21:   // ttou
      return SignalAction::kStop;
    default:
      return SignalAction::kTerminate;
  }
}

}  // namespace

// WASI has no handlers, so each signal does what it does by default. A shell would report a program
// that one ended as 128 and the signal's number; beyond urg, Linux counts one further.
Answer proc_raise(Frame& frame) {
  constexpr std::uint32_t kSignalMax = 30;   // sys
  constexpr std::uint32_t kUrg = 22;
  const std::uint32_t signal = frame.u32(0);
  if (frame.wants_text()) frame.what(fmt::format("proc_raise {}", signal));
  if (signal > kSignalMax) return Answer::done(Errno::kInval);
  switch (default_action(signal)) {
    case SignalAction::kIgnore: return Answer::done();
    case SignalAction::kStop: return Answer::done(Errno::kNotSup);   // nobody could continue it
    case SignalAction::kTerminate: break;
  }
  return Answer::exit(static_cast<std::int32_t>(128 + signal + (signal > kUrg ? 1 : 0)));
}

// A program that spins on sched_yield (Go's signal_recv does) must neither starve the room nor burn
// the host: after some yields without any other call, each one sleeps a little longer, until
// anything happens to the process.
Answer sched_yield(Frame& frame) {
  if (frame.state.stage == 1) return Answer::done();
  std::uint32_t& yields = frame.guest().idle_yields();
  if (++yields <= kFreeYields) return Answer::done();
  frame.state.stage = 1;
  const std::uint32_t doublings = std::min((yields - kFreeYields) / 16, 8U);
  const Duration sleep =
      std::min(kYieldSleepFirst * (std::int64_t{1} << doublings), kYieldSleepMax);
  return Answer::wait(frame.process().now() + sleep);
}

}  // namespace sf::abi::wasi
