package main

import "unsafe"

// Raw imports: the tests also pass what no SDK would.

//go:wasmimport seedfall call
//go:noescape
func sdkCall(nr uint32, in unsafe.Pointer, inLen uint32, out unsafe.Pointer, outLen uint32) uint32

//go:wasmimport wasi_snapshot_preview1 random_get
//go:noescape
func randomGet(at unsafe.Pointer, size uint32) uint32

//go:wasmimport wasi_snapshot_preview1 clock_time_get
//go:noescape
func clockTimeGet(id uint32, precision uint64, at unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 sched_yield
func schedYield() uint32

//go:wasmimport wasi_snapshot_preview1 fd_write
//go:noescape
func fdWrite(fd uint32, vectors unsafe.Pointer, count uint32, written unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_read
//go:noescape
func fdRead(fd uint32, vectors unsafe.Pointer, count uint32, read unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 poll_oneoff
//go:noescape
func pollOneoff(in, out unsafe.Pointer, count uint32, ready unsafe.Pointer) uint32

const (
	errnoInval = 28
	errnoFault = 21
	errnoNoSys = 52
)

const (
	kindAssert    = 1
	kindSometimes = 3
)

type propertyIn struct {
	kind, condition, message, messageSize, site, siteSize uint32
}

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }

func propertyCall(in *propertyIn) uint32 {
	return sdkCall(1, unsafe.Pointer(in), uint32(unsafe.Sizeof(*in)), nil, 0)
}

func property(kind uint32, holds bool, message string) {
	in := propertyIn{kind: kind, message: address(unsafe.Pointer(unsafe.StringData(message))),
		messageSize: uint32(len(message))}
	if holds {
		in.condition = 1
	}
	propertyCall(&in)
}

func randomByte() byte {
	var b [1]byte
	randomGet(unsafe.Pointer(&b), 1)
	return b[0]
}
