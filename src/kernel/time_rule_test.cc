// The time rule (core-interfaces.md 3): a node may run ahead only as far as nobody can notice.
//
// Method: random worlds of 2-4 talking, computing, writing and crashing nodes; judges look at the
// trace only. Each judge has a negative control: a tampered trace, or guests whose slice bound
// ignores the look-ahead. The length of a slice, and events that concern nobody, change no hash.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernel/scripted_room_test_util.h"

namespace sf::kernel::testing {
namespace {

constexpr std::uint32_t kGot = 910;    // result: ns since the message was sent
constexpr std::uint32_t kLook = 911;   // result: bytes of data this incarnation has seen

// ---- judges: "" or what is wrong

std::string times_go_back(const std::vector<Record>& records) {
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].time < records[i - 1].time) return fmt::format("step {} goes back", i + 1);
  }
  return "";
}

std::string seen_too_early(const std::vector<Record>& records, Duration least) {
  for (const Record& r : records) {
    if (r.call == kGot && r.result < least.ns()) {
      return fmt::format("at {} a message was seen {} ns after it was sent", r.time.ns(), r.result);
    }
  }
  return "";
}

bool is_act(const Record& r) {
  return r.kind == RecordKind::kCall || r.kind == RecordKind::kProperty ||
         r.kind == RecordKind::kConsole || r.kind == RecordKind::kExit ||
         r.kind == RecordKind::kTrap;
}

std::string acts_after_death(const std::vector<Record>& records) {
  std::map<std::pair<NodeId, Incarnation>, SimTime> deaths;
  for (const Record& r : records) {
    if (r.kind == RecordKind::kFault && r.node != kTheRoom)
      deaths[{r.node, r.incarnation}] = r.time;
  }
  std::set<std::pair<NodeId, Incarnation>> dead;
  for (const Record& r : records) {
    const std::pair who{r.node, r.incarnation};
    if (r.kind == RecordKind::kFault && r.node != kTheRoom) dead.insert(who);
    if (!is_act(r)) continue;
    const auto death = deaths.find(who);
    // The kernel writes out a half line in the moment of death.
    const bool late = death != deaths.end() && (r.kind == RecordKind::kConsole
                                                    ? r.time > death->second
                                                    : r.time >= death->second);
    if (late || dead.contains(who)) {
      return fmt::format("node {} incarnation {} acts at {} ({}), dead since {}", index_of(r.node),
                         r.incarnation, r.time.ns(), r.what, death->second.ns());
    }
  }
  return "";
}

// What a program that looks at time t has seen is all data that was delivered to its host up to t.
std::string sees_too_little(const std::vector<Record>& records) {
  std::map<NodeId, std::vector<std::pair<SimTime, std::int64_t>>> delivered;
  for (const Record& r : records) {
    if (r.kind == RecordKind::kNet && r.what.starts_with("net data") && r.outcome == "delivered") {
      delivered[r.node].emplace_back(r.time, r.result);
    }
  }
  for (const Record& r : records) {
    if (r.call != kLook) continue;
    std::int64_t arrived = 0;
    for (const auto& [time, bytes] : delivered[r.node]) arrived += time <= r.time ? bytes : 0;
    if (arrived != r.result) {
      return fmt::format("node {} sees {} of {} bytes at {}", index_of(r.node), r.result, arrived,
                         r.time.ns());
    }
  }
  return "";
}

// ---- a busy program: node `self` connects to all lower ones and talks to whom it is connected

constexpr std::size_t kMessage = 16;

Script busy(ScriptedGuest& g, std::uint32_t self, bool writes) {
  struct Peer {
    SocketId socket = 0;
    std::string buffer;
  };
  std::vector<Peer> peers;
  std::vector<SocketId> connecting;
  std::int64_t seen = 0;
  const SocketId listener = (co_await g.listen(7000)).socket();
  File log;
  if (writes) co_await g.open("/log", &log, true);
  for (std::uint32_t to = 0; to < self; ++to) {
    co_await g.call("start", [&g, &connecting, to] {
      const auto socket = g.network().connect(g.process(), Address{NodeId{to}, 7000});
      if (socket) connecting.push_back(*socket);
      return Answer::done();
    });
  }
  for (;;) {
    // One call that accepts, finishes connects and takes in everything there is.
    std::vector<std::int64_t> delays;
    co_await g.call("look", [&g, &peers, &connecting, &seen, &delays, listener] {
      while (const auto accepted = g.network().accept(g.process(), listener)) {
        peers.push_back({*accepted, ""});
      }
      std::erase_if(connecting, [&](SocketId socket) {
        const Errno status = g.network().connect_status(socket);
        if (status == Errno::kOk) peers.push_back({socket, ""});
        return status != Errno::kInProgress;
      });
      for (Peer& peer : peers) {
        for (;;) {
          const Answer got = g.try_receive(peer.socket);
          if (!got.ok() || got.value == 0) break;
          seen += got.value;
          peer.buffer += got.data;
        }
        while (peer.buffer.size() >= kMessage) {
          delays.push_back(g.now().ns() - std::stoll(peer.buffer.substr(0, kMessage)));
          peer.buffer.erase(0, kMessage);
        }
      }
      return Answer::done();
    });
    // (The record of "look" carries the time at which it looked; this one the next moment.)
    for (const std::int64_t delay : delays) {
      co_await g.call("got", [delay] { return Answer{.error = Errno::kOk, .value = delay}; }, kGot);
    }
    const std::uint64_t pick = g.random(10);
    if (pick < 4) {
      co_await g.compute(static_cast<std::int64_t>(g.random(500'000)));
    } else if (pick < 7 && !peers.empty()) {
      const SocketId to = peers[g.random(peers.size())].socket;
      co_await g.call("send", [&g, to] {
        const std::string message = fmt::format("{:016d}", g.now().ns());
        const auto sent = g.network().send(g.process(), to, as_bytes(message));
        return sent ? Answer::done() : Answer::failed(sent.error());
      });
    } else if (pick < 8 && writes) {
      co_await g.write(log, std::string(1 + g.random(200'000), 'x'));
      if (g.random(2) == 0) co_await g.fsync(log);
    } else if (pick < 9) {
      co_await g.sleep(Duration(static_cast<std::int64_t>(g.random(3'000'000))));
    } else {
      const std::string text = g.random(2) == 0 ? "half a line" : "a line\n";
      co_await g.print(text);
    }
  }
}

struct World {
  std::uint64_t seed = 1;
  std::uint32_t nodes = 3;
  bool crashes = true;
  bool writes = true;
  Duration slice = milliseconds(1);
  Duration length = milliseconds(60);
  bool noise = false;
  ScriptedGuest::Bound bound = {};
};

std::vector<Record> trace_of(const World& world) {
  Dice dice(world.seed);
  ScriptedFaults faults;
  for (int i = 0; world.crashes && i < 6; ++i) {
    const NodeId node{static_cast<std::uint32_t>(dice.below(world.nodes))};
    faults.at_times.push_back({SimTime(dice.between(0, world.length.ns())), node,
                               dice.below(2) ? FaultKind::kPower : FaultKind::kKill});
    faults.at_ops.push_back({node, static_cast<Incarnation>(1 + dice.below(3)), 1 + dice.below(6),
                             dice.below(2) ? FaultKind::kPower : FaultKind::kKill,
                             static_cast<Phase>(dice.below(3))});
  }
  Dice noise(world.seed + 1000);
  for (int i = 0; world.noise && i < 200; ++i) {
    faults.noise.emplace_back(SimTime(noise.between(0, world.length.ns())),
                              noise.below(2) ? Concern::kRoomWide : Concern::kNode);
  }
  std::vector<NodeDef> defs;
  for (std::uint32_t i = 0; i < world.nodes; ++i) {
    defs.push_back(service(fmt::format("n{}", i), [i, writes = world.writes](ScriptedGuest& g) {
      return busy(g, i, writes);
    }));
    defs.back().bound = world.bound;
  }
  defs.push_back(timer(world.length));
  Settings settings = test_settings();
  settings.cpu.slice = world.slice;
  TestRoom room(std::move(defs), faults, settings, world.seed);
  room.run();
  EXPECT_EQ(room.room->end_kind(), EndKind::kWorkloadDone);
  return room.sink.records;
}

constexpr std::uint64_t kSeeds = 60;

TEST(TimeRule, RecordsComeOutInRoomTimeOrder) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto records =
        trace_of({.seed = seed, .nodes = 2 + static_cast<std::uint32_t>(seed % 3)});
    ASSERT_EQ(times_go_back(records), "") << "seed " << seed;
    ASSERT_GT(records.size(), 100U);
  }
}

TEST(TimeRule, NoMessageIsSeenBeforeItsSendTimePlusTheLeastLatency) {
  std::uint64_t messages = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto records =
        trace_of({.seed = seed, .nodes = 2 + static_cast<std::uint32_t>(seed % 3)});
    ASSERT_EQ(seen_too_early(records, microseconds(200)), "") << "seed " << seed;
    for (const Record& r : records) messages += r.call == kGot;
  }
  EXPECT_GT(messages, kSeeds * 10);
}

TEST(TimeRule, NoNodeActsAfterItsOwnDeath) {
  std::uint64_t deaths = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto records =
        trace_of({.seed = seed, .nodes = 2 + static_cast<std::uint32_t>(seed % 3)});
    ASSERT_EQ(acts_after_death(records), "") << "seed " << seed;
    for (const Record& r : records) deaths += r.kind == RecordKind::kFault;
  }
  EXPECT_GT(deaths, kSeeds * 2);
}

// The case of core-interfaces.md: the slice would reach T+1 ms, the crash is planned at T+0.3 ms.
TEST(TimeRule, ACrashPlannedInsideASliceStopsTheNodeThere) {
  ScriptedFaults faults;
  faults.at_times = {{SimTime(300'000), NodeId{0}, FaultKind::kPower}};
  faults.restart = seconds(5);
  const auto room = run({service("server", [](ScriptedGuest& g) -> Script {
                           for (;;) {
                             co_await g.compute(5'000);
                             co_await g.note("alive");
                           }
                         }),
                         timer(milliseconds(5))},
                        faults);
  EXPECT_EQ(acts_after_death(room.sink.records), "");
  SimTime last;
  for (const Record& r : room.sink.records) {
    if (r.call == kNote) last = r.time;
  }
  EXPECT_GT(last, SimTime(270'000));
  EXPECT_LT(last, SimTime(300'000));
}

// A long write copies for longer than the slice lasts: the copying is not done before the crash, so
// its call may not be seen after it.
TEST(TimeRule, AWriteWhoseCopyingWouldOutliveTheNodeIsNoActAfterDeath) {
  ScriptedFaults faults;
  faults.at_times = {{SimTime(300'000), NodeId{0}, FaultKind::kKill}};
  const auto room = run({service("server", [](ScriptedGuest& g) -> Script {
                           File log;
                           co_await g.open("/log", &log);
                           co_await g.sleep_until(SimTime(290'000));
                           co_await g.write(log, std::string(1 << 20, 'x'));   // 131 us of copying
                           co_await g.note("not reached");
                           co_await g.wait_forever();
                         }),
                         timer(milliseconds(4))},
                        faults);
  EXPECT_EQ(acts_after_death(room.sink.records), "");
  EXPECT_FALSE(room.value("not reached").has_value());
}

TEST(TimeRule, WhoeverLooksAtATimeSeesAllThatArrivedUpToIt) {
  std::uint64_t looks = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    // Nobody crashes or closes, so bytes are never dropped; node 0 looks often while it computes.
    ScriptedFaults faults;
    std::vector<NodeDef> defs;
    defs.push_back(service("looker", [](ScriptedGuest& g) -> Script {
      const SocketId listener = (co_await g.listen(7000)).socket();
      std::vector<SocketId> sockets;
      std::int64_t seen = 0;
      for (;;) {
        co_await g.compute(static_cast<std::int64_t>(g.random(20'000)));
        co_await g.call("look", [&g, &sockets, &seen, listener] {
          while (const auto accepted = g.network().accept(g.process(), listener)) {
            sockets.push_back(*accepted);
          }
          for (const SocketId socket : sockets) {
            const Answer got = g.try_receive(socket, 1 + g.random(64));
            if (got.ok()) seen += got.value;
          }
          std::int64_t total = seen;
          for (const SocketId socket : sockets) {
            total += static_cast<std::int64_t>(g.network().readiness(socket).bytes);
          }
          g.process().record(RecordKind::kCall, kLook, total, 0, "look", "");
          return Answer::done();
        });
      }
    }));
    for (int i = 0; i < 3; ++i) {
      defs.push_back(service(fmt::format("talker{}", i), [](ScriptedGuest& g) -> Script {
        const SocketId socket = (co_await g.connect("looker:7000")).socket();
        for (;;) {
          co_await g.compute(static_cast<std::int64_t>(g.random(50'000)));
          co_await g.send(socket, std::string(1 + g.random(100), 'x'));
        }
      }));
    }
    defs.push_back(timer(milliseconds(20)));
    TestRoom room(std::move(defs), faults, test_settings(), seed);
    room.run();
    ASSERT_EQ(sees_too_little(room.sink.records), "") << "seed " << seed;
    for (const Record& r : room.sink.records) looks += r.call == kLook && r.result > 0;
  }
  EXPECT_GT(looks, kSeeds * 50);
}

// ---- negative controls

// Bounds that forget everybody else: so many ns ahead of the room.
std::int64_t ticks_ahead(const Process& process, std::int64_t ns) {
  const std::int64_t left = (process.room().now() - process.now()).ns() + ns;
  return left < 0 ? -1 : left / 4;
}
std::int64_t whole_slice(Process& process) { return ticks_ahead(process, 1'000'000); }
std::int64_t short_slice(Process& process) { return ticks_ahead(process, 10'000); }

TEST(TimeRule, NegativeControlABoundWithoutLookAheadLetsTheDeadAct) {
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    noticed += !acts_after_death(trace_of({.seed = seed, .bound = whole_slice})).empty();
  }
  EXPECT_GT(noticed, 5U);
}

TEST(TimeRule, NegativeControlABoundWithoutLookAheadHidesWhatHasArrived) {
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ScriptedFaults faults;
    NodeDef looker = service("looker", [](ScriptedGuest& g) -> Script {
      const SocketId listener = (co_await g.listen(7000)).socket();
      const SocketId socket = (co_await g.accept(listener)).socket();
      for (;;) {
        co_await g.compute(10'000);
        co_await g.call("look", [&g, socket] {
          const auto bytes = static_cast<std::int64_t>(g.network().readiness(socket).bytes);
          g.process().record(RecordKind::kCall, kLook, bytes, 0, "look", "");
          return Answer::done();
        });
      }
    });
    looker.bound = whole_slice;
    std::vector<NodeDef> defs{std::move(looker),
                              service("talker",
                                      [](ScriptedGuest& g) -> Script {
                                        const SocketId socket =
                                            (co_await g.connect("looker:7000")).socket();
                                        for (;;) {
                                          co_await g.compute(50'000);
                                          co_await g.send(socket, "hello");
                                        }
                                      }),
                              timer(milliseconds(20))};
    TestRoom room(std::move(defs), faults, test_settings(), seed);
    room.run();
    noticed += !sees_too_little(room.sink.records).empty();
  }
  EXPECT_GT(noticed, 10U);
}

TEST(TimeRule, NegativeControlTheJudgesNoticeTamperedTraces) {
  auto records = trace_of({.seed = 3});
  auto swapped = records;
  std::swap(swapped[10].time, swapped[swapped.size() - 10].time);
  EXPECT_NE(times_go_back(swapped), "");
  auto early = records;
  const auto got =
      std::find_if(early.begin(), early.end(), [](const Record& r) { return r.call == kGot; });
  ASSERT_NE(got, early.end());
  got->result = 199'999;
  EXPECT_NE(seen_too_early(early, microseconds(200)), "");
  auto late = records;
  const auto death = std::find_if(late.begin(), late.end(), [](const Record& r) {
    return r.kind == RecordKind::kFault;
  });
  ASSERT_NE(death, late.end());
  Record act = *death;
  act.kind = RecordKind::kCall;
  late.insert(std::next(death), act);
  EXPECT_NE(acts_after_death(late), "");
}

// ---- slices are invisible

TEST(TimeRule, TheLengthOfASliceDoesNotChangeTheTrace) {
  for (std::uint64_t seed = 1; seed <= kSeeds / 2; ++seed) {
    const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(seed % 3);
    const auto whole = trace_of({.seed = seed, .nodes = nodes});
    for (const Duration slice : {microseconds(20), microseconds(3), milliseconds(20)}) {
      const auto chopped = trace_of({.seed = seed, .nodes = nodes, .slice = slice});
      ASSERT_EQ(hash_of(whole), hash_of(chopped)) << "seed " << seed << " slice " << slice.ns();
    }
  }
}

// What a planner has in the queue (arrivals that come to nothing) may not show: a replay with the
// planner off has other events.
TEST(TimeRule, EventsThatDoNothingDoNotChangeTheTrace) {
  for (std::uint64_t seed = 1; seed <= kSeeds / 2; ++seed) {
    ASSERT_EQ(hash_of(trace_of({.seed = seed})), hash_of(trace_of({.seed = seed, .noise = true})))
        << "seed " << seed;
  }
}

TEST(TimeRule, NegativeControlABoundWithoutLookAheadMakesTheSliceVisible) {
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    noticed += hash_of(trace_of({.seed = seed, .crashes = false, .bound = whole_slice})) !=
               hash_of(trace_of({.seed = seed, .crashes = false, .bound = short_slice}));
  }
  EXPECT_GT(noticed, 5U);
}

TEST(TimeRule, TheTraceTextDoesNotChangeTheHash) {
  for (const bool text : {true, false}) {
    ScriptedFaults faults;
    faults.at_times = {{SimTime(3'000'000), NodeId{0}, FaultKind::kPower}};
    std::vector<NodeDef> defs{service("a", [](ScriptedGuest& g) { return busy(g, 0, true); }),
                              service("b", [](ScriptedGuest& g) { return busy(g, 1, true); }),
                              timer(milliseconds(20))};
    TestRoom room(std::move(defs), faults, test_settings(), 5, text);
    room.run();
    static std::uint64_t with_text = 0;
    if (text) with_text = room.hash();
    EXPECT_EQ(room.hash(), with_text);
  }
}

// A run that is stopped at a moment and reseeded there: nobody has acted past it.
TEST(TimeRule, NobodyHasActedPastAMomentToWhichTheRoomWasAdvanced) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ScriptedFaults faults;
    std::vector<NodeDef> defs;
    for (std::uint32_t i = 0; i < 3; ++i) {
      defs.push_back(service(fmt::format("n{}", i),
                             [i](ScriptedGuest& g) { return busy(g, i, false); }));
    }
    TestRoom room(std::move(defs), faults, test_settings(), seed);
    const SimTime moment(7'345'678);
    ASSERT_TRUE(room.room->advance(moment));
    EXPECT_EQ(room.room->now(), moment);
    for (std::uint32_t i = 0; i < 3; ++i) {
      room.room->journal().release(SimTime::never(), Journal::Edge::kBefore);
    }
    for (const Record& r : room.sink.records) ASSERT_LE(r.time, moment) << "seed " << seed;
  }
}

}  // namespace
}  // namespace sf::kernel::testing
