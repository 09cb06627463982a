// The network: what each row of network.h's comment promises.
//
// Method: two or three scripted programs per case, on links of a fixed latency where a time
// matters; they note what they see and the test reads the notes from the trace. Streams under
// random latencies and partitions are compared with what was sent (the naive model of a stream is
// its text).
#include "kernel/net/network.h"

#include <gtest/gtest.h>

#include "kernel/scripted_room_test_util.h"

namespace sf::kernel::testing {
namespace {

using Notes = std::vector<std::string>;
constexpr Duration kLatency = microseconds(500);

Settings fixed_latency(Duration horizon = seconds(10)) {
  Settings settings = test_settings(horizon);
  settings.network.latency = Spread{.low = kLatency, .high = kLatency};
  return settings;
}
bool about(std::optional<SimTime> time, Duration expected, Duration slack = microseconds(20)) {
  if (!time) return false;
  const Duration off = *time - (SimTime::zero() + expected);
  return off.ns() <= slack.ns() && off.ns() >= -slack.ns();
}
std::vector<NodeDef> pair_of(Program server, Program client, Duration length = seconds(1)) {
  return {service("server", std::move(server)), service("client", std::move(client)),
          timer(length)};
}
constexpr NodeId kServer{0}, kClient{1};

std::string word(const Answer& answer) {
  return answer.ok() ? answer.data.empty() ? std::to_string(answer.value) : answer.data
                     : std::string(errno_name(answer.error));
}

// Accepts one connection and waits.
Script accept_only(ScriptedGuest& g) {
  const SocketId listener = (co_await g.listen(7000)).socket();
  co_await g.accept(listener);
  co_await g.wait_forever();
}
Script do_nothing(ScriptedGuest& g) { co_await g.wait_forever(); }

// ---- connecting

TEST(Network, ConnectTakesOneRoundTrip) {
  ScriptedFaults none;
  const auto room = run(pair_of(accept_only,
                                [](ScriptedGuest& g) -> Script {
                                  const Answer answer = co_await g.connect("server:7000");
                                  co_await g.note("connect " +
                                                  std::string(errno_name(answer.error)));
                                  co_await g.wait_forever();
                                }),
                        none, 1, fixed_latency());
  EXPECT_TRUE(about(room.time_of("connect ok"), kLatency * 2));
}

TEST(Network, ConnectWithoutAListenerIsRefusedAfterOneRoundTrip) {
  ScriptedFaults none;
  const auto room = run(pair_of(do_nothing,
                                [](ScriptedGuest& g) -> Script {
                                  const Answer answer = co_await g.connect("server:7000");
                                  co_await g.note(word(answer));
                                  co_await g.wait_forever();
                                }),
                        none, 1, fixed_latency());
  EXPECT_TRUE(about(room.time_of("ECONNREFUSED"), kLatency * 2));
}

TEST(Network, ConnectToAHostWithoutPowerTriesSevenTimesAndTimesOutAfter127Seconds) {
  ScriptedFaults faults;
  faults.at_times = {{SimTime(1'000'000), kServer, FaultKind::kPower}};
  faults.restart = seconds(10'000);
  const auto room = run(pair_of(accept_only,
                                [](ScriptedGuest& g) -> Script {
                                  co_await g.sleep(seconds(1));
                                  const Answer answer = co_await g.connect("server:7000");
                                  co_await g.note(word(answer));
                                  co_await g.wait_forever();
                                },
                                seconds(200)),
                        faults, 1, fixed_latency(seconds(300)));
  std::vector<Duration> tries;
  for (const Record& r : room.sink.records) {
    if (r.what.starts_with("net syn from")) tries.push_back(r.time - SimTime(1'000'000'000));
  }
  ASSERT_EQ(tries.size(), 7U);
  const std::int64_t at[] = {0, 1, 3, 7, 15, 31, 63};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(static_cast<double>(tries[i].ns()), static_cast<double>(at[i]) * 1e9, 1e7);
  }
  EXPECT_TRUE(about(room.time_of("ETIMEDOUT"), seconds(128), milliseconds(10)));
}

TEST(Network, AFullBacklogDropsTheSynAndTheClientTriesAgain) {
  ScriptedFaults none;
  const auto room = run(
      pair_of(
          [](ScriptedGuest& g) -> Script {
            const SocketId listener = (co_await g.listen(7000)).socket();
            co_await g.sleep(milliseconds(1500));
            for (;;) co_await g.accept(listener);
          },
          [](ScriptedGuest& g) -> Script {
            for (std::uint32_t i = 0; i < kBacklog; ++i) co_await g.connect("server:7000");
            co_await g.note("full");
            co_await g.connect("server:7000");
            co_await g.note("one more");
            co_await g.wait_forever();
          },
          seconds(5)),
      none, 1, fixed_latency());
  const auto full = room.time_of("full");
  ASSERT_TRUE(full.has_value());
  EXPECT_LT(*full, SimTime(200'000'000));
  // The SYN comes again after 1 s (still full) and after 3 s.
  EXPECT_TRUE(
      about(room.time_of("one more"), (*full - SimTime::zero()) + seconds(3), milliseconds(5)));
}

TEST(Network, AddressesInUseOrForeignOrFree) {
  ScriptedFaults none;
  const auto room = run(
      pair_of(
          [](ScriptedGuest& g) -> Script {
            const SocketId first = (co_await g.listen(7000)).socket();
            const Answer second = co_await g.listen(7000);
            co_await g.note("again " + word(second));
            const Answer foreign = co_await g.call("listen", [&g] {
              const auto socket = g.network().listen(g.process(), {kClient, 7000});
              return socket ? Answer::done() : Answer::failed(socket.error());
            });
            co_await g.note("foreign " + word(foreign));
            const Answer other_port = co_await g.listen(7001);
            co_await g.note(other_port.ok() ? "other port" : "no");
            const SocketId any = (co_await g.listen(0)).socket();
            co_await g.note("any port", g.network().addresses(any).first.port);
            co_await g.close(first);
            const Answer after = co_await g.listen(7000);
            co_await g.note(after.ok() ? "free again" : "still in use");
            co_await g.wait_forever();
          },
          do_nothing, milliseconds(10)),
      none);
  const Notes notes = room.notes();
  ASSERT_EQ(notes.size(), 5U);
  EXPECT_EQ(notes[0], "again EADDRINUSE");
  EXPECT_EQ(notes[1], "foreign EADDRNOTAVAIL");
  EXPECT_EQ(notes[2], "other port");
  EXPECT_GE(*room.value("any port"), 32'768);
  EXPECT_LE(*room.value("any port"), 60'999);
  EXPECT_EQ(notes[4], "free again");
}

TEST(Network, EphemeralPortsDifferAndFollowTheSeed) {
  const auto ports = [](std::uint64_t seed) {
    ScriptedFaults none;
    const auto room = run(pair_of(
                              [](ScriptedGuest& g) -> Script {
                                const SocketId listener = (co_await g.listen(7000)).socket();
                                for (;;) co_await g.accept(listener);
                              },
                              [](ScriptedGuest& g) -> Script {
                                for (int i = 0; i < 50; ++i) {
                                  const SocketId s = (co_await g.connect("server:7000")).socket();
                                  co_await g.note("port", g.network().addresses(s).first.port);
                                }
                                co_await g.wait_forever();
                              }),
                          none, seed);
    return room.notes();
  };
  const Notes first = ports(1);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), 50U);
  EXPECT_EQ(first, ports(1));
  EXPECT_NE(first, ports(2));
}

TEST(Network, NamesAndNumbersOfHosts) {
  ScriptedFaults none;
  TestRoom room(pair_of(do_nothing, do_nothing), none, test_settings(), 1);
  const Network& network = room.room->network();
  const Process& client = *room.room->node(kClient).process();
  const auto at = [&](std::string_view text) { return network.resolve(client, text); };
  EXPECT_EQ(at("server:7000"), (Address{kServer, 7000}));
  EXPECT_EQ(at("SERVER:7000"), (Address{kServer, 7000}));
  EXPECT_EQ(at("10.0.0.1:80"), (Address{kServer, 80}));
  EXPECT_EQ(at("10.0.0.2:80"), (Address{kClient, 80}));
  EXPECT_EQ(at("localhost:1"), (Address{kClient, 1}));
  EXPECT_EQ(at("127.0.0.1:65535"), (Address{kClient, 65535}));
  EXPECT_EQ(at("[::1]:5"), (Address{kClient, 5}));
  EXPECT_EQ(at(":7000"), (Address{kTheRoom, 7000}));
  EXPECT_EQ(at("0.0.0.0:7000"), (Address{kTheRoom, 7000}));
  EXPECT_EQ(at("nobody:7000").error(), Errno::kNoEnt);
  EXPECT_EQ(at("10.0.0.9:7000").error(), Errno::kNoEnt);
  for (const char* bad : {"", "server", "server:", "server:x", "server:65536", "server:-1",
                          "server:000007", "server: 1"}) {
    EXPECT_EQ(at(bad).error(), Errno::kInval) << bad;
  }
  EXPECT_EQ(network.format({kServer, 7000}), "server:7000");
  EXPECT_EQ(network.format({kTheRoom, 7000}), ":7000");
}

// ---- streams

std::string numbered(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += fmt::format("{},", i);
  text.resize(bytes);
  return text;
}

// The server notes everything it receives until the end of the stream.
Script drain(ScriptedGuest& g) {
  const SocketId listener = (co_await g.listen(7000)).socket();
  const SocketId socket = (co_await g.accept(listener)).socket();
  std::string all;
  for (;;) {
    const Answer got = co_await g.receive(socket, 1 + g.random(5000));
    if (!got.ok()) co_await g.note("error " + word(got));
    if (!got.ok() || got.value == 0) break;
    all += got.data;
    co_await g.compute(static_cast<std::int64_t>(g.random(3000)));
  }
  co_await g.note("all " + all);
  co_await g.wait_forever();
}
Program talker(std::size_t bytes) {
  return [bytes](ScriptedGuest& g) -> Script {
    const SocketId socket = (co_await g.connect("server:7000")).socket();
    const std::string text = numbered(bytes);
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t size = std::min<std::size_t>(text.size() - at, 1 + g.random(700));
      co_await g.send_all(socket, text.substr(at, size));
      at += size;
      co_await g.sleep(Duration(static_cast<std::int64_t>(g.random(2'000'000))));
    }
    co_await g.close(socket);
    co_await g.wait_forever();
  };
}

TEST(Network, AStreamKeepsItsOrderUnderRandomLatenciesAndEndsWithEof) {
  ScriptedFaults none;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto room = run(pair_of(drain, talker(20'000)), none, seed);
    ASSERT_EQ(room.notes(), (Notes{"all " + numbered(20'000)})) << "seed " << seed;
  }
}

TEST(Network, PartitionsHoldTheStreamAndHealWithoutReorderingIt) {
  std::uint64_t held = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ScriptedFaults faults;
    Dice dice(seed);
    SimTime at(1'000'000);
    for (int i = 0; i < 12; ++i) {
      const SimTime until = at + Duration(dice.between(1, 6'000'000));
      std::vector<std::pair<NodeId, NodeId>> links;
      if (dice.below(4) != 0) links.emplace_back(kClient, kServer);
      if (links.empty() || dice.below(2) != 0) links.emplace_back(kServer, kClient);
      faults.cuts.push_back({at, until, links});
      // Cuts may overlap, touch, or come while what was held is under way again.
      at = until + Duration(dice.between(-1'000'000, 2'000'000));
    }
    const auto room = run(pair_of(drain, talker(20'000)), faults, seed);
    ASSERT_EQ(room.notes(), (Notes{"all " + numbered(20'000)})) << "seed " << seed;
    for (const Record& r : room.sink.records) held += r.outcome == "held by a partition";
  }
  EXPECT_GT(held, 500U);
}

TEST(Network, ACutHoldsOneDirectionOnly) {
  ScriptedFaults faults;
  faults.cuts = {{SimTime(2'000'000), SimTime(50'000'000), {{kServer, kClient}}}};
  const auto room = run(pair_of(
                            [](ScriptedGuest& g) -> Script {
                              const SocketId listener = (co_await g.listen(7000)).socket();
                              const SocketId socket = (co_await g.accept(listener)).socket();
                              co_await g.receive(socket);
                              co_await g.note("asked");
                              co_await g.send(socket, "answer");
                              co_await g.wait_forever();
                            },
                            [](ScriptedGuest& g) -> Script {
                              const SocketId socket = (co_await g.connect("server:7000")).socket();
                              co_await g.sleep_until(SimTime(3'000'000));
                              co_await g.send(socket, "question");
                              co_await g.receive(socket);
                              co_await g.note("answered");
                              co_await g.wait_forever();
                            }),
                        faults, 1, fixed_latency());
  EXPECT_TRUE(about(room.time_of("asked"), microseconds(3500)));
  EXPECT_TRUE(about(room.time_of("answered"), microseconds(50'500)));
}

TEST(Network, AHalfClosedConnectionStillCarriesTheOtherDirection) {
  ScriptedFaults none;
  const auto room = run(
      pair_of(
          [](ScriptedGuest& g) -> Script {
            const SocketId listener = (co_await g.listen(7000)).socket();
            const SocketId socket = (co_await g.accept(listener)).socket();
            const Answer first = co_await g.receive(socket);
            co_await g.note("server " + word(first));
            const Answer end = co_await g.receive(socket);
            co_await g.note("server " + word(end));
            co_await g.send(socket, "bye");
            co_await g.close(socket);
            co_await g.wait_forever();
          },
          [](ScriptedGuest& g) -> Script {
            const SocketId socket = (co_await g.connect("server:7000")).socket();
            co_await g.send(socket, "hi");
            co_await g.shutdown(socket, ShutdownHow::kWrite);
            const Answer late = co_await g.send(socket, "late");
            co_await g.note("client " + word(late));
            const Answer first = co_await g.receive(socket);
            co_await g.note("client " + word(first));
            const Answer end = co_await g.receive(socket);
            co_await g.note("client " + word(end));
            co_await g.wait_forever();
          }),
      none);
  EXPECT_EQ(room.notes(),
            (Notes{"client EPIPE", "server hi", "server 0", "client bye", "client 0"}));
}

// The server sends some bytes; the client does something to the connection; the server tells.
Notes after(const std::function<Script(ScriptedGuest&, SocketId)>& client_does,
            ScriptedFaults faults = {}, Duration length = seconds(1)) {
  const auto room = run(
      pair_of(
          [](ScriptedGuest& g) -> Script {
            const SocketId listener = (co_await g.listen(7000)).socket();
            const SocketId socket = (co_await g.accept(listener)).socket();
            co_await g.send(socket, "greeting");
            for (int i = 0; i < 3; ++i) {
              const Answer got = co_await g.receive(socket);
              co_await g.note("server " + word(got));
            }
            const Answer sent = co_await g.send(socket, "x");
            co_await g.note("server sends " + word(sent));
            co_await g.sleep(milliseconds(5));
            const Answer again = co_await g.send(socket, "x");
            co_await g.note("server sends " + word(again));
            co_await g.wait_forever();
          },
          [&client_does](ScriptedGuest& g) -> Script {
            if (g.process().incarnation() > 1) co_await g.wait_forever();
            const SocketId socket = (co_await g.connect("server:7000")).socket();
            co_await g.sleep_until(SimTime(10'000'000));
            Script rest = client_does(g, socket);
            while (!rest.done()) {
              rest.resume();
              if (!rest.done()) co_await std::suspend_always{};
            }
            co_await g.wait_forever();
          },
          length),
      faults);
  return room.notes();
}

TEST(Network, CloseAfterReadingEverythingSendsFinAndALateSendIsAnsweredWithRst) {
  const Notes notes = after([](ScriptedGuest& g, SocketId socket) -> Script {
    co_await g.receive(socket);
    co_await g.close(socket);
  });
  EXPECT_EQ(notes,
            (Notes{"server 0", "server 0", "server 0", "server sends 1", "server sends EPIPE"}));
}

TEST(Network, CloseWithUnreadBytesSendsRst) {
  const Notes notes =
      after([](ScriptedGuest& g, SocketId socket) -> Script { co_await g.close(socket); });
  // The error is told once; then the stream is at its end and cannot be written.
  EXPECT_EQ(notes, (Notes{"server ECONNRESET", "server 0", "server 0", "server sends EPIPE",
                          "server sends EPIPE"}));
}

TEST(Network, ProcessDeathClosesLikeTheProgramWould) {
  ScriptedFaults faults;
  faults.at_times = {{SimTime(20'000'000), kClient, FaultKind::kKill}};
  const Notes read = after(
      [](ScriptedGuest& g, SocketId socket) -> Script { co_await g.receive(socket); }, faults);
  EXPECT_EQ(read[0], "server 0");
  const Notes unread = after([](ScriptedGuest& g, SocketId) -> Script { co_await g.note("idle"); },
                             faults);
  EXPECT_EQ(unread[1], "server ECONNRESET");
}

TEST(Network, ExitClosesTheSockets) {
  const Notes notes = after([](ScriptedGuest& g, SocketId socket) -> Script {
    co_await g.receive(socket);
    co_await g.leave(0);
  });
  EXPECT_EQ(notes[0], "server 0");
}

TEST(Network, AReadOfAPeerWithoutPowerIsNeverAnswered) {
  ScriptedFaults faults;
  faults.at_times = {{SimTime(20'000'000), kClient, FaultKind::kPower}};
  const Notes notes = after(
      [](ScriptedGuest& g, SocketId socket) -> Script { co_await g.receive(socket); }, faults,
      seconds(5));
  EXPECT_EQ(notes, Notes{});
}

// A writer whose peer lost its power at 20 ms, while it is off until `back`.
TestRoom write_to_the_dead(Duration back, Duration length) {
  ScriptedFaults faults;
  faults.at_times = {{SimTime(20'000'000), kServer, FaultKind::kPower}};
  faults.restart = back;
  return run(pair_of(accept_only,
                     [](ScriptedGuest& g) -> Script {
                       const SocketId socket = (co_await g.connect("server:7000")).socket();
                       co_await g.sleep_until(SimTime(30'000'000));
                       const Answer sent = co_await g.send(socket, "x");
                       co_await g.note("sent " + word(sent));
                       const Answer got = co_await g.receive(socket);
                       co_await g.note(word(got));
                       co_await g.wait_forever();
                     },
                     length),
             faults, 1, fixed_latency(length + seconds(1)));
}

TEST(Network, TrafficToARebootedHostIsAnsweredWithRst) {
  // Off from 20 ms to 1.02 s; retransmissions 0.2, 0.6 and 1.4 s after the send at 30 ms.
  const auto room = write_to_the_dead(seconds(1), seconds(5));
  EXPECT_EQ(room.notes(), (Notes{"sent 1", "ECONNRESET"}));
  EXPECT_TRUE(about(room.time_of("ECONNRESET"), milliseconds(1430), milliseconds(10)));
}

TEST(Network, TrafficToAHostThatStaysOffTimesOutAfter924Seconds) {
  const auto room = write_to_the_dead(seconds(100'000), seconds(1000));
  EXPECT_EQ(room.notes(), (Notes{"sent 1", "ETIMEDOUT"}));
  // tcp_retries2 = 15: 924.6 s.
  EXPECT_TRUE(about(room.time_of("ETIMEDOUT"), milliseconds(924'630), milliseconds(50)));
}

TEST(Network, ClosingAListenerResetsWhoWaitsInItsBacklog) {
  ScriptedFaults none;
  const auto room = run(pair_of(
                            [](ScriptedGuest& g) -> Script {
                              const SocketId listener = (co_await g.listen(7000)).socket();
                              co_await g.sleep(milliseconds(20));
                              co_await g.close(listener);
                              co_await g.wait_forever();
                            },
                            [](ScriptedGuest& g) -> Script {
                              const SocketId socket = (co_await g.connect("server:7000")).socket();
                              const Answer got = co_await g.receive(socket);
                              co_await g.note(word(got));
                              const Answer again = co_await g.connect("server:7000");
                              co_await g.note(word(again));
                              co_await g.wait_forever();
                            }),
                        none);
  EXPECT_EQ(room.notes(), (Notes{"ECONNRESET", "ECONNREFUSED"}));
}

// The server sends and closes while the client talks: its data was sent first and is read first.
TEST(Network, AResetDoesNotOvertakeWhatWasSentBeforeIt) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    ScriptedFaults none;
    const auto room = run(pair_of(
                              [](ScriptedGuest& g) -> Script {
                                const SocketId listener = (co_await g.listen(7000)).socket();
                                const SocketId socket = (co_await g.accept(listener)).socket();
                                co_await g.sleep_until(SimTime(5'000'000));
                                co_await g.send(socket, "last words");
                                co_await g.close(socket);
                                co_await g.wait_forever();
                              },
                              [](ScriptedGuest& g) -> Script {
                                const SocketId socket =
                                    (co_await g.connect("server:7000")).socket();
                                co_await g.sleep_until(SimTime(4'700'000));
                                co_await g.send(socket, "x");
                                const Answer got = co_await g.receive(socket);
                                co_await g.note(word(got));
                                co_await g.wait_forever();
                              },
                              milliseconds(50)),
                          none, seed);
    const Notes notes = room.notes();
    ASSERT_EQ(notes.size(), 1U);
    // (When "x" lies unread at the close, the abort drops nothing that was sent before it either.)
    ASSERT_EQ(notes[0], "last words") << "seed " << seed;
  }
}

// ---- flow control

TEST(Network, TheWindowBoundsWhatIsUnderWayAndReadingOpensIt) {
  ScriptedFaults none;
  const auto room = run(pair_of(
                            [](ScriptedGuest& g) -> Script {
                              const SocketId listener = (co_await g.listen(7000)).socket();
                              const SocketId socket = (co_await g.accept(listener)).socket();
                              co_await g.sleep_until(SimTime(50'000'000));
                              co_await g.receive(socket, kWindowBytes / 4);
                              co_await g.wait_forever();
                            },
                            [](ScriptedGuest& g) -> Script {
                              const SocketId socket = (co_await g.connect("server:7000")).socket();
                              const Answer much =
                                  co_await g.send(socket, std::string(100'000, 'x'));
                              co_await g.note("sent " + word(much));
                              const Answer more = co_await g.send(socket, "x");
                              co_await g.note("sent " + word(more));
                              co_await g.note(g.network().readiness(socket).writable ? "open"
                                                                                     : "full");
                              co_await g.sleep_until(SimTime(60'000'000));
                              co_await g.note(g.network().readiness(socket).writable ? "open"
                                                                                     : "full");
                              const Answer rest =
                                  co_await g.send(socket, std::string(100'000, 'x'));
                              co_await g.note("sent " + word(rest));
                              co_await g.wait_forever();
                            }),
                        none);
  EXPECT_EQ(room.notes(), (Notes{"sent 65536", "sent EAGAIN", "full", "open", "sent 16384"}));
}

TEST(Network, ABlockedSenderGoesOnAsTheReaderReads) {
  ScriptedFaults none;
  const auto room = run(pair_of(
                            drain,
                            [](ScriptedGuest& g) -> Script {
                              const SocketId socket = (co_await g.connect("server:7000")).socket();
                              co_await g.send_all(socket, numbered(400'000));
                              co_await g.close(socket);
                              co_await g.wait_forever();
                            },
                            seconds(5)),
                        none);
  EXPECT_EQ(room.notes(), (Notes{"all " + numbered(400'000)}));
}

TEST(Network, AProgramTalksToItself) {
  ScriptedFaults none;
  const auto room = run({workload("one", [](ScriptedGuest& g) -> Script {
                           const SocketId listener = (co_await g.listen(7000)).socket();
                           const SocketId out = (co_await g.connect("localhost:7000")).socket();
                           const SocketId in = (co_await g.accept(listener)).socket();
                           co_await g.send(out, "hello");
                           const Answer got = co_await g.receive(in);
                           co_await g.note(word(got));
                         })},
                        none);
  EXPECT_EQ(room.notes(), (Notes{"hello"}));
}

TEST(Network, CallsOnTheWrongKindOfSocketAreErrors) {
  ScriptedFaults none;
  const auto room = run({workload("one", [](ScriptedGuest& g) -> Script {
                           const SocketId listener = (co_await g.listen(7000)).socket();
                           const Answer sent = co_await g.send(listener, "x");
                           co_await g.note("send " + word(sent));
                           const Answer got = co_await g.receive(listener);
                           co_await g.note("receive " + word(got));
                           const Answer gone = co_await g.send(12345, "x");
                           co_await g.note("send " + word(gone));
                           const Answer accepted = co_await g.accept(12345);
                           co_await g.note("accept " + word(accepted));
                           const Answer nowhere = co_await g.connect("one:0");
                           co_await g.note("connect " + word(nowhere));
                           const Answer unknown = co_await g.connect("nobody:1");
                           co_await g.note("connect " + word(unknown));
                         })},
                        none);
  EXPECT_EQ(room.notes(),
            (Notes{"send ENOTCONN", "receive ENOTCONN", "send EBADF", "accept EINVAL",
                   "connect EADDRNOTAVAIL", "connect ENOENT"}));
}

// ---- negative control of the stream comparison: a receiver that drops a byte differs.
TEST(Network, NegativeControlALostByteIsNoticed) {
  ScriptedFaults none;
  const auto room = run(pair_of(
                            [](ScriptedGuest& g) -> Script {
                              const SocketId listener = (co_await g.listen(7000)).socket();
                              const SocketId socket = (co_await g.accept(listener)).socket();
                              std::string all;
                              co_await g.receive(socket, 1);
                              for (;;) {
                                const Answer got = co_await g.receive(socket);
                                if (!got.ok() || got.value == 0) break;
                                all += got.data;
                              }
                              co_await g.note("all " + all);
                              co_await g.wait_forever();
                            },
                            talker(2'000)),
                        none);
  ASSERT_EQ(room.notes().size(), 1U);
  EXPECT_NE(room.notes()[0], "all " + numbered(2'000));
}

}  // namespace
}  // namespace sf::kernel::testing
