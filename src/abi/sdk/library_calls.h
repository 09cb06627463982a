// The calls of Go's changed library (world/guest_build_overlay.h), import module `seedfall`.
//
// sync_start(fd, operation *i32) -> i32 errno    begins an fsync
// sync_result(operation) -> i32 errno            EAGAIN while it is under way; then its result
// signal_start(operation *i32) -> i32 errno      the operation that a signal to the program ends
// An operation's number can be polled like a descriptor (poll_oneoff, for writing) until its result
// was taken. It is none: it takes no place in the table of descriptors, so that a program sees the
// same descriptors as on Linux.
#pragma once

#include "abi/frame.h"

namespace sf::abi::sdk {

Answer sync_start(Frame& frame);
Answer sync_result(Frame& frame);
Answer signal_start(Frame& frame);

}  // namespace sf::abi::sdk
