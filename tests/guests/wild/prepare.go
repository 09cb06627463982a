package main

import (
	"encoding/binary"
	"os"
	"unsafe"
)

const keptText = "this file stays as it is"

func put32(place int, values ...uint64) {
	for i, v := range values {
		binary.LittleEndian.PutUint32(input[place+4*i:], uint32(v))
	}
}

// prepare finds the end of memory and makes what working calls work on.
func prepare() {
	copy(input[atPath:], "name")
	copy(input[atOtherPath:], "twin\x00\x00\x00\x00link\x00\x00\x00\x00empt")
	out := addressOf(unsafe.Pointer(&output))
	for i := range 1024 {
		put32(atVectors+8*i, out+uint64(i)*64, 64)
	}
	text := inputAt(atAddress + 64)
	copy(input[atAddress+64:], "wild:9000")
	put32(atAddress, text, 9)
	// A property that holds: kind, condition, message, its size, site, its size.
	put32(atProperty, 3, 1, text, 4, text, 4)
	put32(atQuiet, 1_000_000, 0)
	// Six subscriptions that are ready at once; all later ones are of clocks, timeout 0.
	at := atSubscriptions
	for i, tag := range []uint64{0, 1, 2, 1, 0, 2} {
		put32(at+48*i+8, tag)
		put32(at+48*i+16, []uint64{1, 0, 1, 99, 7, 1 << 31}[i])
	}
	if os.WriteFile("/kept", []byte(keptText), 0o600) != nil || os.Mkdir("/dir", 0o700) != nil {
		fail("the disk cannot be prepared")
	}
	preparePaths()
	restore()
	fileFD = openAt(3, "/name", 0)
	folderFD = openAt(3, "/dir", 2)
	listenerFD = socket(6)
	if sockOpen(1, 2, w(result.good())) != 0 {
		fail("no fresh socket")
	}
	freshFD = uint64(binary.LittleEndian.Uint32(output[:]))
	streamFD = socket(7)
	waitConnected()
	// The lists of hostile values name the end of memory, and making them may move it.
	for {
		findMemoryEnd()
		end := memoryEnd
		for i := range calls {
			for _, kind := range calls[i].kinds {
				kind.hostile = kind.bad()
			}
		}
		if findMemoryEnd(); end == memoryEnd {
			return
		}
	}
}

func socket(nr uint32) uint64 {
	if errno := sdkCall(nr, w(inputAt(atAddress)), 8, w(result.good()), 4); errno != 0 {
		fail("no socket")
	}
	return uint64(binary.LittleEndian.Uint32(output[:]))
}

// The stream is one to ourselves; its other end waits in the backlog and is taken out, so that
// accept has nothing to give. Both ends are quiet: reads would block.
func waitConnected() {
	for range 10000 {
		put32(atListener, streamFD)
		sdkCall(8, w(inputAt(atListener)), 4, w(result.good()), 4)
		put32(atListener, listenerFD)
		connected := binary.LittleEndian.Uint32(output[:]) == 0
		if connected && sockAccept(w(listenerFD), 4, w(result.good())) == 0 {
			return
		}
		for range 100 {
			schedYield()
		}
	}
	fail("the stream does not connect")
}

var pathBytes [64]byte

func pathCall(f func(at, size uint32) uint32, path string) uint32 {
	n := copy(pathBytes[:], path)
	return f(uint32(uintptr(unsafe.Pointer(&pathBytes))), uint32(n))
}

func openAt(fd uint32, path string, how uint32) uint64 {
	errno := pathCall(func(at, size uint32) uint32 {
		return pathOpen(fd, 1, at, size, how, 1<<30-1, 1<<30-1, 4, w(result.good()))
	}, path)
	if errno != 0 {
		fail("cannot open " + path)
	}
	return uint64(binary.LittleEndian.Uint32(output[:]))
}

// restore undoes what a call may have done: extra descriptors, names, sizes, blocking sockets.
func restore() {
	for fd := uint32(streamFD) + 2; streamFD != 0 && fd < uint32(streamFD)+6; fd++ {
		fdClose(fd)
	}
	prepareSockets()
	for _, fd := range []uint64{listenerFD, freshFD, streamFD} {
		if fd != 0 {
			fdFdstatSetFlags(uint32(fd), 4)
		}
	}
	if fileFD != 0 {
		fdFilestatSetSize(uint32(fileFD), 9)
		fdSeek(uint32(fileFD), 0, 0, w(result.good()))
	}
	for _, path := range []string{"/dir/twin", "/dir/name", "/twin"} {
		pathCall(func(at, size uint32) uint32 { return pathUnlinkFile(3, at, size) }, path)
		pathCall(func(at, size uint32) uint32 { return pathRemoveDirectory(3, at, size) }, path)
	}
	for _, path := range []string{"/name", "/dir/name"} {
		errno := pathCall(func(at, size uint32) uint32 {
			return pathOpen(3, 0, at, size, 1, 1<<6, 0, 0, w(secondResult.good()))
		}, path)
		if errno == 0 {
			fdClose(binary.LittleEndian.Uint32(output[outputSize/2:]))
		}
	}
	pathCall(func(at, size uint32) uint32 { return pathCreateDirectory(3, at, size) }, "/dir/empt")
	pathCall(func(at, size uint32) uint32 {
		return pathSymlink(w(inputAt(atPath)), 4, 3, at, size)
	}, "/dir/link")
}

// The host refuses an empty range only beyond the end: bisect.
func findMemoryEnd() {
	low, high := uint64(1<<16), uint64(1<<32)
	for high-low > 1 {
		middle := (low + high) / 2
		if randomGet(uint32(middle), 0) == 0 {
			low = middle
		} else {
			high = middle
		}
	}
	memoryEnd = low
	if memoryEnd%65536 != 0 {
		fail("memory does not end at a page")
	}
}

// Hosts may be told to write to the first page, and to the last one, which belongs to the heap. What
// they left there must not become the input of a later call.
const edgeSize = 4096

type edge [edgeSize]byte

func firstPage() *[edgeSize - lowest]byte {
	return (*[edgeSize - lowest]byte)(unsafe.Add(nil, lowest))
}
func lastPage() *edge { return (*edge)(unsafe.Add(nil, uintptr(memoryEnd-edgeSize))) }
