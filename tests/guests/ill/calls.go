package main

import (
	"os"
	"time"
	"unsafe"
)

func quietForNegative() {
	for _, ns := range []int64{-1, -1 << 63} {
		check(sdkCall(3, unsafe.Pointer(&ns), 8, nil, 0) == errnoInval, "a negative quiet window")
	}
	long := int64(1<<63 - 1)
	check(sdkCall(3, unsafe.Pointer(&long), 8, nil, 0) == 0, "a quiet window without end")
	check(sdkCall(3, unsafe.Pointer(&long), 7, nil, 0) == errnoInval, "an input that is too short")
	time.Sleep(20 * time.Millisecond)
}

func unknownCallNumbers() {
	var room [64]byte
	for _, nr := range []uint32{0, 10, 99, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
		errno := sdkCall(nr, unsafe.Pointer(&room), 64, unsafe.Pointer(&room), 64)
		check(errno == errnoNoSys, "an unknown call number")
	}
}

func propertyWithBadPointers() {
	const top = 1<<32 - 1
	good := "a message"
	at := address(unsafe.Pointer(unsafe.StringData(good)))
	for _, in := range []propertyIn{
		{kind: kindSometimes, message: top, messageSize: 1},
		{kind: kindSometimes, message: at, messageSize: 4096, site: top - 4, siteSize: 8},
		{kind: kindSometimes, message: 1 << 31, messageSize: 4096},
	} {
		check(propertyCall(&in) == errnoFault, "a message outside of memory")
	}
	for _, in := range []propertyIn{
		{kind: kindSometimes, message: at, messageSize: top},
		{kind: kindSometimes, message: at, messageSize: 1, site: at, siteSize: 4097},
	} {
		check(propertyCall(&in) != 0, "a message that is too long")
	}
	for _, kind := range []uint32{0, 6, top} {
		in := propertyIn{kind: kind, message: at, messageSize: 1}
		check(propertyCall(&in) == errnoInval, "an unknown kind")
	}
	check(sdkCall(1, unsafe.Add(nil, uintptr(top)), 24, nil, 0) == errnoFault, "input at the top")
	property(kindSometimes, true, good)
}

// A message of bytes that are no text must reach reports and JSON as text.
func hostBytesInMessage() {
	property(kindAssert, false, "broken \xff\xfe\x1b[31m \x00 message\nsecond line \"quoted\"")
}

type vector struct{ at, size uint32 }

var big [4 << 20]byte

// 1,024 vectors over the same 4 MiB ask for a transfer of 4 GiB.
func hugeVectors() {
	f, err := os.Create("/f")
	check(err == nil, "create")
	var list [1024]vector
	for i := range list {
		list[i] = vector{address(unsafe.Pointer(&big)), uint32(len(big))}
	}
	var n uint32
	call := func(op func(uint32, unsafe.Pointer, uint32, unsafe.Pointer) uint32, count uint32) {
		op(uint32(f.Fd()), unsafe.Pointer(&list), count, unsafe.Pointer(&n))
	}
	for range 3 {
		call(fdWrite, 1024)
		call(fdWrite, 511)
		f.Seek(0, 0)
		call(fdRead, 511)
		f.Truncate(0)
		f.Seek(0, 0)
	}
	check(fdWrite(1, unsafe.Pointer(&list), 1025, unsafe.Pointer(&n)) == errnoInval, "1,025 vectors")
	println("still here")
}

type subscription struct {
	userdata           uint64
	tag                uint64
	clock              uint64
	timeout, precision uint64
	flags              uint64
}

var (
	subscriptions [65536]subscription
	events        [65536][4]uint64
)

// Tables as large as they may be, all of it ready at once, over and over.
func pollHugeTables() {
	var ready uint32
	for {
		errno := pollOneoff(unsafe.Pointer(&subscriptions), unsafe.Pointer(&events), 65536,
			unsafe.Pointer(&ready))
		check(errno == 0 && ready == 65536, "poll")
	}
}

// What a neighbour does whose life must not change: it writes, syncs, sleeps and reads its clock.
func livePeacefully() {
	for i := range 20 {
		f, err := os.OpenFile("/diary", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		check(err == nil, "open")
		_, err = f.WriteString("a quiet day\n")
		check(err == nil && f.Sync() == nil && f.Close() == nil, "write")
		time.Sleep(time.Duration(i) * time.Millisecond)
	}
	text, err := os.ReadFile("/diary")
	check(err == nil && len(text) == 20*12, "read back")
	println("all is well at", time.Now().UnixNano())
}
