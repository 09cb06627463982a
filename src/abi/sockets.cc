#include "abi/sockets.h"

#include <memory>

#include "kernel/net/network.h"
#include "kernel/room.h"

namespace sf::abi {

kernel::Outcome<kernel::Fd> add_socket(kernel::Process& process, kernel::SocketId socket,
                                       kernel::DescriptionKind kind, bool non_blocking) {
  kernel::Network& network = process.room().network();
  auto description = std::make_shared<kernel::Description>();
  description->kind = kind;
  description->socket = socket;
  description->flags.read = true;
  description->flags.write = true;
  description->flags.non_blocking = non_blocking;
  name_socket(process, *description);
  const kernel::Errno may_open = process.may_open_descriptor();
  auto fd = may_open == kernel::Errno::kOk ? process.fds().add(std::move(description))
                                           : kernel::Outcome<kernel::Fd>(kernel::fail(may_open));
  if (!fd) network.close(process, socket);
  return fd;
}

void name_socket(const kernel::Process& process, kernel::Description& description) {
  const kernel::Network& network = process.room().network();
  const auto [local, remote] = network.addresses(description.socket);
  description.path = network.format(local);
  if (description.kind != kernel::DescriptionKind::kListener) {
    description.path += "<>" + network.format(remote);
  }
}

}  // namespace sf::abi
