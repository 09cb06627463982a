// A first network: ordered TCP streams between the nodes of a world.
//
// Each host's sockets are changed only by its own program and by segments that arrive at it;
// nothing reads the other side directly. So what one node does is seen by another after at least
// the least link latency, which the room's look-ahead relies on.
//
// What it models (sources: tcp(7), listen(2), connect(2), and docs/design/network.md):
//   * one latency draw per segment, segments of one direction stay in order;
//   * connect to a host without a listener: RST, ECONNREFUSED after one round trip;
//   * connect to a host without power: SYN at 0, 1, 3, 7, 15, 31, 63 s, ETIMEDOUT after 127 s;
//   * close: FIN, or RST when unread bytes are dropped; process death closes its sockets likewise;
//   * power loss: silence. What is sent to such a host is sent again after 0.2, 0.4, … s; once the
//     host is back it answers with RST, since it knows nothing of the connection;
//   * partitions hold segments until they heal.
// Bytes in flight plus unread bytes of one direction are bounded by kWindowBytes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/time.h"
#include "kernel/errno.h"
#include "kernel/fd_table.h"
#include "kernel/ids.h"

namespace sf::kernel {

class Process;
class Room;

inline constexpr std::uint32_t kWindowBytes = 64 * 1024;
inline constexpr std::uint32_t kBacklog = 128;

struct Address {
  NodeId host = kTheRoom;       // kTheRoom: any, for listening
  std::uint16_t port = 0;
  auto operator<=>(const Address&) const = default;
};

struct Readiness {
  bool readable = false;
  bool writable = false;
  bool hangup = false;          // the peer sent FIN or the connection was reset
  std::uint64_t bytes = 0;      // readable at once
};

enum class ReceiveHow : std::uint8_t { kTake, kPeek };
enum class ShutdownHow : std::uint8_t { kRead, kWrite, kBoth };

class Network {
 public:
  explicit Network(Room& room);
  ~Network();

  // "server:7000", ":7000" (any local address), "localhost:7000", "10.0.0.1:7000". Node names are
  // host names; ENOENT for an unknown host, EINVAL for a malformed address.
  Outcome<Address> resolve(const Process& process, std::string_view text) const;
  std::string format(Address address) const;      // "server:7000"
  // The IPv4 address of a host, 10.0.0.1 for the first one; 0.0.0.0 for kTheRoom.
  static std::uint32_t ip_of(NodeId host);

  // ---- calls of a process, at its local time
  Outcome<SocketId> listen(Process& process, Address address);       // EADDRINUSE, EADDRNOTAVAIL
  Outcome<SocketId> connect(Process& process, Address remote);       // starts; see connect_status
  Errno connect_status(SocketId socket);            // kOk, kInProgress, or why it failed
  // The same in the steps of socket(2), bind(2), listen(2) and connect(2).
  SocketId open(Process& process);
  Errno bind(Process& process, SocketId socket, Address local);
  Errno start_listening(Process& process, SocketId socket);   // EINVAL when it is connected
  // EISCONN, EALREADY; after a failed try it may be tried again.
  Errno start_connecting(Process& process, SocketId socket, Address remote);
  Outcome<SocketId> accept(Process& process, SocketId listener);     // EAGAIN
  Outcome<std::size_t> receive(Process& process, SocketId socket, std::span<std::byte> into,
                               ReceiveHow how = ReceiveHow::kTake);
  Outcome<std::size_t> send(Process& process, SocketId socket, Bytes data);
  // ENOTCONN. A listener that is shut for reading listens no more and can be made to again.
  Errno shutdown(Process& process, SocketId socket, ShutdownHow how);
  void close(Process& process, SocketId socket);
  Readiness readiness(SocketId socket) const;
  std::pair<Address, Address> addresses(SocketId socket) const;      // local, remote
  bool is_established(SocketId socket) const;   // connected, and not reset since

  // ---- lives of hosts, at room time
  void process_died(NodeId host);       // the kernel closes its sockets
  void power_off(NodeId host);          // all is gone, silently

  // ---- partitions, at room time. Cuts are counted: a link passes when all its cuts are healed.
  void cut(NodeId from, NodeId to);
  void heal(NodeId from, NodeId to);

 private:
  struct Segment;
  struct Socket;
  struct Host;
  struct Link;

  Host& host_of(SocketId id) const;
  Socket* find(SocketId id) const;
  Socket& make_socket(NodeId host);
  Outcome<std::uint16_t> free_port(Process& process, NodeId host);
  void transmit(Socket& from, Segment segment, SimTime at);
  void reply_reset(const Segment& to, SimTime at);
  void put_on_wire(Segment segment, SimTime at);
  SimTime wire_time(const Segment& segment, SimTime at);
  void arrive_at(SimTime arrival, Segment segment);
  void arrive(Segment segment);
  void queue_up(Link& link, Segment segment, SimTime earliest);
  void lost(const Segment& segment);
  void retransmit(SocketId id);
  void deliver(Segment& segment);
  void deliver_syn(Segment& segment);
  void deliver_to(Socket& socket, Segment& segment);
  void deliver_unknown(const Segment& segment);
  void reset(Socket& socket);
  void stop_listening(Socket& listener, SimTime at);
  void close_at(Socket& socket, SimTime at);
  void record(const Segment& segment, std::string_view outcome) const;
  void poke(NodeId host);

  Room& room_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::map<std::pair<NodeId, NodeId>, Link> links_;
};

}  // namespace sf::kernel
