package main

import "unsafe"

//go:wasmimport wasi_snapshot_preview1 args_get
func argsGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 args_sizes_get
func argsSizesGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 environ_get
func environGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 environ_sizes_get
func environSizesGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 clock_res_get
func clockResGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 clock_time_get
func clockTimeGet(a uint32, b uint64, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_advise
func fdAdvise(a uint32, b, c uint64, d uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_allocate
func fdAllocate(a uint32, b, c uint64) uint32

//go:wasmimport wasi_snapshot_preview1 fd_close
func fdClose(a uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_datasync
func fdDatasync(a uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_get
func fdFdstatGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_set_flags
func fdFdstatSetFlags(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_set_rights
func fdFdstatSetRights(a uint32, b, c uint64) uint32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_get
func fdFilestatGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_set_size
func fdFilestatSetSize(a uint32, b uint64) uint32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_set_times
func fdFilestatSetTimes(a uint32, b, c uint64, d uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_pread
func fdPread(a, b, c uint32, d uint64, e uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_prestat_get
func fdPrestatGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_prestat_dir_name
func fdPrestatDirName(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_pwrite
func fdPwrite(a, b, c uint32, d uint64, e uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_read
func fdRead(a, b, c, d uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_readdir
func fdReaddir(a, b, c uint32, d uint64, e uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_renumber
func fdRenumber(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_seek
func fdSeek(a uint32, b uint64, c, d uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_sync
func fdSync(a uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_tell
func fdTell(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_write
func fdWrite(a, b, c, d uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_create_directory
func pathCreateDirectory(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_filestat_get
func pathFilestatGet(a, b, c, d, e uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_filestat_set_times
func pathFilestatSetTimes(a, b, c, d uint32, e, f uint64, g uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_link
func pathLink(a, b, c, d, e, f, g uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_open
func pathOpen(a, b, c, d, e uint32, f, g uint64, h, i uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_readlink
func pathReadlink(a, b, c, d, e, f uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_remove_directory
func pathRemoveDirectory(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_rename
func pathRename(a, b, c, d, e, f uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_symlink
func pathSymlink(a, b, c, d, e uint32) uint32

//go:wasmimport wasi_snapshot_preview1 path_unlink_file
func pathUnlinkFile(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 poll_oneoff
func pollOneoff(a, b, c, d uint32) uint32

//go:wasmimport wasi_snapshot_preview1 proc_exit
func procExit(a uint32)

//go:wasmimport wasi_snapshot_preview1 proc_raise
func procRaise(a uint32) uint32

//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sched_yield
func schedYield() uint32

//go:wasmimport wasi_snapshot_preview1 sock_accept
func sockAccept(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_recv
func sockRecv(a, b, c, d, e, f uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_send
func sockSend(a, b, c, d, e uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_shutdown
func sockShutdown(a, b uint32) uint32

//go:wasmimport seedfall abi_version
func abiVersion() uint32

//go:wasmimport seedfall setup_complete
func setupComplete() uint32

//go:wasmimport seedfall sync_start
func syncStart(a, b uint32) uint32

//go:wasmimport seedfall sync_result
func syncResult(a uint32) uint32

//go:wasmimport seedfall signal_start
func signalStart(a uint32) uint32

//go:wasmimport seedfall call
func sdkCall(a, b, c, d, e uint32) uint32

const (
	errnoAddrInUse = 3
	errnoAgain     = 6
)

// One host function. `want` (or `or`) is what a call with working arguments answers.
type call struct {
	name  string
	kinds []*kind
	want  uint32
	or    uint32 // another right answer
	make  func(a []uint64) uint32
}

func w(v uint64) uint32 { return uint32(v) }

// Calls that take only 32-bit arguments.
func words2(f func(a, b uint32) uint32) func(a []uint64) uint32 {
	return func(a []uint64) uint32 { return f(w(a[0]), w(a[1])) }
}
func words3(f func(a, b, c uint32) uint32) func(a []uint64) uint32 {
	return func(a []uint64) uint32 { return f(w(a[0]), w(a[1]), w(a[2])) }
}
func words4(f func(a, b, c, d uint32) uint32) func(a []uint64) uint32 {
	return func(a []uint64) uint32 { return f(w(a[0]), w(a[1]), w(a[2]), w(a[3])) }
}
func words5(f func(a, b, c, d, e uint32) uint32) func(a []uint64) uint32 {
	return func(a []uint64) uint32 { return f(w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(a[4])) }
}
func words6(f func(a, b, c, d, e, g uint32) uint32) func(a []uint64) uint32 {
	return func(a []uint64) uint32 {
		return f(w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(a[4]), w(a[5]))
	}
}
func word(f func(a uint32) uint32) func(a []uint64) uint32 {
	return func(a []uint64) uint32 { return f(w(a[0])) }
}

// Calls whose third argument is followed by a 64-bit one.
func offset(f func(a, b, c uint32, d uint64, e uint32) uint32) func(a []uint64) uint32 {
	return func(a []uint64) uint32 { return f(w(a[0]), w(a[1]), w(a[2]), a[3], w(a[4])) }
}

type kinds = []*kind

var name = size(4) // "name", "twin"

var secondResult = &kind{name: "result",
	good: func() uint64 { return addressOf(unsafe.Pointer(&output)) + outputSize/2 },
	bad:  badAddresses, bar: outOfMemory}

var calls = append(preview1, socketCalls...)

var preview1 = []call{
	{name: "args_get", kinds: kinds{result, secondResult}, make: words2(argsGet)},
	{name: "args_sizes_get", kinds: kinds{result, secondResult}, make: words2(argsSizesGet)},
	{name: "environ_get", kinds: kinds{result, secondResult}, make: words2(environGet)},
	{name: "environ_sizes_get", kinds: kinds{result, secondResult}, make: words2(environSizesGet)},
	{name: "clock_res_get", kinds: kinds{clock, result}, make: words2(clockResGet)},
	{name: "clock_time_get", kinds: kinds{clock, number(0), result}, make: func(a []uint64) uint32 {
		return clockTimeGet(w(a[0]), a[1], w(a[2]))
	}},
	{name: "fd_advise", kinds: kinds{file, number(0), number(0), flags(0)},
		make: func(a []uint64) uint32 { return fdAdvise(w(a[0]), a[1], a[2], w(a[3])) }},
	// What these do to a descriptor would spoil it for the others; the guest wasi tries it.
	{name: "fd_allocate", kinds: kinds{closed, number(0), number(0)}, want: 8,
		make: func(a []uint64) uint32 { return fdAllocate(w(a[0]), a[1], a[2]) }},
	{name: "fd_close", kinds: kinds{closed}, want: 8, make: word(fdClose)},
	{name: "fd_datasync", kinds: kinds{file}, make: word(fdDatasync)},
	{name: "fd_fdstat_get", kinds: kinds{file, result}, make: words2(fdFdstatGet)},
	{name: "fd_fdstat_set_flags", kinds: kinds{file, flags(4)}, make: words2(fdFdstatSetFlags)},
	{name: "fd_fdstat_set_rights", kinds: kinds{closed, number(0), number(0)}, want: 8,
		make: func(a []uint64) uint32 { return fdFdstatSetRights(w(a[0]), a[1], a[2]) }},
	{name: "fd_filestat_get", kinds: kinds{file, result}, make: words2(fdFilestatGet)},
	{name: "fd_filestat_set_size", kinds: kinds{file, number(9)}, make: func(a []uint64) uint32 {
		return fdFilestatSetSize(w(a[0]), a[1])
	}},
	{name: "fd_filestat_set_times", kinds: kinds{file, number(0), number(0), flags(0)},
		make: func(a []uint64) uint32 { return fdFilestatSetTimes(w(a[0]), a[1], a[2], w(a[3])) }},
	{name: "fd_pread", kinds: kinds{file, vectors, vectorsN, number(0), result},
		make: offset(fdPread)},
	{name: "fd_prestat_get", kinds: kinds{root, result}, make: words2(fdPrestatGet)},
	{name: "fd_prestat_dir_name", kinds: kinds{root, result, size(1)}, make: words3(fdPrestatDirName)},
	{name: "fd_pwrite", kinds: kinds{file, vectors, vectorsN, number(0), result},
		make: offset(fdPwrite)},
	{name: "fd_read", kinds: kinds{file, vectors, vectorsN, result}, make: words4(fdRead)},
	{name: "fd_readdir", kinds: kinds{folder, result, size(4096), number(0), secondResult},
		make: offset(fdReaddir)},
	{name: "fd_renumber", kinds: kinds{closed, closed}, want: 8, make: words2(fdRenumber)},
	{name: "fd_seek", kinds: kinds{file, number(0), whence, result}, make: func(a []uint64) uint32 {
		return fdSeek(w(a[0]), a[1], w(a[2]), w(a[3]))
	}},
	{name: "fd_sync", kinds: kinds{file}, make: word(fdSync)},
	{name: "fd_tell", kinds: kinds{file, result}, make: words2(fdTell)},
	{name: "fd_write", kinds: kinds{file, vectors, vectorsN, result}, make: words4(fdWrite)},
	{name: "path_create_directory", kinds: kinds{folder, otherPath, name},
		make: words3(pathCreateDirectory)},
	{name: "path_filestat_get", kinds: kinds{folder, flags(1), path, name, result},
		make: words5(pathFilestatGet)},
	{name: "path_filestat_set_times",
		kinds: kinds{folder, flags(1), path, name, number(0), number(0), flags(5)},
		make: func(a []uint64) uint32 {
			return pathFilestatSetTimes(w(a[0]), w(a[1]), w(a[2]), w(a[3]), a[4], a[5], w(a[6]))
		}},
	{name: "path_link", kinds: kinds{folder, flags(0), path, name, folder, otherPath, name},
		make: func(a []uint64) uint32 {
			return pathLink(w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(a[4]), w(a[5]), w(a[6]))
		}},
	{name: "path_open", kinds: kinds{folder, flags(1), path, name, flags(1), number(1<<30 - 1),
		number(1<<30 - 1), flags(4), result},
		make: func(a []uint64) uint32 {
			return pathOpen(w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(a[4]), a[5], a[6], w(a[7]), w(a[8]))
		}},
	{name: "path_readlink", kinds: kinds{folder, pointerTo(atOtherPath + 8), name, result, size(64),
		secondResult}, make: words6(pathReadlink)},
	{name: "path_remove_directory", kinds: kinds{folder, pointerTo(atOtherPath + 16), name},
		make: words3(pathRemoveDirectory)},
	{name: "path_rename", kinds: kinds{folder, path, name, folder, otherPath, name},
		make: words6(pathRename)},
	{name: "path_symlink", kinds: kinds{path, name, folder, otherPath, name},
		make: words5(pathSymlink)},
	{name: "path_unlink_file", kinds: kinds{folder, path, name}, make: words3(pathUnlinkFile)},
	{name: "poll_oneoff", kinds: kinds{subscriptions, result, subscriptionsN, secondResult},
		make: words4(pollOneoff)},
	// SIGCHLD, which does nothing; most others would end the program.
	{name: "proc_raise", make: func([]uint64) uint32 { return procRaise(16) }},
	{name: "random_get", kinds: kinds{result, size(32)}, make: words2(randomGet)},
	{name: "sched_yield", make: func([]uint64) uint32 { return schedYield() }},
	{name: "sock_accept", kinds: kinds{listener, flags(4), result}, want: errnoAgain,
		make: words3(sockAccept)},
	{name: "sock_recv", kinds: kinds{stream, vectors, vectorsN, flags(0), result, secondResult},
		want: errnoAgain, make: words6(sockRecv)},
	// Earlier calls may have filled the window.
	{name: "sock_send", or: errnoAgain, kinds: kinds{stream, vectors, vectorsN, flags(0), result},
		make: words5(sockSend)},
	{name: "sock_shutdown", kinds: kinds{closed, flags(1)}, want: 8, make: words2(sockShutdown)},
	{name: "seedfall.setup_complete", make: func([]uint64) uint32 { return setupComplete() }},
	{name: "seedfall.sync_start", kinds: kinds{file, result}, make: words2(syncStart)},
	{name: "seedfall.sync_result", kinds: kinds{file}, want: 8, make: word(syncResult)},
	{name: "seedfall.signal_start", kinds: kinds{result}, make: word(signalStart)},
	sdk("property", 1, pointerTo(atProperty), 24, 0),
	sdk("quiet_for", 3, pointerTo(atQuiet), 8, 0),
	sdk("node_name", 4, unused, 8, 256),
	sdk("random", 5, unused, 8, 8),
	// Somebody listens there already: ourselves.
	wanted(errnoAddrInUse, sdk("net_listen", 6, pointerTo(atAddress), 8, 4)),
	sdk("net_dial", 7, pointerTo(atAddress), 8, 4),
	sdk("net_connect_status", 8, pointerTo(atListener), 4, 4),
	sdk("net_addresses", 9, pointerTo(atListener), 4, 512),
}

func sdk(what string, nr uint64, in *kind, inSize, outSize uint64) call {
	number := &kind{name: "call", good: fixed(nr), bad: list(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99,
		1<<16, 1<<31-1, 1<<31, top)}
	out := result
	if outSize == 0 {
		out = unused
	}
	return call{name: "seedfall.call " + what,
		kinds: kinds{number, in, size(inSize), out, size(outSize)}, make: words5(sdkCall)}
}

func wanted(errno uint32, c call) call {
	c.want = errno
	return c
}
