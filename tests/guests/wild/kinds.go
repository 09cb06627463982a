package main

import "unsafe"

// What an argument means: a value that works and values that are hostile. refused says which values
// no host may answer with success.
type kind struct {
	name string
	good func() uint64
	bad  func() []uint64
	bar  func(value uint64) bool

	hostile []uint64 // what bad answered, once memory's end was known
}

func (k *kind) refused(value uint64) bool { return k.bar != nil && k.bar(value) }

const (
	inputSize  = 4 << 20
	outputSize = 4 << 20
	top        = 1<<32 - 1
)

// Addresses are those of package variables: they never move. Hosts write to `output` and to the
// unused first page only, so that a program stays alive whose host keeps to its bounds.
var (
	input  [inputSize]byte
	output [outputSize]byte
)

var memoryEnd uint64 // bytes of linear memory

func addressOf(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// Places of things in `input`.
const (
	atPath          = 0 // "name"
	atOtherPath     = 4096
	atVectors       = 8192  // 1,024 of them
	atAddress       = 16384 // a network address with its text
	atProperty      = 20480
	atListener      = 20480 + 64  // a descriptor
	atQuiet         = 20480 + 128 // 1 ms
	atSubscriptions = 24576       // the rest
)

func inputAt(place int) uint64 { return addressOf(unsafe.Pointer(&input)) + uint64(place) }

func fixed(value uint64) func() uint64 { return func() uint64 { return value } }

func outOfMemory(value uint64) bool { return value >= memoryEnd }

// The first page is unused, but Go refuses to touch address 0 itself.
const lowest = 8

func badAddresses() []uint64 {
	return []uint64{lowest, lowest + 1, memoryEnd - 1, memoryEnd, memoryEnd + 1, 1<<31 - 1, 1 << 31, top - 7, top}
}

// Those that fit are less than the first page, where a host may be told to write.
func badSizes() []uint64 {
	return []uint64{0, 1, 7, 255, 4000, memoryEnd, 1<<31 - 1, 1 << 31, top}
}

// No number that is open: closing the console or the root would end the test, not the host.
func closedDescriptors() []uint64 { return []uint64{50, 1023, 1024, 1<<31 - 1, 1 << 31, top} }

func badDescriptors() []uint64 {
	return append([]uint64{0, 1, 2, rootFD, fileFD, folderFD, listenerFD, streamFD, freshFD},
		closedDescriptors()...)
}

func badFlags() []uint64 { return []uint64{0, 1, 2, 3, 16, 1 << 15, 1 << 16, 1 << 31, top} }

func badNumbers() []uint64 {
	return []uint64{0, 1, 4095, 4096, 1<<31 - 1, 1 << 31, top, 1 << 40, 1 << 62, 1<<63 - 1, 1 << 63,
		1<<64 - 4096, 1<<64 - 1}
}

func list(values ...uint64) func() []uint64 { return func() []uint64 { return values } }

func pointerTo(place int) *kind {
	return &kind{name: "pointer", good: func() uint64 { return inputAt(place) }, bad: badAddresses,
		bar: outOfMemory}
}

func open(fd *uint64) *kind {
	return &kind{name: "fd", good: func() uint64 { return *fd }, bad: badDescriptors}
}

func size(good uint64) *kind { return &kind{name: "size", good: fixed(good), bad: badSizes} }

func flags(good uint64) *kind { return &kind{name: "flags", good: fixed(good), bad: badFlags} }

func number(good uint64) *kind { return &kind{name: "number", good: fixed(good), bad: badNumbers} }

var (
	rootFD, fileFD, folderFD, listenerFD, streamFD uint64 = 3, 0, 0, 0, 0

	root     = open(&rootFD)
	file     = open(&fileFD)
	folder   = open(&folderFD)
	listener = open(&listenerFD)
	stream   = open(&streamFD)
	closed   = &kind{name: "closed fd", good: fixed(50), bad: closedDescriptors}

	result = &kind{name: "result",
		good: func() uint64 { return addressOf(unsafe.Pointer(&output)) }, bad: badAddresses,
		bar: outOfMemory}
	path      = pointerTo(atPath)
	otherPath = pointerTo(atOtherPath)
	vectors   = pointerTo(atVectors)
	vectorsN  = &kind{name: "vectors", good: fixed(2), bad: list(0, 1, 1024, 1025, 1<<31, top)}
	clock     = &kind{name: "clock", good: fixed(1), bad: list(0, 2, 3, 4, 1<<31, top)}
	whence    = &kind{name: "whence", good: fixed(0), bad: list(1, 2, 3, 255, top)}
	// Only counts that are out of bounds or whose subscriptions are known to be ready.
	subscriptions  = pointerTo(atSubscriptions)
	subscriptionsN = &kind{name: "count", good: fixed(6), bad: list(0, 1, 7, 100, 65537, top)}
	// A pointer that the call with good arguments does not look at.
	unused = &kind{name: "unused pointer", good: fixed(0), bad: badAddresses}
)
