#include "abi/wasm_guest.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "abi/wasi/errno_map.h"
#include "base/check.h"
#include "base/strings.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::abi {

using engine::CallOutcome;
using engine::Slot;
using kernel::GuestStop;

namespace {

void cross(Side to) {
  if (boundary_observer != nullptr) [[unlikely]] boundary_observer(to);
}

// A host call or tick, from its first to its last instruction.
class InCall {
 public:
  InCall() { cross(Side::kCall); }
  ~InCall() { cross(Side::kGuest); }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
};

}  // namespace

kernel::Process& Frame::process() const { return guest_->process(); }
bool Frame::wants_text() const { return guest_->process().room().journal().wants_text(); }

Outcome<std::span<std::byte>> Frame::bytes(std::uint32_t address, std::uint64_t size) const {
  const std::span<std::byte> memory = guest_->memory();
  if (size > memory.size() || address > memory.size() - size) return kernel::fail(Errno::kFault);
  return memory.subspan(address, size);
}

Outcome<std::string_view> Frame::text(std::uint32_t address, std::uint32_t size) const {
  const auto from = bytes(address, size);
  if (!from) return kernel::fail(from.error());
  return std::string_view(reinterpret_cast<const char*>(from->data()), from->size());
}

WasmGuest::WasmGuest(const engine::Program& program, const GuestSpec& spec,
                     kernel::Process& process)
    : program_(program), spec_(spec), process_(process) {}
WasmGuest::~WasmGuest() = default;

Result<std::unique_ptr<WasmGuest>> WasmGuest::create(const engine::Program& program,
                                                     const GuestSpec& spec,
                                                     kernel::Process& process) {
  std::unique_ptr<WasmGuest> guest(new WasmGuest(program, spec, process));
  SF_TRY(guest->instance_, engine::Instance::create(program, *guest, spec.memory_bytes_max));
  // Descriptors 0-2 are the console; 3 is the root of the node's disk.
  for (std::uint8_t stream = 0; stream < 3; ++stream) {
    auto console = std::make_shared<kernel::Description>();
    console->kind = kernel::DescriptionKind::kConsole;
    console->console = stream;
    console->flags.read = stream == 0;
    console->flags.write = stream != 0;
    SF_CHECK(process.fds().add(std::move(console)).has_value());
  }
  auto root = std::make_shared<kernel::Description>();
  root->kind = kernel::DescriptionKind::kDirectory;
  root->ino = process.node().volume().root();
  root->path = "/";
  root->preopened = true;
  root->flags.read = true;
  process.node().volume().retain(root->ino);
  SF_CHECK(process.fds().add(std::move(root)).has_value());
  return guest;
}

Result<std::unique_ptr<kernel::Guest>> WasmGuestFactory::start(kernel::Process& process) {
  SF_TRY(std::unique_ptr<WasmGuest> guest, WasmGuest::create(program_, spec_, process));
  return std::unique_ptr<kernel::Guest>(std::move(guest));
}

// ---- time

// Turns the ticks used since the last grant into local time.
void WasmGuest::enter() {
  const std::int64_t budget = instance_->budget();
  SF_CHECK(budget <= granted_);
  process_.spend_ticks(granted_ - budget);
  used_ += static_cast<std::uint64_t>(granted_ - budget);
  granted_ = budget;
}

// A budget of n is asked about after n + 1 ticks. Where a budget ends changes no account: ticks are
// charged exactly, whatever the grants were.
std::int64_t WasmGuest::ticks_to_grant() {
  const std::int64_t left = process_.ticks_left();
  if (preempt_at_ == kernel::kNoTick || left < 0) return left;
  SF_CHECK(preempt_at_ > used_);
  const std::uint64_t until = preempt_at_ - used_ - 1;
  return until < static_cast<std::uint64_t>(left) ? static_cast<std::int64_t>(until) : left;
}

void WasmGuest::grant_ticks() {
  granted_ = ticks_to_grant();
  instance_->set_budget(granted_);
}

// The program stands at the tick that the preemptor asked for.
void WasmGuest::ask_preemptor(std::uint64_t g, std::uint32_t sp) {
  kernel::Preemptor& preemptor = *process_.room().preemptor();
  kernel::PreemptionPoint point;
  point.node = process_.node_id();
  point.incarnation = process_.incarnation();
  point.tick = used_;
  point.time = process_.now();
  point.pc = instance_->go_pc();
  point.edge = used_ == last_call_ + 1 || instance_->at_go_edge();
  if (preemptor.at(point) && instance_->preempt_goroutine(g)) {
    const bool wants_text = process_.room().journal().wants_text();
    std::string place;
    if (wants_text || preemptor.wants_place()) {
      const engine::StackFrame frame = instance_->go_place(g, sp);
      if (!frame.function.empty()) {
        place = fmt::format("{}:{} ({})", frame.file, frame.line, frame.function);
      }
    }
    ++process_.room().evidence().preemptions;
    process_.record(kernel::RecordKind::kPreempt, 0, static_cast<std::int64_t>(used_), point.pc,
                    wants_text ? "preempt" : "", wants_text ? place : "");
    preemptor.preempted(point, std::move(place));
  }
  preempt_at_ = preemptor.next(point.node, point.incarnation, used_, point.time);
}

CallOutcome WasmGuest::tick(std::uint64_t g, std::uint32_t sp, Slot* new_budget) {
  const InCall in_call;
  g_ = g;
  sp_ = sp;
  enter();
  if (used_ == preempt_at_) ask_preemptor(g, sp);
  granted_ = ticks_to_grant();
  if (granted_ >= 0) {
    *new_budget = static_cast<Slot>(granted_);
    return CallOutcome::kReturn;
  }
  slice_wait_ = true;
  return CallOutcome::kWait;
}

// ---- calls

CallOutcome WasmGuest::call(CallNumber number, CallCode code, std::size_t argument_count,
                            const Slot* arguments, Slot* result) {
  const InCall in_call;
  enter();
  process_.note_call();
  ++process_.room().evidence().host_calls;
  Frame frame(*this, number);
  SF_CHECK(argument_count <= kArgumentsMax);
  frame.argument_count = static_cast<std::uint8_t>(argument_count);
  std::copy_n(arguments, argument_count, frame.arguments.begin());
  if (number != CallNumber::kSchedYield && number != CallNumber::kClockTimeGet) idle_yields_ = 0;
  const Answer answer = code(frame);
  if (answer.kind == Answer::Kind::kWait && !process_.stopped()) pending_code_ = code;
  return settle(frame, answer, result);
}

CallOutcome WasmGuest::settle(Frame& frame, const Answer& answer, Slot* result) {
  if (process_.stopped()) return CallOutcome::kEnd;
  switch (answer.kind) {
    case Answer::Kind::kExit:
      record(frame, Errno::kOk);
      exited_ = true;
      exit_.code = answer.exit_code;
      return CallOutcome::kEnd;
    case Answer::Kind::kWait:
      // While it waits its store may not be touched; the first check afterwards asks for ticks.
      granted_ = -1;
      instance_->set_budget(-1);
      pending_deadline_ = answer.deadline;
      pending_ = std::move(frame);
      return CallOutcome::kWait;
    case Answer::Kind::kDone:
      break;
  }
  record(frame, answer.error);
  const auto& costs = process_.room().settings().cpu;
  process_.spend(frame.number() == CallNumber::kClockTimeGet ? costs.clock_read : costs.host_call);
  grant_ticks();
  last_call_ = used_;
  *result = static_cast<Slot>(wasi::number_of(answer.error));
  return CallOutcome::kReturn;
}

void WasmGuest::record(const Frame& frame, Errno error) {
  if (frame.recorded_) return;
  std::uint64_t payload = frame.payload_;
  for (std::size_t i = 0; i < frame.argument_count; ++i) {
    payload = mix_into(payload, frame.arguments[i]);
  }
  std::string what;
  std::string outcome;
  if (frame.wants_text()) {
    what = frame.what_.empty() ? std::string(call_name(frame.number())) : frame.what_;
    outcome = error != Errno::kOk      ? std::string(kernel::errno_name(error))
              : frame.outcome_.empty() ? "ok"
                                       : frame.outcome_;
  }
  process_.record(kernel::RecordKind::kCall, static_cast<std::uint32_t>(frame.number()),
                  static_cast<std::int64_t>(error), payload, std::move(what), std::move(outcome));
}

// ---- running

engine::Stop WasmGuest::resume() {
  cross(Side::kGuest);
  const engine::Stop stop = instance_->resume();
  cross(Side::kRoom);
  return stop;
}

GuestStop WasmGuest::advance() {
  if (!started_) {
    started_ = true;
    kernel::Preemptor* preemptor = process_.room().preemptor();
    if (spec_.preemptible && preemptor != nullptr) {
      preempt_at_ = preemptor->next(process_.node_id(), process_.incarnation(), 0, process_.now());
    }
    grant_ticks();
  } else if (slice_wait_) {
    slice_wait_ = false;
    granted_ = ticks_to_grant();
    instance_->finish_wait(static_cast<Slot>(granted_));
    return stopped(resume());
  } else if (!try_again()) {
    if (process_.stopped()) return GuestStop::kStopped;
    process_.wait_until(pending_deadline_);
    return GuestStop::kWaiting;
  }
  ++resumptions_;
  return stopped(resume());
}

// True when the waiting call is complete and its result is handed over.
bool WasmGuest::try_again() {
  SF_CHECK(pending_.has_value());
  cross(Side::kCall);
  const Answer answer = pending_code_(*pending_);
  cross(Side::kRoom);
  if (process_.stopped()) return false;
  if (answer.kind == Answer::Kind::kWait) {
    pending_deadline_ = answer.deadline;
    return false;
  }
  SF_CHECK(answer.kind == Answer::Kind::kDone);
  record(*pending_, answer.error);
  process_.spend(process_.room().settings().cpu.host_call);
  pending_.reset();
  last_call_ = used_;
  instance_->finish_wait(static_cast<Slot>(wasi::number_of(answer.error)));
  return true;
}

GuestStop WasmGuest::stopped(engine::Stop stop) {
  // An end that no host call brought about: the ticks up to it have not been charged yet.
  if (stop == engine::Stop::kReturned || stop == engine::Stop::kTrapped) enter();
  switch (stop) {
    case engine::Stop::kWaiting:
      if (slice_wait_) return GuestStop::kSliceEnd;
      process_.wait_until(pending_deadline_);
      return GuestStop::kWaiting;
    case engine::Stop::kReturned:
      exit_.code = 0;
      return GuestStop::kExited;
    case engine::Stop::kEnded:
      return exited_ ? GuestStop::kExited : GuestStop::kStopped;
    case engine::Stop::kTrapped:
      break;
  }
  exit_.trap = instance_->trap().message;
  bool first = true;
  for (const engine::StackFrame& frame : instance_->trap().stack) {
    std::string line = frame.file.empty()
                           ? frame.function
                           : fmt::format("{} ({}:{})", frame.function, frame.file, frame.line);
    if (std::exchange(first, false)) exit_.trap += " in " + line;
    exit_.stack.push_back(std::move(line));
  }
  return GuestStop::kTrapped;
}

std::string WasmGuest::describe_wait() const {
  if (slice_wait_) {
    const auto stack = instance_->go_stack(g_, sp_);
    if (stack.empty()) return "computes";
    return fmt::format("computes in {} ({}:{})", stack[0].function, stack[0].file, stack[0].line);
  }
  if (!pending_) return started_ ? "runs" : "has just booted";
  std::string what = pending_->what().empty() ? std::string(call_name(pending_->number()))
                                              : pending_->what();
  if (pending_deadline_ == SimTime::never()) return "waits in " + what + ", no deadline";
  return fmt::format("waits in {} until {}", what,
                     format_duration(pending_deadline_ - SimTime::zero()));
}

}  // namespace sf::abi
