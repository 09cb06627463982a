// A wasm program as the kernel's guest: host calls, time charging, waiting, and its end.
//
// Around every host call the guest turns used ticks into local time, lets the call act, charges it,
// and grants the ticks that are left until somebody could notice (Process::ticks_left). The
// rewriting pass puts a budget check before each import, so no call starts after the slice has
// ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/frame.h"
#include "abi/parked_operations.h"
#include "engine/engine.h"
#include "engine/host_call.h"
#include "kernel/guest.h"
#include "kernel/preemptor.h"
#include "kernel/process.h"

namespace sf::abi {

struct GuestSpec {
  std::vector<std::string> arguments;      // [0] is the program's name
  std::vector<std::string> environment;    // "KEY=value"
  std::uint64_t memory_bytes_max = 256ULL << 20;
  // Its goroutines can be preempted: it is a Go program, and its runtime is laid out as we think.
  bool preemptible = false;
};

// For benchmarks: told at each crossing who runs from now on. Null when nobody looks, which costs a
// load and a branch per crossing. Process-wide, so set it between runs.
enum class Side : std::uint8_t { kRoom, kGuest, kCall };
using BoundaryObserver = void (*)(Side from_now_on);
inline BoundaryObserver boundary_observer = nullptr;  // tidy: allow(mutable-static) benchmarks only

class WasmGuest final : public kernel::Guest, public engine::HostEnvironment {
 public:
  static Result<std::unique_ptr<WasmGuest>> create(const engine::Program& program,
                                                   const GuestSpec& spec,
                                                   kernel::Process& process);
  ~WasmGuest() override;

  // kernel::Guest
  kernel::GuestStop advance() override;
  const kernel::GuestExit& exit() const override { return exit_; }
  std::uint64_t resumptions() const override { return resumptions_; }
  std::string describe_wait() const override;
  void prepare_for_forks() override { instance_->prepare_for_forks(); }

  // engine::HostEnvironment
  engine::CallOutcome tick(std::uint64_t g, std::uint32_t sp, engine::Slot* new_budget) override;

  // ---- for host calls
  using CallCode = Answer (*)(Frame& frame);
  engine::CallOutcome call(CallNumber number, CallCode code, std::size_t argument_count,
                           const engine::Slot* arguments, engine::Slot* result);
  kernel::Process& process() const { return process_; }
  const GuestSpec& spec() const { return spec_; }
  const engine::Program& program() const { return program_; }
  std::span<std::byte> memory() const { return instance_->memory(); }
  // Consecutive sched_yield calls without other progress.
  std::uint32_t& idle_yields() { return idle_yields_; }
  ParkedOperations& parked() { return parked_; }

 private:
  WasmGuest(const engine::Program& program, const GuestSpec& spec, kernel::Process& process);
  void enter();
  engine::Stop resume();
  std::int64_t ticks_to_grant();
  void grant_ticks();
  void ask_preemptor(std::uint64_t g, std::uint32_t sp);
  engine::CallOutcome settle(Frame& frame, const Answer& answer, engine::Slot* result);
  bool try_again();
  kernel::GuestStop stopped(engine::Stop stop);
  void record(const Frame& frame, Errno error);

  const engine::Program& program_;
  const GuestSpec& spec_;
  kernel::Process& process_;
  std::unique_ptr<engine::Instance> instance_;
  std::int64_t granted_ = 0;             // budget that was last set
  std::uint64_t used_ = 0;               // ticks of this life
  std::uint64_t preempt_at_ = kernel::kNoTick;   // the preemptor is asked there; above used_
  std::uint64_t last_call_ = kernel::kNoTick;    // ticks used when a host call last returned
  std::uint64_t resumptions_ = 0;
  std::uint32_t idle_yields_ = 0;
  bool started_ = false;
  bool slice_wait_ = false;
  bool exited_ = false;
  ParkedOperations parked_;
  std::optional<Frame> pending_;         // a call that waits
  CallCode pending_code_ = nullptr;
  SimTime pending_deadline_;
  std::uint64_t g_ = 0;                  // of the last tick, for stacks
  std::uint32_t sp_ = 0;
  kernel::GuestExit exit_;
};

// Starts the same program with the same arguments at each boot of a node.
class WasmGuestFactory final : public kernel::GuestFactory {
 public:
  WasmGuestFactory(const engine::Program& program, GuestSpec spec)
      : program_(program), spec_(std::move(spec)) {}
  Result<std::unique_ptr<kernel::Guest>> start(kernel::Process& process) override;

 private:
  const engine::Program& program_;
  GuestSpec spec_;
};

}  // namespace sf::abi
