// The functions of WASI preview 1 that are built, by group. Each is one call (see abi/frame.h); the
// arguments' order is the witx order, results go through the pointers at the end.
#pragma once

#include "abi/frame.h"

namespace sf::abi::wasi {

// ---- program_calls.cc: arguments, environment, clocks, randomness, exit
Answer args_get(Frame& frame);
Answer args_sizes_get(Frame& frame);
Answer environ_get(Frame& frame);
Answer environ_sizes_get(Frame& frame);
Answer clock_res_get(Frame& frame);
Answer clock_time_get(Frame& frame);
Answer random_get(Frame& frame);
Answer proc_exit(Frame& frame);
Answer proc_raise(Frame& frame);
Answer sched_yield(Frame& frame);

// ---- fd_calls.cc
Answer fd_advise(Frame& frame);
Answer fd_allocate(Frame& frame);
Answer fd_close(Frame& frame);
Answer fd_fdstat_get(Frame& frame);
Answer fd_fdstat_set_flags(Frame& frame);
Answer fd_fdstat_set_rights(Frame& frame);
Answer fd_filestat_get(Frame& frame);
Answer fd_filestat_set_size(Frame& frame);
Answer fd_filestat_set_times(Frame& frame);
Answer fd_prestat_get(Frame& frame);
Answer fd_prestat_dir_name(Frame& frame);
Answer fd_readdir(Frame& frame);
Answer fd_renumber(Frame& frame);
Answer fd_seek(Frame& frame);
Answer fd_tell(Frame& frame);

// ---- io_calls.cc: what moves data
Answer fd_read(Frame& frame);
Answer fd_pread(Frame& frame);
Answer fd_write(Frame& frame);
Answer fd_pwrite(Frame& frame);
Answer fd_sync(Frame& frame);
Answer fd_datasync(Frame& frame);

// ---- path_calls.cc
Answer path_create_directory(Frame& frame);
Answer path_filestat_get(Frame& frame);
Answer path_filestat_set_times(Frame& frame);
Answer path_link(Frame& frame);
Answer path_open(Frame& frame);
Answer path_readlink(Frame& frame);
Answer path_remove_directory(Frame& frame);
Answer path_rename(Frame& frame);
Answer path_symlink(Frame& frame);
Answer path_unlink_file(Frame& frame);

// ---- poll_calls.cc
Answer poll_oneoff(Frame& frame);

// ---- socket_calls.cc
Answer sock_accept(Frame& frame);
Answer sock_recv(Frame& frame);
Answer sock_send(Frame& frame);
Answer sock_shutdown(Frame& frame);

// ---- socket_extension.cc, socket_options.cc, socket_names.cc: WasmEdge's extension. A function
// with two forms tells them apart by the number of its arguments.
Answer sock_open(Frame& frame);
Answer sock_bind(Frame& frame);
Answer sock_listen(Frame& frame);
Answer sock_connect(Frame& frame);
Answer sock_recv_from(Frame& frame);
Answer sock_send_to(Frame& frame);
Answer sock_getsockopt(Frame& frame);
Answer sock_setsockopt(Frame& frame);
Answer sock_getlocaladdr(Frame& frame);
Answer sock_getpeeraddr(Frame& frame);
Answer sock_getaddrinfo(Frame& frame);

// Shared by several groups.
// A socket of this kind: ENOTSOCK for other descriptors; for sockets of the other kind EINVAL where
// a listener is wanted, else ENOTCONN.
Outcome<std::shared_ptr<kernel::Description>> socket_argument(Frame& frame,
                                                              kernel::DescriptionKind kind);
// A socket of either kind.
Outcome<std::shared_ptr<kernel::Description>> any_socket_argument(Frame& frame);
Errno put_filestat(Frame& frame, std::uint32_t address, const kernel::disk::Stat& stat);
// The description that an argument names: EBADF, or ENOTCAPABLE when it gave up a right that the
// call needs.
Outcome<std::shared_ptr<kernel::Description>> description(Frame& frame, std::size_t argument);
// Access and modification times for an inode; `flags` is witx `fstflags`, the times follow at the
// argument `first`. EINVAL for two values of one time.
Answer set_times(Frame& frame, kernel::disk::Ino ino, std::uint32_t flags, std::size_t first);
// A stream call that must wait: EAGAIN for non-blocking descriptors, else a wait for any change.
Answer would_block(const kernel::Description& description);
// fd_read and fd_write with the place of the byte count at another argument (sock_recv, sock_send).
Answer read_call(Frame& frame, std::size_t result_argument);
Answer write_call(Frame& frame, std::size_t result_argument);
// Cost of a disk operation before it takes effect; nothing once it has been waited for.
std::optional<Answer> wait_for_disk(Frame& frame, const kernel::Description& description);

}  // namespace sf::abi::wasi
