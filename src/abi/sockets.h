// Sockets as descriptors, shared by the WASI calls and the SDK's.
#pragma once

#include "kernel/errno.h"
#include "kernel/fd_table.h"
#include "kernel/process.h"

namespace sf::abi {

// Gives the socket a descriptor; when the table is full the socket is closed (EMFILE).
kernel::Outcome<kernel::Fd> add_socket(kernel::Process& process, kernel::SocketId socket,
                                       kernel::DescriptionKind kind, bool non_blocking);

// After a socket has begun to listen or to connect: what traces call it.
void name_socket(const kernel::Process& process, kernel::Description& description);

}  // namespace sf::abi
