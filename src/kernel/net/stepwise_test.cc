// Sockets in steps, as socket(2), bind(2), listen(2) and connect(2) have them.
//
// Method: a scripted client and server per case that note the errno of each step.
#include <gtest/gtest.h>

#include "kernel/net/network.h"
#include "kernel/scripted_room_test_util.h"

namespace sf::kernel::testing {
namespace {

constexpr Address kAnyPort{};
constexpr Address at_port(std::uint16_t port) { return {kTheRoom, port}; }
constexpr NodeId kServer{0};

using Awaitable = ScriptedGuest::Awaitable;

// One step as a call of the program; its errno and value become a note.
template <class Step>
Awaitable step(ScriptedGuest& g, const char* name, Step step) {
  return g.call(name, [&g, step] { return step(g.network(), g.process()); });
}
Awaitable bind(ScriptedGuest& g, SocketId socket, Address local) {
  return step(g, "bind", [=](Network& network, Process& process) {
    return Answer::failed(network.bind(process, socket, local));
  });
}
Awaitable start_listening(ScriptedGuest& g, SocketId socket) {
  return step(g, "listen", [=](Network& network, Process& process) {
    return Answer::failed(network.start_listening(process, socket));
  });
}
Awaitable start_connecting(ScriptedGuest& g, SocketId socket, Address remote) {
  return step(g, "start", [=](Network& network, Process& process) {
    return Answer::failed(network.start_connecting(process, socket, remote));
  });
}
// Waits for the connection that was started.
Awaitable connected(ScriptedGuest& g, SocketId socket) {
  return g.call("connected", [&g, socket] {
    const Errno status = g.network().connect_status(socket);
    return status == Errno::kInProgress ? Answer::wait() : Answer::failed(status);
  });
}
Awaitable accept_now(ScriptedGuest& g, SocketId listener) {
  return step(g, "accept", [=](Network& network, Process& process) {
    const auto accepted = network.accept(process, listener);
    return accepted ? Answer::done(static_cast<std::int64_t>(*accepted))
                    : Answer::failed(accepted.error());
  });
}
SocketId open_socket(ScriptedGuest& g) { return g.network().open(g.process()); }
std::uint16_t port_of(ScriptedGuest& g, SocketId socket) {
  return g.network().addresses(socket).first.port;
}
std::string named(const char* what, const Answer& answer) {
  return std::string(what) + " " + std::string(errno_name(answer.error));
}
using Notes = std::vector<std::string>;

Notes notes_of(Program program) {
  ScriptedFaults none;
  std::vector<NodeDef> nodes = {service("server", std::move(program)), timer(seconds(1))};
  return run(std::move(nodes), none, 1).notes();
}

TEST(StepwiseSockets, APortBelongsToOneSocketUntilThatIsClosed) {
  const Notes notes = notes_of([](ScriptedGuest& g) -> Script {
    const SocketId first = open_socket(g), second = open_socket(g);
    co_await g.note(named("first", co_await bind(g, first, at_port(7000))));
    co_await g.note(named("again", co_await bind(g, first, at_port(7001))));
    co_await g.note(named("second", co_await bind(g, second, at_port(7000))));
    co_await g.note(named("not mine", co_await bind(g, second, {NodeId{1}, 7002})));
    co_await g.close(first);
    co_await g.note(named("after close", co_await bind(g, second, at_port(7000))));
    co_await g.wait_forever();
  });
  EXPECT_EQ(notes, (Notes{"first ok", "again EINVAL", "second EADDRINUSE",
                          "not mine EADDRNOTAVAIL", "after close ok"}));
}

TEST(StepwiseSockets, PortZeroIsAFreePortAndListenTakesOneToo) {
  const Notes notes = notes_of([](ScriptedGuest& g) -> Script {
    const SocketId bound = open_socket(g), listening = open_socket(g);
    co_await bind(g, bound, kAnyPort);
    co_await start_listening(g, listening);
    const bool fine = port_of(g, bound) >= 32768 && port_of(g, listening) >= 32768 &&
                      port_of(g, bound) != port_of(g, listening);
    co_await g.note(fine ? "two ephemeral ports" : "wrong ports");
    co_await g.wait_forever();
  });
  EXPECT_EQ(notes, Notes{"two ephemeral ports"});
}

TEST(StepwiseSockets, AListenerListensOnceMoreWithoutHarmAndACopyOfItsPortIsInUse) {
  const Notes notes = notes_of([](ScriptedGuest& g) -> Script {
    const SocketId first = open_socket(g), second = open_socket(g);
    co_await bind(g, first, at_port(7000));
    co_await g.note(named("listen", co_await start_listening(g, first)));
    co_await g.note(named("again", co_await start_listening(g, first)));
    co_await g.note(named("bind", co_await bind(g, second, at_port(7000))));
    co_await g.note(named("accept", co_await accept_now(g, first)));
    co_await g.note(named("no listener", co_await accept_now(g, second)));
    co_await g.note(named("connect", co_await start_connecting(g, first, {kServer, 7000})));
    co_await g.wait_forever();
  });
  EXPECT_EQ(notes, (Notes{"listen ok", "again ok", "bind EADDRINUSE", "accept EAGAIN",
                          "no listener EINVAL", "connect EISCONN"}));
}

TEST(StepwiseSockets, AConnectionIsStartedOnceAndThenStands) {
  const Notes notes = notes_of([](ScriptedGuest& g) -> Script {
    const SocketId listener = (co_await g.listen(7000)).socket();
    const SocketId client = open_socket(g);
    co_await g.note(named("unconnected", co_await g.receive_now(client)));
    co_await g.note(named("port 0", co_await start_connecting(g, client, {kServer, 0})));
    co_await g.note(named("start", co_await start_connecting(g, client, {kServer, 7000})));
    co_await g.note(named("pending", co_await start_connecting(g, client, {kServer, 7000})));
    co_await g.note(named("connected", co_await connected(g, client)));
    co_await g.note(named("stands", co_await start_connecting(g, client, {kServer, 7000})));
    co_await g.note(named("listen", co_await start_listening(g, client)));
    const SocketId server = (co_await g.accept(listener)).socket();
    co_await g.send_all(server, "hello");
    co_await g.note((co_await g.receive(client)).data);
    co_await g.wait_forever();
  });
  EXPECT_EQ(notes, (Notes{"unconnected ENOTCONN", "port 0 EADDRNOTAVAIL", "start ok",
                          "pending EALREADY", "connected ok", "stands EISCONN", "listen EINVAL",
                          "hello"}));
}

TEST(StepwiseSockets, ARefusedConnectionMayBeTriedAgainFromItsPort) {
  const Notes notes = notes_of([](ScriptedGuest& g) -> Script {
    const SocketId client = open_socket(g);
    co_await bind(g, client, at_port(9000));
    co_await start_connecting(g, client, {kServer, 7000});
    co_await g.note(named("first", co_await connected(g, client)));
    const SocketId listener = (co_await g.listen(7000)).socket();
    co_await start_connecting(g, client, {kServer, 7000});
    co_await g.note(named("second", co_await connected(g, client)));
    const SocketId server = (co_await g.accept(listener)).socket();
    const bool same = g.network().addresses(server).second.port == 9000;
    co_await g.note(same ? "from 9000" : "from another port");
    co_await g.wait_forever();
  });
  EXPECT_EQ(notes, (Notes{"first ECONNREFUSED", "second ok", "from 9000"}));
}

// Goal: shutdown(2) of a listener does what inet_shutdown does. Method: one that waits to be
// accepted is reset, later ones are refused, and the socket can listen again on its port.
TEST(StepwiseSockets, AListenerThatIsShutResetsItsQueueKeepsItsPortAndMayListenAgain) {
  const Notes notes = notes_of([](ScriptedGuest& g) -> Script {
    const SocketId listener = (co_await g.listen(7000)).socket();
    const SocketId queued = (co_await g.connect("server:7000")).socket();
    co_await g.note(named("write", co_await g.shutdown(listener, ShutdownHow::kWrite)));
    co_await g.note(named("read", co_await g.shutdown(listener, ShutdownHow::kRead)));
    co_await g.note(named("once more", co_await g.shutdown(listener, ShutdownHow::kRead)));
    co_await g.note(named("queued", co_await g.receive(queued)));
    co_await g.note(named("accept", co_await accept_now(g, listener)));
    co_await g.note(named("late", co_await g.connect("server:7000")));
    co_await g.note(named("bind", co_await bind(g, open_socket(g), at_port(7000))));
    co_await g.note(named("listen", co_await start_listening(g, listener)));
    co_await g.note(named("again", co_await g.connect("server:7000")));
    co_await g.close(listener);
    co_await g.note(named("freed", co_await g.listen(7000)));
    co_await g.wait_forever();
  });
  EXPECT_EQ(notes, (Notes{"write ok", "read ok", "once more ENOTCONN", "queued ECONNRESET",
                          "accept EINVAL", "late ECONNREFUSED", "bind EADDRINUSE", "listen ok",
                          "again ok", "freed ok"}));
}

TEST(StepwiseSockets, ADeadProgramLeavesNoPortInUse) {
  ScriptedFaults faults;
  faults.at_times = {{SimTime(100'000'000), kServer, FaultKind::kKill}};
  const auto room = run(
      {service("server",
               [](ScriptedGuest& g) -> Script {
                 const SocketId socket = open_socket(g);
                 co_await g.note(named("bind", co_await bind(g, socket, at_port(7000))));
                 co_await g.wait_forever();
               }),
       timer(seconds(1))},
      faults, 1);
  EXPECT_EQ(room.notes(), (Notes{"bind ok", "bind ok"}));
}

}  // namespace
}  // namespace sf::kernel::testing
