// A fake guest for tests of the room: a program is a C++ coroutine that computes, calls and waits.
//
// It drives Process, Network and files as abi/wasm_guest.cc does: ticks are charged when the
// program is entered, every call is preceded by a budget check, a slice that is used up ends in
// kSliceEnd, a call that must wait is tried again whenever something happens. So tests need no
// wasm. A program may keep nothing outside its coroutine and must report by records (note), since
// what it does may lie after the end of the run.
//
// In a program, a lambda inside a co_await expression may capture references and plain numbers
// only: gcc 12 destroys such closures twice.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "kernel/file_calls.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::kernel::testing {

// The coroutine of one program.
class Script {
 public:
  struct promise_type {
    Script get_return_object() {
      return Script(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  Script(Script&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  Script& operator=(Script&&) = delete;
  ~Script() {
    if (handle_) handle_.destroy();
  }
  void resume() { handle_.resume(); }
  bool done() const { return handle_.done(); }

 private:
  explicit Script(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

struct Answer {
  enum class Kind : std::uint8_t { kDone, kWait, kExit, kTrap } kind = Kind::kDone;
  Errno error = Errno::kOk;
  std::int64_t value = 0;
  std::string data = {};
  SimTime deadline = SimTime::never();

  static Answer done(std::int64_t value = 0, std::string data = {}) {
    return Answer{.value = value, .data = std::move(data)};
  }
  static Answer failed(Errno error) { return Answer{.error = error}; }
  static Answer wait(SimTime until = SimTime::never()) {
    return Answer{.kind = Kind::kWait, .deadline = until};
  }
  bool ok() const { return error == Errno::kOk; }
  SocketId socket() const { return static_cast<SocketId>(value); }
};
using File = std::shared_ptr<Description>;

// Numbers of calls in records. The result of kAnyCall is its errno, of all others their value.
inline constexpr std::uint32_t kAnyCall = 900;
inline constexpr std::uint32_t kNote = 901;

class ScriptedGuest;
using Program = std::function<Script(ScriptedGuest&)>;

class ScriptedGuest final : public Guest {
 public:
  // How far it may run; tests replace it to show that a too generous bound is noticed.
  using Bound = std::function<std::int64_t(Process&)>;

  ScriptedGuest(const Program& program, const Bound& bound, Process& process)
      : process_(process), bound_(bound), script_(program(*this)) {}

  // ---- kernel::Guest
  GuestStop advance() override {
    if (!started_) {
      started_ = true;
      grant();
    } else if (slice_wait_) {
      slice_wait_ = false;
      grant();
      return run();
    } else if (!try_again()) {
      if (process_.stopped()) return GuestStop::kStopped;
      process_.wait_until(deadline_);
      return GuestStop::kWaiting;
    }
    ++resumptions_;
    return run();
  }
  const GuestExit& exit() const override { return exit_; }
  std::uint64_t resumptions() const override { return resumptions_; }
  std::string describe_wait() const override {
    return slice_wait_ ? "computes" : waiting_ ? "waits in " + op_->name : "runs";
  }

  // ---- what programs say: co_await each of them
  struct Awaitable {
    ScriptedGuest& guest;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    Answer await_resume() const { return std::move(guest.answer_); }
  };
  using Code = std::function<Answer()>;

  Awaitable compute(std::int64_t ticks) {
    op_ = Op{.ticks = ticks};
    return Awaitable{*this};
  }
  // One host call. `code` is tried again while it answers wait.
  Awaitable call(std::string name, Code code, std::uint32_t number = kAnyCall) {
    op_ = Op{.name = std::move(name), .code = std::move(code), .number = number};
    return Awaitable{*this};
  }
  // A record of what the program knows.
  Awaitable note(std::string words, std::int64_t value = 0) {
    return call(std::move(words), [value] { return Answer::done(value); }, kNote);
  }
  Awaitable sleep_until(SimTime time) {
    return call("sleep",
                [this, time] { return now() >= time ? Answer::done() : Answer::wait(time); });
  }
  Awaitable sleep(Duration length) {
    auto until = std::make_shared<std::optional<SimTime>>();
    return call("sleep", [this, length, until] {
      if (!*until) *until = now() + length;
      return now() >= **until ? Answer::done() : Answer::wait(**until);
    });
  }
  Awaitable wait_forever() { return call("wait", [] { return Answer::wait(); }); }
  Awaitable leave(std::int32_t code) {
    return call("exit", [code] { return Answer{.kind = Answer::Kind::kExit, .value = code}; });
  }
  Awaitable trap(std::string why) {
    return call("trap", [why] { return Answer{.kind = Answer::Kind::kTrap, .data = why}; });
  }

  // ---- network; a result's value is the socket or a count
  Awaitable listen(std::uint16_t port) {
    return call("listen",
                [this, port] { return of(network().listen(process_, {kTheRoom, port})); });
  }
  Awaitable accept(SocketId listener) {
    return call("accept",
                [this, listener] { return blocking(network().accept(process_, listener)); });
  }
  // Waits until it is established or has failed.
  Awaitable connect(std::string address) {
    auto socket = std::make_shared<SocketId>(0);
    return call("connect", [this, address, socket] {
      if (*socket == 0) {
        const auto remote = network().resolve(process_, address);
        if (!remote) return Answer::failed(remote.error());
        const auto started = network().connect(process_, *remote);
        if (!started) return Answer::failed(started.error());
        *socket = *started;
      }
      const Errno status = network().connect_status(*socket);
      if (status == Errno::kInProgress) return Answer::wait();
      if (status != Errno::kOk) return Answer::failed(status);
      return Answer::done(static_cast<std::int64_t>(*socket));
    });
  }
  // As much as goes out at once.
  Awaitable send(SocketId socket, std::string data) {
    return call("send", [this, socket, data] {
      return of(network().send(process_, socket, as_bytes(data)));
    });
  }
  // All of it, waiting for room in the window.
  Awaitable send_all(SocketId socket, std::string data) {
    auto at = std::make_shared<std::size_t>(0);
    return call("send", [this, socket, data, at] {
      while (*at < data.size()) {
        const auto sent =
            network().send(process_, socket, as_bytes(std::string_view(data).substr(*at)));
        if (!sent && sent.error() == Errno::kAgain) return Answer::wait();
        if (!sent) return Answer::failed(sent.error());
        *at += *sent;
      }
      return Answer::done(static_cast<std::int64_t>(data.size()));
    });
  }
  // At least one byte, or the end of the stream (value 0).
  Awaitable receive(SocketId socket, std::size_t most = 65536) {
    return call("receive", [this, socket, most] {
      Answer answer = try_receive(socket, most);
      return answer.error == Errno::kAgain ? Answer::wait() : answer;
    });
  }
  Awaitable receive_now(SocketId socket, std::size_t most = 65536) {
    return call("receive", [this, socket, most] { return try_receive(socket, most); });
  }
  Awaitable close(SocketId socket) {
    return call("close", [this, socket] {
      network().close(process_, socket);
      return Answer::done();
    });
  }
  Awaitable shutdown(SocketId socket, ShutdownHow how) {
    return call("shutdown", [this, socket, how] {
      return Answer::failed(network().shutdown(process_, socket, how));
    });
  }
  // For use inside a call's code.
  Answer try_receive(SocketId socket, std::size_t most = 65536) {
    std::string data(most, '\0');
    const auto got = network().receive(
        process_, socket, {reinterpret_cast<std::byte*>(data.data()), data.size()});
    if (!got) return Answer::failed(got.error());
    data.resize(*got);
    return Answer::done(static_cast<std::int64_t>(*got), std::move(data));
  }

  // ---- files; a path is absolute
  Awaitable open(std::string path, File* file, bool append = false) {
    return call("open " + path, [this, path, file, append] {
      files::OpenHow how;
      how.create = true;
      how.flags = OpenFlags{.read = true, .write = true, .append = append};
      auto opened = files::open(process_, root(), path, how);
      if (!opened) return Answer::failed(opened.error());
      *file = *std::move(opened);
      return Answer::done();
    });
  }
  Awaitable write(File file, std::string data) {
    return call("write",
                [this, file, data] { return of(files::write(process_, *file, as_bytes(data))); });
  }
  Awaitable read(File file, std::size_t most) {
    return call("read", [this, file, most] {
      std::string data(most, '\0');
      const auto got = files::read(process_, *file,
                                   {reinterpret_cast<std::byte*>(data.data()), data.size()});
      if (!got) return Answer::failed(got.error());
      data.resize(*got);
      return Answer::done(static_cast<std::int64_t>(*got), std::move(data));
    });
  }
  Awaitable fsync(File file) {
    auto operation = std::make_shared<OpId>(OpId::kNone);
    return call("fsync", [this, file, operation] {
      if (*operation == OpId::kNone) {
        const auto started = files::start_sync(process_, file, {});
        if (!started) return Answer::failed(started.error());
        *operation = *started;
      }
      const auto result = process_.operations().take(*operation);
      return result ? Answer::failed(*result) : Answer::wait();
    });
  }
  Awaitable rename(std::string from, std::string to) {
    return call("rename", [this, from, to] {
      return Answer::failed(files::rename(process_, root(), from, root(), to));
    });
  }
  Awaitable unlink(std::string path) {
    return call("unlink",
                [this, path] { return Answer::failed(files::unlink(process_, root(), path)); });
  }

  // ---- console and requests to the room
  Awaitable print(std::string text) {
    return call("print", [this, text] {
      if (!process_.console(1, text)) end_run(FindingKind::kOutput, "printed too much");
      return Answer::done();
    });
  }
  // A false one ends the run, as the SDK's Assert does.
  Awaitable assert_that(bool condition, std::string message) {
    return call("assert", [this, condition, message] {
      if (!condition) end_run(FindingKind::kAssertion, message);
      return Answer::done();
    });
  }
  Awaitable quiet_for(Duration length) {
    return call("quiet", [this, length] {
      process_.room().request_quiet(process_, length);
      return Answer::done();
    });
  }
  Awaitable setup_complete() {
    return call("setup", [this] {
      process_.room().request_setup_complete(process_);
      return Answer::done();
    });
  }

  Process& process() const { return process_; }
  SimTime now() const { return process_.now(); }
  Network& network() const { return process_.room().network(); }
  // A number in [0, n) of the program's own; a function of root, incarnation and count.
  std::uint64_t random(std::uint64_t n) { return sf::below(process_.sdk_random(), n); }

 private:
  struct Op {
    std::int64_t ticks = 0;          // of a computation that are left
    std::string name;
    Code code;                       // null: a computation
    std::uint32_t number = kAnyCall;
    bool begun = false;
    bool checked = false;            // the budget check before the call is behind it
  };

  template <class T>
  static Answer of(const Outcome<T>& outcome) {
    if (!outcome) return Answer::failed(outcome.error());
    return Answer::done(static_cast<std::int64_t>(*outcome));
  }
  template <class T>
  static Answer blocking(const Outcome<T>& outcome) {
    if (!outcome && outcome.error() == Errno::kAgain) return Answer::wait();
    return of(outcome);
  }
  Description root() const {
    Description directory;
    directory.kind = DescriptionKind::kDirectory;
    directory.ino = process_.node().volume().root();
    directory.path = "/";
    return directory;
  }

  void end_run(FindingKind kind, std::string message) {
    Finding finding;
    finding.kind = kind;
    finding.node = process_.node_id();
    finding.incarnation = process_.incarnation();
    finding.message = std::move(message);
    if (!process_.room().settings().keep_going) process_.freeze();
    process_.room().report(process_.now(), std::move(finding));
  }

  void grant() { budget_ = granted_ = bound_ ? bound_(process_) : process_.ticks_left(); }
  void enter() {
    process_.spend_ticks(granted_ - budget_);
    granted_ = budget_;
  }
  // One basic block; false when the slice is over.
  bool block(std::int64_t ticks) {
    budget_ -= ticks;
    if (budget_ >= 0) return true;
    enter();
    grant();
    return granted_ >= 0;
  }
  bool burn(Op& op) {
    constexpr std::int64_t kBlock = 7;
    while (op.ticks > 0) {
      const std::int64_t some = std::min(op.ticks, budget_ >= kBlock ? budget_ : kBlock);
      op.ticks -= some;
      if (!block(some)) return false;
    }
    return true;
  }

  GuestStop run() {
    for (;;) {
      if (!op_) {
        script_.resume();
        if (script_.done()) {
          exit_.code = 0;
          enter();
          return GuestStop::kExited;
        }
        SF_CHECK(op_.has_value());
      }
      if (!op_->code) {
        if (!burn(*op_)) return slice_end();
        op_.reset();
        continue;
      }
      if (!std::exchange(op_->checked, true) && !block(1)) return slice_end();
      enter();
      process_.note_call();
      ++process_.room().evidence().host_calls;
      Answer answer = op_->code();
      if (process_.stopped()) return GuestStop::kStopped;
      switch (answer.kind) {
        case Answer::Kind::kWait:
          granted_ = budget_ = -1;
          deadline_ = answer.deadline;
          waiting_ = true;
          process_.wait_until(deadline_);
          return GuestStop::kWaiting;
        case Answer::Kind::kExit:
          exit_.code = static_cast<std::int32_t>(answer.value);
          return GuestStop::kExited;
        case Answer::Kind::kTrap:
          exit_.trap = answer.data;
          return GuestStop::kTrapped;
        case Answer::Kind::kDone:
          finish(std::move(answer));
          grant();
      }
    }
  }
  bool try_again() {
    SF_CHECK(waiting_);
    Answer answer = op_->code();
    if (process_.stopped()) return false;
    if (answer.kind == Answer::Kind::kWait) {
      deadline_ = answer.deadline;
      return false;
    }
    waiting_ = false;
    finish(std::move(answer));
    return true;
  }
  void finish(Answer answer) {
    const std::string outcome = answer.ok() ? "ok" : std::string(errno_name(answer.error));
    const bool note = op_->number != kAnyCall;
    process_.record(RecordKind::kCall, op_->number,
                    note ? answer.value : static_cast<std::int64_t>(answer.error),
                    mix_into(hash64(op_->name), mix_into(hash64(answer.data),
                                                         static_cast<std::uint64_t>(answer.value))),
                    op_->name, outcome);
    process_.spend(process_.room().settings().cpu.host_call);
    op_.reset();
    answer_ = std::move(answer);
  }
  GuestStop slice_end() {
    slice_wait_ = true;
    return GuestStop::kSliceEnd;
  }

  Process& process_;
  const Bound& bound_;
  std::optional<Op> op_;
  Answer answer_;
  Script script_;
  std::int64_t granted_ = 0;
  std::int64_t budget_ = 0;
  std::uint64_t resumptions_ = 0;
  bool started_ = false;
  bool slice_wait_ = false;
  bool waiting_ = false;
  SimTime deadline_;
  GuestExit exit_;
};

class ScriptedFactory final : public GuestFactory {
 public:
  explicit ScriptedFactory(Program program, ScriptedGuest::Bound bound = {})
      : program_(std::move(program)), bound_(std::move(bound)) {}
  Result<std::unique_ptr<Guest>> start(Process& process) override {
    return std::unique_ptr<Guest>(std::make_unique<ScriptedGuest>(program_, bound_, process));
  }

 private:
  Program program_;
  ScriptedGuest::Bound bound_;
};

}  // namespace sf::kernel::testing
