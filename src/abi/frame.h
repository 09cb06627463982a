// One host call in progress: its arguments, checked access to guest memory, and what the trace
// says.
//
// A call is a function of the frame. If it must wait it says until when (or until anything happens)
// and is called again with the same frame; `state` carries what it needs between the tries. Guest
// memory is never kept between tries, only addresses, and each access is checked.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "engine/host_call.h"
#include "kernel/errno.h"
#include "kernel/operations.h"
#include "kernel/process.h"

#include "abi/call_numbers.h"

namespace sf::abi {

using kernel::Errno;
using kernel::Outcome;

class WasmGuest;

struct Answer {
  enum class Kind : std::uint8_t {
    kDone,   // error (0 = success) goes back to the guest
    kWait,   // call again at `deadline` or when something happened to the process
    kExit,   // the program ends with `exit_code`
  };
  Kind kind = Kind::kDone;
  Errno error = Errno::kOk;
  SimTime deadline = SimTime::never();
  std::int32_t exit_code = 0;

  static Answer done(Errno error = Errno::kOk) { return Answer{.error = error}; }
  static Answer wait(SimTime until = SimTime::never()) {
    return Answer{.kind = Kind::kWait, .deadline = until};
  }
  static Answer exit(std::int32_t code) { return Answer{.kind = Kind::kExit, .exit_code = code}; }
};

inline constexpr std::size_t kArgumentsMax = 9;   // path_open and path_link's longer sibling

class Frame {
 public:
  Frame(WasmGuest& guest, CallNumber number) : guest_(&guest), number_(number) {}

  CallNumber number() const { return number_; }
  WasmGuest& guest() const { return *guest_; }
  kernel::Process& process() const;

  std::uint32_t u32(std::size_t index) const {
    return static_cast<std::uint32_t>(arguments[index]);
  }
  std::uint64_t u64(std::size_t index) const { return arguments[index]; }

  // ---- guest memory: EFAULT when the range does not lie in it
  Outcome<std::span<std::byte>> bytes(std::uint32_t address, std::uint64_t size) const;
  Outcome<std::string_view> text(std::uint32_t address, std::uint32_t size) const;
  template <class T>
  Outcome<T> get(std::uint32_t address) const {
    const auto from = bytes(address, sizeof(T));
    if (!from) return kernel::fail(from.error());
    T value{};
    std::memcpy(&value, from->data(), sizeof(T));
    return value;
  }
  template <class T>
  Errno put(std::uint32_t address, T value) const {
    const auto to = bytes(address, sizeof(T));
    if (!to) return to.error();
    std::memcpy(to->data(), &value, sizeof(T));
    return Errno::kOk;
  }

  // ---- the trace
  bool wants_text() const;
  void note_data(std::uint64_t hash) { payload_ = mix_into(payload_, hash); }
  void what(std::string words) { what_ = std::move(words); }
  void outcome(std::string words) { outcome_ = std::move(words); }
  const std::string& what() const { return what_; }
  // The call has made a record of its own kind; a second one for the call would say the same.
  void already_recorded() { recorded_ = true; }

  std::array<engine::Slot, kArgumentsMax> arguments{};
  std::uint8_t argument_count = 0;

  struct State {
    std::uint8_t stage = 0;           // how far it got; 0 at the first try
    SimTime deadline;
    kernel::OpId operation = kernel::OpId::kNone;
    std::uint64_t value = 0;
  } state;

 private:
  friend class WasmGuest;
  WasmGuest* guest_;
  CallNumber number_;
  std::uint64_t payload_ = 0;
  bool recorded_ = false;
  std::string what_;
  std::string outcome_;
};

}  // namespace sf::abi

// In a call: binds the value of an Outcome, or answers its error.
#define SF_CALL_TRY_INNER(temporary, declaration, expression)                    \
  auto temporary = (expression);                                                 \
  if (!temporary) return ::sf::abi::Answer::done(temporary.error());             \
  declaration = *std::move(temporary)
#define SF_CALL_CONCAT_INNER(a, b) a##b
#define SF_CALL_CONCAT(a, b) SF_CALL_CONCAT_INNER(a, b)
#define SF_CALL_TRY(declaration, expression) \
  SF_CALL_TRY_INNER(SF_CALL_CONCAT(sf_call_, __LINE__), declaration, expression)
// In a call: answers the Errno unless it is kOk.
#define SF_CALL_CHECK(expression)                                                \
  do {                                                                           \
    const ::sf::kernel::Errno sf_call_error = (expression);                      \
    if (sf_call_error != ::sf::kernel::Errno::kOk)                               \
      return ::sf::abi::Answer::done(sf_call_error);                             \
  } while (false)
