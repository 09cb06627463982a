// A running program, as the kernel sees it. abi/ implements it over a wasm instance; a native Linux
// process could be another implementation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::kernel {

class Process;

enum class GuestStop : std::uint8_t {
  kWaiting,    // for a deadline, a descriptor or an operation (Process::wait_* was called)
  kSliceEnd,   // its slice is used up; it could go on
  kExited,
  kTrapped,
  kStopped,    // the kernel doomed it in the middle of a call (Process::doomed, Process::frozen)
};

struct GuestExit {
  std::int32_t code = 0;        // kExited
  std::string trap;             // kTrapped: what and where, one line
  std::vector<std::string> stack;   // kTrapped: innermost first
};

class Guest {
 public:
  virtual ~Guest() = default;      // also the way to kill it: runs none of its code
  // Runs from the process's local time until it stops. A guest whose wait is not over returns
  // kWaiting at once and `progressed()` stays as it was.
  virtual GuestStop advance() = 0;
  virtual const GuestExit& exit() const = 0;
  // How often it really went on (spurious wake-ups and slice ends do not count).
  virtual std::uint64_t resumptions() const = 0;
  // The process will be forked often from here on: a good moment to make that cheap.
  virtual void prepare_for_forks() {}
  // What it waits for or where it is, for diagnosis: "poll: 2 descriptors, no deadline".
  virtual std::string describe_wait() const = 0;
};

// Makes the guest of a new incarnation; called at each boot.
class GuestFactory {
 public:
  virtual ~GuestFactory() = default;
  virtual Result<std::unique_ptr<Guest>> start(Process& process) = 0;
};

}  // namespace sf::kernel
