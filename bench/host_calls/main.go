//go:build wasip1

// Host_calls makes one call of WASI preview 1 so many times, past Go's library, so that the time of
// a call is the difference of two runs divided by the difference of their counts.
//
//	host_calls CALL COUNT
package main

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"
)

//go:wasmimport wasi_snapshot_preview1 clock_time_get
func clockTimeGet(clock uint32, precision uint64, result unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_write
func fdWrite(fd int32, vectors unsafe.Pointer, count uint32, result unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_read
func fdRead(fd int32, vectors unsafe.Pointer, count uint32, result unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_seek
func fdSeek(fd int32, offset int64, whence uint32, result unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 path_open
func pathOpen(directory int32, lookup uint32, path unsafe.Pointer, size uint32, flags uint32,
	rights, inheriting uint64, fdFlags uint32, result unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_close
func fdClose(fd int32) uint32

//go:wasmimport wasi_snapshot_preview1 poll_oneoff
func pollOneoff(in, out unsafe.Pointer, count uint32, result unsafe.Pointer) uint32

type vector struct{ address, size uint32 }

// A relative wait on the monotonic clock.
type subscription struct {
	userdata, tag, clock, timeout, precision, flags uint64
}

type event struct{ words [4]uint64 }

const (
	root    = 3
	rights  = 1<<1 | 1<<2 | 1<<6 // fd_read, fd_seek, fd_write
	path    = "host_calls.data"
	hour    = 3600 * 1_000_000_000
	bytes64 = 64
)

func check(errno uint32) {
	if errno != 0 {
		panic(fmt.Sprintf("errno %d", errno))
	}
}

func open() int32 {
	name := []byte(path)
	var fd int32
	check(pathOpen(root, 0, unsafe.Pointer(&name[0]), uint32(len(name)), 1, rights, 0, 0,
		unsafe.Pointer(&fd)))
	return fd
}

func vectorOf(buffer []byte) vector {
	return vector{uint32(uintptr(unsafe.Pointer(&buffer[0]))), uint32(len(buffer))}
}

func main() {
	call := os.Args[1]
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	var result uint64
	buffer := make([]byte, bytes64)
	switch call {
	case "clock_time_get":
		for range count {
			check(clockTimeGet(1, 0, unsafe.Pointer(&result)))
		}
	case "fd_write":
		fd, to := open(), vectorOf(buffer)
		for range count {
			check(fdWrite(fd, unsafe.Pointer(&to), 1, unsafe.Pointer(&result)))
		}
	case "fd_read": // with a file of one mebibyte, from its start again and again
		fd, whole := open(), make([]byte, 1<<20)
		from, to := vectorOf(whole), vectorOf(buffer)
		check(fdWrite(fd, unsafe.Pointer(&from), 1, unsafe.Pointer(&result)))
		for i := range count {
			if i%(len(whole)/bytes64) == 0 {
				check(fdSeek(fd, 0, 0, unsafe.Pointer(&result)))
			}
			check(fdRead(fd, unsafe.Pointer(&to), 1, unsafe.Pointer(&result)))
		}
	case "path_open": // and fd_close
		for range count {
			check(fdClose(open()))
		}
	case "poll_oneoff_1", "poll_oneoff_100", "poll_oneoff_10000":
		size, _ := strconv.Atoi(call[len("poll_oneoff_"):])
		in, out := make([]subscription, size), make([]event, size)
		for i := range in {
			in[i] = subscription{userdata: uint64(i), clock: 1, timeout: hour}
		}
		in[size-1].timeout = 0
		for range count {
			check(pollOneoff(unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0]), uint32(size),
				unsafe.Pointer(&result)))
		}
	default:
		panic("no such call: " + call)
	}
}
