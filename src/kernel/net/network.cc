// The network's state is split by host, and a host's part is changed only by its own program (at
// the program's local time) and by segments that arrive (at room time). A socket's number packs
// host, power cycle and a counter of the host, so numbers do not depend on how nodes were
// interleaved, and a host that was rebooted does not know the numbers of its former life.
//
// Flow control without acknowledgements: the sender counts what it has put on the wire minus what
// the receiver said it has read (a window segment for each quarter of the window). Retransmission
// is modelled by its timing only: a segment that meets a powered-off host is lost, and the sender's
// timer sends a probe after 0.2 s, then 0.4 s, 0.8 s …; the data itself need not be sent again,
// since a host that lost its power has no socket left that could take it.
#include "kernel/net/network.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "kernel/room.h"

namespace sf::kernel {

struct Network::Segment {
  enum class Kind : std::uint8_t { kSyn, kSynAck, kData, kFin, kReset, kWindow, kProbe };
  Kind kind = Kind::kData;
  NodeId from{};
  NodeId to{};
  SocketId from_socket = 0;
  SocketId to_socket = 0;          // 0 in a SYN
  Address source;
  Address destination;
  std::string data;
  std::uint32_t window_bytes = 0;  // kWindow: bytes the receiver has read
  std::uint64_t stream = 0;        // key of the direction, for latency draws and ties
  std::uint64_t index = 0;         // within the direction
  bool in_line = false;            // has its place behind what a heal let go
};

struct Network::Socket {
  enum class State : std::uint8_t { kListening, kConnecting, kEstablished, kReset, kFresh };
  SocketId id = 0;
  State state = State::kEstablished;
  Address local;
  Address remote;
  SocketId peer = 0;
  // Receiving.
  std::string received;            // unread bytes
  bool fin_received = false;
  bool read_shut = false;
  std::uint32_t unannounced = 0;   // bytes read, not yet told to the sender
  // Sending.
  std::uint32_t outstanding = 0;   // on the wire or unread by the peer
  bool fin_sent = false;
  SimTime last_arrival;            // of this direction: later segments arrive later
  std::uint64_t segments_sent = 0;
  std::uint32_t syn_tries = 0;
  std::uint32_t probes = 0;        // retransmissions in a row
  bool probe_pending = false;
  // Errors are reported once (SO_ERROR).
  Errno error = Errno::kOk;
  // Listening.
  std::deque<SocketId> backlog;
};

struct Network::Host {
  std::uint64_t next = 1;
  std::map<SocketId, Socket> sockets;
  std::map<std::uint16_t, SocketId> listeners;
  std::set<std::uint16_t> ports;          // in use by connecting and by bound sockets
  // Closed in good order: late FINs are no surprise. When the last of what they sent arrives.
  std::map<SocketId, SimTime> closed;
  std::uint64_t ports_drawn = 0;
};

struct Network::Link {
  std::uint32_t cuts = 0;
  std::deque<Segment> held;
  // After a heal: when the last of a direction's held segments arrives. Others of that direction
  // queue up behind it.
  std::map<std::uint64_t, SimTime> tails;
};

namespace {

constexpr Duration kLoopbackLatency = microseconds(20);
constexpr Duration kRetransmitFirst = milliseconds(200);   // TCP_RTO_MIN, net/tcp.h
constexpr std::uint32_t kProbesMax = 15;    // 924.6 s with doubling up to 120 s (tcp_retries2)
// Indices of answers that no socket sends, apart from those of a socket's own segments.
constexpr std::uint64_t kReplies = 1ULL << 48;
constexpr std::uint32_t kSynRetries = 6;    // tcp_syn_retries: 127 s in all
constexpr std::uint16_t kFirstEphemeralPort = 32768;   // ip_local_port_range
constexpr std::uint16_t kLastEphemeralPort = 60999;

constexpr SocketId pack(NodeId host, std::uint32_t power_cycle, std::uint64_t counter) {
  return (static_cast<SocketId>(index_of(host)) << 52) |
         (static_cast<SocketId>(power_cycle & 0xffff) << 36) | counter;
}
constexpr NodeId host_index(SocketId id) { return NodeId{static_cast<std::uint32_t>(id >> 52)}; }

constexpr std::string_view kSegmentNames[] = {"syn", "syn+ack", "data", "fin",
                                              "rst", "window",  "probe"};

std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return {};
  std::uint32_t port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    port = port * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (port > 65535) return {};
  return static_cast<std::uint16_t>(port);
}

}  // namespace

Network::Network(Room& room) : room_(room) {
  for (std::size_t i = 0; i < room.node_count(); ++i) hosts_.push_back(std::make_unique<Host>());
}
Network::~Network() = default;

Network::Host& Network::host_of(SocketId id) const { return *hosts_[index_of(host_index(id))]; }

Network::Socket* Network::find(SocketId id) const {
  if (index_of(host_index(id)) >= hosts_.size()) return nullptr;
  Host& host = host_of(id);
  const auto found = host.sockets.find(id);
  return found == host.sockets.end() ? nullptr : &found->second;
}

Network::Socket& Network::make_socket(NodeId host_id) {
  Host& host = *hosts_[index_of(host_id)];
  const SocketId id = pack(host_id, room_.node(host_id).power_cycles(), host.next++);
  Socket& socket = host.sockets[id];
  socket.id = id;
  return socket;
}

Outcome<Address> Network::resolve(const Process& process, std::string_view text) const {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail(Errno::kInval);
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return fail(Errno::kInval);
  const std::string_view host = text.substr(0, colon);
  if (host.empty() || host == "0.0.0.0" || host == "[::]") return Address{kTheRoom, *port};
  if (host == "localhost" || host == "127.0.0.1" || host == "[::1]") {
    return Address{process.node_id(), *port};
  }
  if (const auto node = room_.find_node(host)) return Address{*node, *port};
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const NodeId node{static_cast<std::uint32_t>(i)};
    const std::uint32_t ip = ip_of(node);
    if (host == fmt::format("10.0.{}.{}", ip >> 8 & 0xff, ip & 0xff)) return Address{node, *port};
  }
  return fail(Errno::kNoEnt);
}

std::string Network::format(Address address) const {
  if (address.host == kTheRoom) return fmt::format(":{}", address.port);
  return fmt::format("{}:{}", room_.node(address.host).name(), address.port);
}

std::uint32_t Network::ip_of(NodeId host) {
  constexpr std::uint32_t kNet = 10U << 24;
  return host == kTheRoom ? 0 : kNet + static_cast<std::uint32_t>(index_of(host)) + 1;
}

Outcome<std::uint16_t> Network::free_port(Process& process, NodeId host_id) {
  Host& host = *hosts_[index_of(host_id)];
  constexpr std::uint16_t kRange = kLastEphemeralPort - kFirstEphemeralPort + 1;
  if (host.ports.size() + host.listeners.size() >= kRange) return fail(Errno::kAddrNotAvail);
  const std::uint64_t word =
      room_.choices().word(Purpose::kPort, Entity::of(index_of(host_id), process.incarnation()),
                           host.ports_drawn++);
  auto port = static_cast<std::uint16_t>(kFirstEphemeralPort + below(word, kRange));
  while (host.ports.contains(port) || host.listeners.contains(port)) {
    port = port == kLastEphemeralPort ? kFirstEphemeralPort : static_cast<std::uint16_t>(port + 1);
  }
  return port;
}

Outcome<SocketId> Network::listen(Process& process, Address address) {
  const NodeId self = process.node_id();
  if (address.host != kTheRoom && address.host != self) return fail(Errno::kAddrNotAvail);
  Host& host = *hosts_[index_of(self)];
  if (address.port == 0) {
    const auto port = free_port(process, self);
    if (!port) return fail(port.error());
    address.port = *port;
  }
  if (host.listeners.contains(address.port)) return fail(Errno::kAddrInUse);
  Socket& socket = make_socket(self);
  socket.state = Socket::State::kListening;
  socket.local = Address{self, address.port};
  host.listeners[address.port] = socket.id;
  return socket.id;
}

Outcome<SocketId> Network::connect(Process& process, Address remote) {
  const NodeId self = process.node_id();
  if (remote.host == kTheRoom) remote.host = self;
  if (remote.port == 0) return fail(Errno::kAddrNotAvail);
  const auto port = free_port(process, self);
  if (!port) return fail(port.error());
  Socket& socket = make_socket(self);
  socket.state = Socket::State::kConnecting;
  socket.local = Address{self, *port};
  socket.remote = remote;
  hosts_[index_of(self)]->ports.insert(*port);
  transmit(socket, Segment{.kind = Segment::Kind::kSyn}, process.now());
  return socket.id;
}

Errno Network::connect_status(SocketId id) {
  Socket* socket = find(id);
  if (socket == nullptr) return Errno::kBadF;
  if (socket->state == Socket::State::kConnecting) return Errno::kInProgress;
  return std::exchange(socket->error, Errno::kOk);
}

// ---- a socket in steps

SocketId Network::open(Process& process) {
  Socket& socket = make_socket(process.node_id());
  socket.state = Socket::State::kFresh;
  return socket.id;
}

Errno Network::bind(Process& process, SocketId id, Address local) {
  Socket* socket = find(id);
  if (socket == nullptr) return Errno::kBadF;
  if (socket->state != Socket::State::kFresh || socket->local.port != 0) return Errno::kInval;
  const NodeId self = process.node_id();
  if (local.host != kTheRoom && local.host != self) return Errno::kAddrNotAvail;
  Host& host = host_of(id);
  if (local.port == 0) {
    const auto port = free_port(process, self);
    if (!port) return port.error();
    local.port = *port;
  }
  if (host.listeners.contains(local.port) || !host.ports.insert(local.port).second) {
    return Errno::kAddrInUse;
  }
  socket->local = Address{self, local.port};
  return Errno::kOk;
}

Errno Network::start_listening(Process& process, SocketId id) {
  Socket* socket = find(id);
  if (socket == nullptr) return Errno::kBadF;
  if (socket->state == Socket::State::kListening) return Errno::kOk;
  if (socket->state != Socket::State::kFresh) return Errno::kInval;
  if (socket->local.port == 0) {
    if (const Errno error = bind(process, id, Address{}); error != Errno::kOk) return error;
  }
  Host& host = host_of(id);
  if (!host.listeners.emplace(socket->local.port, id).second) return Errno::kAddrInUse;
  host.ports.erase(socket->local.port);
  socket->state = Socket::State::kListening;
  return Errno::kOk;
}

Errno Network::start_connecting(Process& process, SocketId id, Address remote) {
  Socket* socket = find(id);
  if (socket == nullptr) return Errno::kBadF;
  const bool failed_before = socket->state == Socket::State::kReset && socket->peer == 0;
  if (socket->state == Socket::State::kConnecting) return Errno::kAlready;
  if (socket->state != Socket::State::kFresh && !failed_before) return Errno::kIsConn;
  if (remote.host == kTheRoom) remote.host = process.node_id();
  if (remote.port == 0) return Errno::kAddrNotAvail;
  if (socket->local.port == 0) {
    if (const Errno error = bind(process, id, Address{}); error != Errno::kOk) return error;
  }
  socket->state = Socket::State::kConnecting;
  socket->error = Errno::kOk;
  socket->syn_tries = 0;
  socket->remote = remote;
  transmit(*socket, Segment{.kind = Segment::Kind::kSyn}, process.now());
  return Errno::kOk;
}

// ---- connected sockets

Outcome<SocketId> Network::accept(Process& process, SocketId id) {
  Socket* listener = find(id);
  if (listener == nullptr || listener->state != Socket::State::kListening)
    return fail(Errno::kInval);
  if (listener->backlog.empty()) return fail(Errno::kAgain);
  const SocketId accepted = listener->backlog.front();
  listener->backlog.pop_front();
  process.note_network();
  return accepted;
}

Outcome<std::size_t> Network::receive(Process& process, SocketId id, std::span<std::byte> into,
                                      ReceiveHow how) {
  Socket* socket = find(id);
  if (socket == nullptr) return fail(Errno::kBadF);
  if (socket->state == Socket::State::kListening || socket->state == Socket::State::kConnecting ||
      socket->state == Socket::State::kFresh) {
    return fail(Errno::kNotConn);
  }
  if (!socket->received.empty() && !socket->read_shut) {
    const std::size_t take = std::min(into.size(), socket->received.size());
    std::copy_n(reinterpret_cast<const std::byte*>(socket->received.data()), take, into.data());
    if (how == ReceiveHow::kPeek) return take;
    socket->received.erase(0, take);
    socket->unannounced += static_cast<std::uint32_t>(take);
    if (socket->unannounced >= kWindowBytes / 4 && socket->state == Socket::State::kEstablished) {
      Segment window{.kind = Segment::Kind::kWindow};
      window.window_bytes = std::exchange(socket->unannounced, 0U);
      transmit(*socket, std::move(window), process.now());
    }
    return take;
  }
  if (socket->error != Errno::kOk) return fail(std::exchange(socket->error, Errno::kOk));
  const bool ended = socket->fin_received || socket->read_shut ||
                     socket->state == Socket::State::kReset;
  if (ended || into.empty()) return 0;
  return fail(Errno::kAgain);
}

Outcome<std::size_t> Network::send(Process& process, SocketId id, Bytes data) {
  Socket* socket = find(id);
  if (socket == nullptr) return fail(Errno::kBadF);
  if (socket->state == Socket::State::kListening) return fail(Errno::kNotConn);
  if (socket->state == Socket::State::kConnecting) return fail(Errno::kAgain);
  if (socket->state == Socket::State::kFresh) return fail(Errno::kPipe);   // tcp_sendmsg
  if (socket->error != Errno::kOk) return fail(std::exchange(socket->error, Errno::kOk));
  if (socket->fin_sent || socket->state == Socket::State::kReset) return fail(Errno::kPipe);
  const std::size_t room = kWindowBytes - socket->outstanding;
  if (room == 0 && !data.empty()) return fail(Errno::kAgain);
  const std::size_t take = std::min(room, data.size());
  if (take == 0) return 0;
  Segment segment{.kind = Segment::Kind::kData};
  segment.data.assign(reinterpret_cast<const char*>(data.data()), take);
  socket->outstanding += static_cast<std::uint32_t>(take);
  transmit(*socket, std::move(segment), process.now());
  return take;
}

Errno Network::shutdown(Process& process, SocketId id, ShutdownHow how) {
  Socket* socket = find(id);
  if (socket == nullptr) return Errno::kBadF;
  if (socket->state == Socket::State::kListening) {
    // inet_shutdown (net/ipv4/af_inet.c): a listener goes back to what it was before listen(2),
    // with its port; it has nothing to send that could be shut.
    if (how == ShutdownHow::kWrite) return Errno::kOk;
    stop_listening(*socket, process.now());
    host_of(id).ports.insert(socket->local.port);
    socket->state = Socket::State::kFresh;
    return Errno::kOk;
  }
  if (socket->state != Socket::State::kEstablished) return Errno::kNotConn;
  if (how != ShutdownHow::kWrite) {
    socket->read_shut = true;
    socket->received.clear();
  }
  if (how != ShutdownHow::kRead && !socket->fin_sent) {
    socket->fin_sent = true;
    transmit(*socket, Segment{.kind = Segment::Kind::kFin}, process.now());
  }
  return Errno::kOk;
}

void Network::close(Process& process, SocketId id) {
  if (Socket* socket = find(id)) close_at(*socket, process.now());
}

// Frees the port and resets who waits to be accepted.
void Network::stop_listening(Socket& listener, SimTime at) {
  Host& host = host_of(listener.id);
  host.listeners.erase(listener.local.port);
  for (const SocketId id : std::exchange(listener.backlog, {})) {
    Socket* waiting = find(id);
    if (waiting == nullptr) continue;
    if (waiting->state == Socket::State::kEstablished) {
      transmit(*waiting, Segment{.kind = Segment::Kind::kReset}, at);
    }
    host.sockets.erase(id);
  }
}

void Network::close_at(Socket& socket, SimTime at) {
  Host& host = host_of(socket.id);
  if (socket.state == Socket::State::kListening) {
    stop_listening(socket, at);
    host.sockets.erase(socket.id);
    return;
  }
  if (socket.state == Socket::State::kFresh) {
    host.ports.erase(socket.local.port);
    host.sockets.erase(socket.id);
    return;
  }
  if (socket.state == Socket::State::kEstablished) {
    // close(2) with unread bytes aborts the connection (RFC 2525 section 2.17, net/ipv4/tcp.c).
    if (!socket.received.empty()) {
      transmit(socket, Segment{.kind = Segment::Kind::kReset}, at);
    } else if (!socket.fin_sent) {
      transmit(socket, Segment{.kind = Segment::Kind::kFin}, at);
    }
  }
  host.ports.erase(socket.local.port);
  host.closed.emplace(socket.id, socket.last_arrival);
  host.sockets.erase(socket.id);
}

Readiness Network::readiness(SocketId id) const {
  const Socket* socket = find(id);
  Readiness ready;
  if (socket == nullptr) return Readiness{true, true, true, 0};
  switch (socket->state) {
    case Socket::State::kListening:
      ready.readable = !socket->backlog.empty();
      return ready;
    case Socket::State::kConnecting:
      return ready;
    case Socket::State::kReset:
    case Socket::State::kFresh:   // poll(2) says POLLHUP of a socket that was never connected
      return Readiness{true, true, true, socket->received.size()};
    case Socket::State::kEstablished:
      break;
  }
  ready.bytes = socket->received.size();
  ready.hangup = socket->fin_received;
  const bool failed = socket->error != Errno::kOk;
  ready.readable = ready.bytes > 0 || socket->fin_received || socket->read_shut || failed;
  ready.writable = socket->outstanding < kWindowBytes || socket->fin_sent || failed;
  return ready;
}

std::pair<Address, Address> Network::addresses(SocketId id) const {
  const Socket* socket = find(id);
  if (socket == nullptr) return {};
  return {socket->local, socket->remote};
}

bool Network::is_established(SocketId id) const {
  const Socket* socket = find(id);
  return socket != nullptr && socket->state == Socket::State::kEstablished;
}

// ---- sending

void Network::transmit(Socket& from, Segment segment, SimTime at) {
  segment.from = host_index(from.id);
  segment.to = from.remote.host;
  segment.from_socket = from.id;
  segment.to_socket = from.peer;
  segment.source = from.local;
  segment.destination = from.remote;
  segment.stream = Entity::of(from.id, 1).key;
  segment.index = from.segments_sent++;
  put_on_wire(std::move(segment), at);
}

// A reset that no socket sends: the host's kernel answers a segment it knows nothing of. It belongs
// to the direction of the socket that was, and does not overtake what that one had sent.
void Network::reply_reset(const Segment& to, SimTime at) {
  Segment reset{.kind = Segment::Kind::kReset};
  reset.from = to.to;
  reset.to = to.from;
  reset.to_socket = to.from_socket;
  reset.source = to.destination;
  reset.destination = to.source;
  reset.stream = to.to_socket == 0 ? Entity::of(to.from_socket, 2).key
                                   : Entity::of(to.to_socket, 1).key;
  reset.index = kReplies + to.index;
  SimTime arrival = wire_time(reset, at);
  const auto& closed = hosts_[index_of(to.to)]->closed;
  if (const auto last = closed.find(to.to_socket); last != closed.end()) {
    arrival = std::max(arrival, last->second);
  }
  arrive_at(arrival, std::move(reset));
}

void Network::put_on_wire(Segment segment, SimTime at) {
  arrive_at(wire_time(segment, at), std::move(segment));
}

SimTime Network::wire_time(const Segment& segment, SimTime at) {
  const std::uint64_t word =
      room_.choices().word(Purpose::kLatency, Entity{segment.stream}, segment.index);
  const Duration latency = segment.from == segment.to
                               ? kLoopbackLatency
                               : draw(room_.settings().network.latency, word);
  SimTime arrival = at + latency;
  if (Socket* sender = find(segment.from_socket)) {
    arrival = std::max(arrival, sender->last_arrival);
    sender->last_arrival = arrival;
  }
  return arrival;
}

void Network::arrive_at(SimTime arrival, Segment segment) {
  const NodeId to = segment.to;
  const Entity entity{segment.stream};
  auto shared = std::make_shared<Segment>(std::move(segment));
  room_.queue().schedule(EventSpec{.time = arrival,
                                   .rank = Rank::kArrival,
                                   .entity = entity,
                                   .concern = Concern::kNode,
                                   .node = to,
                                   .action = [this, shared] { arrive(std::move(*shared)); }});
}

// ---- arriving

void Network::arrive(Segment segment) {
  Link& link = links_[{segment.from, segment.to}];
  if (!segment.in_line) {
    const auto tail = link.tails.find(segment.stream);
    if (tail != link.tails.end() && tail->second >= room_.now()) {
      return queue_up(link, std::move(segment), room_.now());
    }
  }
  if (link.cuts > 0) {
    record(segment, "held by a partition");
    link.held.push_back(std::move(segment));
    return;
  }
  if (room_.node(segment.to).state() == NodeState::kOff) {
    record(segment, "lost: the host has no power");
    lost(segment);
    return;
  }
  deliver(segment);
}

// The sender's timer will try again. It belongs to the sender's kernel: gone with its power.
void Network::lost(const Segment& segment) {
  Socket* sender = find(segment.from_socket);
  if (sender == nullptr || sender->probe_pending) return;
  const bool connecting = sender->state == Socket::State::kConnecting;
  const std::uint32_t tries = connecting ? sender->syn_tries : sender->probes;
  const Duration first = connecting ? seconds(1) : kRetransmitFirst;
  const Duration pause = std::min(first * (std::int64_t{1} << std::min(tries, 16U)), seconds(120));
  sender->probe_pending = true;
  const SocketId id = sender->id;
  room_.queue().schedule(EventSpec{.time = room_.now() + pause,
                                   .rank = Rank::kArrival,
                                   .entity = Entity::of(id, 3),
                                   .concern = Concern::kNode,
                                   .node = segment.from,
                                   .action = [this, id] { retransmit(id); }});
}

void Network::retransmit(SocketId id) {
  Socket* socket = find(id);
  if (socket == nullptr) return;
  socket->probe_pending = false;
  const bool connecting = socket->state == Socket::State::kConnecting;
  std::uint32_t& tries = connecting ? socket->syn_tries : socket->probes;
  if (++tries > (connecting ? kSynRetries : kProbesMax)) {
    socket->error = Errno::kTimedOut;
    socket->state = Socket::State::kReset;
    poke(host_index(id));
    return;
  }
  const auto kind = connecting ? Segment::Kind::kSyn : Segment::Kind::kProbe;
  transmit(*socket, Segment{.kind = kind}, room_.now());
}

void Network::deliver(Segment& segment) {
  if (segment.kind == Segment::Kind::kSyn) return deliver_syn(segment);
  Socket* socket = find(segment.to_socket);
  if (socket == nullptr) return deliver_unknown(segment);
  deliver_to(*socket, segment);
}

void Network::deliver_syn(Segment& segment) {
  Host& host = *hosts_[index_of(segment.to)];
  const auto listener = host.listeners.find(segment.destination.port);
  if (listener == host.listeners.end()) {
    record(segment, "refused: nobody listens");
    return reply_reset(segment, room_.now());
  }
  Socket& listening = *find(listener->second);
  if (listening.backlog.size() >= kBacklog) {
    record(segment, "dropped: the backlog is full");
    return lost(segment);
  }
  Socket& socket = make_socket(segment.to);
  socket.local = Address{segment.to, segment.destination.port};
  socket.remote = segment.source;
  socket.peer = segment.from_socket;
  listening.backlog.push_back(socket.id);
  record(segment, "queued for accept");
  transmit(socket, Segment{.kind = Segment::Kind::kSynAck}, room_.now());
  poke(segment.to);
}

void Network::deliver_unknown(const Segment& segment) {
  const bool in_good_order = hosts_[index_of(segment.to)]->closed.contains(segment.to_socket);
  const bool wants_answer = segment.kind == Segment::Kind::kData ||
                            segment.kind == Segment::Kind::kProbe ||
                            segment.kind == Segment::Kind::kSynAck ||
                            (segment.kind == Segment::Kind::kFin && !in_good_order);
  record(segment, wants_answer ? "answered with rst: no such connection" : "ignored");
  if (wants_answer) reply_reset(segment, room_.now());
}

void Network::deliver_to(Socket& socket, Segment& segment) {
  record(segment, "delivered");
  switch (segment.kind) {
    case Segment::Kind::kSynAck:
      socket.peer = segment.from_socket;
      if (socket.state == Socket::State::kConnecting) socket.state = Socket::State::kEstablished;
      break;
    case Segment::Kind::kData:
      if (socket.read_shut) {
        reply_reset(segment, room_.now());
        break;
      }
      socket.received += segment.data;
      break;
    case Segment::Kind::kFin:
      socket.fin_received = true;
      break;
    case Segment::Kind::kReset:
      reset(socket);
      break;
    case Segment::Kind::kWindow:
      SF_CHECK(socket.outstanding >= segment.window_bytes);
      socket.outstanding -= segment.window_bytes;
      break;
    case Segment::Kind::kProbe:
    case Segment::Kind::kSyn:
      break;
  }
  poke(segment.to);
}

// tcp_reset, net/ipv4/tcp_input.c: what the application gets depends on the state.
void Network::reset(Socket& socket) {
  if (socket.state == Socket::State::kReset) return;
  if (socket.state == Socket::State::kConnecting) {
    socket.error = Errno::kConnRefused;
  } else {
    socket.error = socket.fin_received ? Errno::kPipe : Errno::kConnReset;
  }
  socket.state = Socket::State::kReset;
}

// ---- lives of hosts

void Network::process_died(NodeId id) {
  Host& host = *hosts_[index_of(id)];
  std::vector<SocketId> ids;
  for (const auto& [socket_id, socket] : host.sockets) ids.push_back(socket_id);
  for (const SocketId socket_id : ids) {
    if (Socket* socket = find(socket_id)) close_at(*socket, room_.now());
  }
}

void Network::power_off(NodeId id) {
  Host& host = *hosts_[index_of(id)];
  host.sockets.clear();
  host.listeners.clear();
  host.ports.clear();
  host.closed.clear();
}

// ---- partitions

void Network::cut(NodeId from, NodeId to) { ++links_[{from, to}].cuts; }

void Network::heal(NodeId from, NodeId to) {
  Link& link = links_[{from, to}];
  SF_CHECK(link.cuts > 0);
  if (--link.cuts > 0) return;
  std::erase_if(link.tails, [this](const auto& tail) { return tail.second < room_.now(); });
  const std::deque<Segment> held = std::exchange(link.held, {});
  for (const Segment& segment : held) {
    queue_up(link, segment, wire_time(segment, room_.now()));
  }
}

// Strictly behind everything of its direction that has queued up before, and not before `earliest`.
void Network::queue_up(Link& link, Segment segment, SimTime earliest) {
  const auto [tail, first] = link.tails.try_emplace(segment.stream, earliest);
  if (!first) tail->second = std::max(earliest, tail->second + nanoseconds(1));
  segment.in_line = true;
  arrive_at(tail->second, std::move(segment));
}

void Network::poke(NodeId host) {
  if (Process* process = room_.node(host).process()) process->poke();
}

void Network::record(const Segment& segment, std::string_view outcome) const {
  std::uint64_t payload = mix_into(segment.stream, segment.index);
  payload = mix_into(payload, static_cast<std::uint64_t>(segment.kind));
  payload = mix_into(payload, hash64(segment.data));
  Record record{room_.now(), segment.to, room_.node(segment.to).incarnation(), RecordKind::kNet,
                0, static_cast<std::int64_t>(segment.data.size()), payload, {}, {}};
  if (room_.journal().wants_text()) {
    record.what =
        fmt::format("net {} from {}", kSegmentNames[static_cast<std::size_t>(segment.kind)],
                    format(segment.source));
    if (!segment.data.empty()) record.what += fmt::format(" {} B", segment.data.size());
    record.outcome = outcome;
  }
  room_.journal().add(std::move(record));
}

}  // namespace sf::kernel
