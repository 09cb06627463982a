// Small scripted worlds for tests of the fault oracles: programs that write, sync, rename and talk.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fault/listed.h"
#include "fault/planner.h"
#include "kernel/scripted_room_test_util.h"

namespace sf::fault::testing {

using namespace sf::kernel::testing;   // NOLINT: the worlds are made of its words
using kernel::Choices;
using kernel::DiskOp;
using kernel::Dice;
using kernel::Entity;
using kernel::FaultOracle;
using kernel::Phase;
using kernel::Purpose;
using kernel::Record;
using kernel::RecordKind;
using kernel::Settings;
using kernel::SocketId;
using kernel::TraceSink;

// Writes, syncs and renames for ever, with pauses of up to `pause`. Errors stop nobody here; what
// cannot be opened is tried again.
inline Script writer(ScriptedGuest& g, Duration pause) {
  File log;
  for (;;) {
    co_await g.open("/log", &log, true);
    if (log) break;
    co_await g.sleep(milliseconds(1));
  }
  for (;;) {
    const std::string data(1 + g.random(6000), 'x');
    co_await g.write(log, data);
    if (g.random(3) != 0) co_await g.fsync(log);
    if (g.random(3) == 0) co_await g.read(log, 100);
    if (g.random(4) == 0) {
      File temporary;
      co_await g.open("/tmp1", &temporary);
      if (temporary) {
        co_await g.write(temporary, "state");
        co_await g.rename("/tmp1", "/state");
      }
    }
    co_await g.compute(static_cast<std::int64_t>(g.random(20'000)));
    co_await g.sleep(Duration(static_cast<std::int64_t>(
        g.random(static_cast<std::uint64_t>(pause.ns()) + 1))));
  }
}

// A log server: appends each byte it gets, syncs, answers.
inline Script log_server(ScriptedGuest& g) {
  File log;
  for (;;) {
    co_await g.open("/log", &log, true);
    if (log) break;
    co_await g.sleep(milliseconds(1));
  }
  const SocketId listener = (co_await g.listen(7000)).socket();
  for (;;) {
    const SocketId socket = (co_await g.accept(listener)).socket();
    for (;;) {
      const auto got = co_await g.receive(socket, 100);
      if (!got.ok() || got.value == 0) break;
      co_await g.write(log, got.data);
      co_await g.fsync(log);
      co_await g.send(socket, "ok");
    }
    co_await g.close(socket);
  }
}
// Asks the server `rounds` times, connecting anew when something fails.
inline Script log_client(ScriptedGuest& g, int rounds, bool quiet) {
  for (int round = 0; round < rounds;) {
    const auto connected = co_await g.connect("server:7000");
    if (!connected.ok()) {
      co_await g.sleep(milliseconds(10));
      continue;
    }
    for (; round < rounds; ++round) {
      const std::string entry(1 + g.random(3000), 'e');
      const auto sent = co_await g.send(connected.socket(), entry);
      if (!sent.ok()) break;
      SimTime deadline = g.now() + milliseconds(200);
      const auto answer = co_await g.call("answer", [&g, &connected, &deadline] {
        const auto got = g.try_receive(connected.socket());
        if (got.error != kernel::Errno::kAgain) return got;
        return g.now() >= deadline ? kernel::testing::Answer::failed(kernel::Errno::kTimedOut)
                                   : kernel::testing::Answer::wait(deadline);
      });
      if (!answer.ok() || answer.value == 0) break;
      if (quiet && round == rounds / 2) co_await g.quiet_for(milliseconds(50));
    }
    co_await g.close(connected.socket());
  }
}

struct Ran {
  std::vector<Fault> fired;
  std::vector<Record> records;
  std::uint64_t hash = 0;
  kernel::Evidence evidence;
  SimTime end;
};

template <class Oracle>
Ran run_with(Oracle& oracle, std::vector<NodeDef> defs, std::uint64_t seed,
             const Settings& settings = test_settings(seconds(100'000))) {
  TestRoom room(std::move(defs), oracle, settings, seed);
  room.run();
  return Ran{oracle.fired(), room.sink.records, room.hash(), room.room->evidence(),
             room.room->now()};
}

inline std::string text_of(const std::vector<Fault>& faults) {
  std::string out;
  for (const Fault& fault : faults) out += to_json(fault).dump() + "\n";
  return out;
}

}  // namespace sf::fault::testing
