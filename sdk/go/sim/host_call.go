//go:build seedfall && wasip1

package sim

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

//go:wasmimport seedfall abi_version
//go:noescape
func hostABIVersion() int32

//go:wasmimport seedfall call
//go:noescape
func hostCall(nr int32, in unsafe.Pointer, inLen int32, out unsafe.Pointer, outLen int32) int32

func init() {
	if have := hostABIVersion(); have < abiVersion {
		panic(fmt.Sprintf("seedfall host has ABI version %d, this program needs %d or later: "+
			"update seedfall", have, abiVersion))
	}
}

// none stands for an empty input or output.
type none struct{}

// call makes host call nr with the layouts of abi.go. It never waits.
func call[In, Out any](nr int32, in *In, out *Out) syscall.Errno {
	errno := hostCall(nr, unsafe.Pointer(in), int32(unsafe.Sizeof(*in)),
		unsafe.Pointer(out), int32(unsafe.Sizeof(*out)))
	return syscall.Errno(errno)
}

// mustCall is call for what cannot fail on a host that knows nr.
func mustCall[In, Out any](nr int32, in *In, out *Out) {
	if errno := call(nr, in, out); errno != 0 {
		panic(fmt.Sprintf("seedfall host call %d: %v", nr, errno))
	}
}

// lent is a string whose address the host may read until release.
type lent struct{ s string }

// lend moves the bytes of s to the heap unless they are constant, and never copies a constant.
// Bytes on a goroutine's stack could move between taking their address and the call.
func lend(s string) lent {
	if neverTrue {
		escaped = s
	}
	return lent{s}
}

func (l lent) address() uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.StringData(l.s)))) }
func (l lent) length() uint32  { return uint32(len(l.s)) }
func (l lent) release()        { runtime.KeepAlive(l.s) }

// The compiler cannot know that neverTrue stays false, so it treats lent strings as escaping.
var (
	neverTrue bool
	escaped   string
)
