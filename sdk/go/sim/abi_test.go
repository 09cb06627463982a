package sim

import (
	"testing"
	"unsafe"
)

// Every layout must have the size and offsets that the host expects, on every platform.
// Method: compare with numbers written down from the table, not computed from it.
func TestLayoutsHaveNoPadding(t *testing.T) {
	sizes := []struct {
		name      string
		got, want uintptr
	}{
		{"propertyIn", unsafe.Sizeof(propertyIn{}), 24},
		{"propertyIn.sitePtr", unsafe.Offsetof(propertyIn{}.sitePtr), 16},
		{"quietIn", unsafe.Sizeof(quietIn{}), 8},
		{"nodeNameOut", unsafe.Sizeof(nodeNameOut{}), 256},
		{"nodeNameOut.name", unsafe.Offsetof(nodeNameOut{}.name), 4},
		{"netAddrIn", unsafe.Sizeof(netAddrIn{}), 8},
		{"fdIn", unsafe.Sizeof(fdIn{}), 4},
		{"fdOut", unsafe.Sizeof(fdOut{}), 4},
		{"statusOut", unsafe.Sizeof(statusOut{}), 4},
		{"netAddrsOut", unsafe.Sizeof(netAddrsOut{}), 512},
		{"netAddrsOut.text", unsafe.Offsetof(netAddrsOut{}.text), 8},
	}
	for _, s := range sizes {
		if s.got != s.want {
			t.Errorf("%s: %d, want %d", s.name, s.got, s.want)
		}
	}
}

// Addresses are cut from the text by their lengths, and lengths beyond the text are refused.
func TestNetAddrsAreCutByLength(t *testing.T) {
	out := netAddrsOut{localLen: 8, remoteLen: 11}
	copy(out.text[:], "server:1client:4000rest")
	local, remote, ok := out.addrs()
	if !ok || local != "server:1" || remote != "client:4000" {
		t.Errorf("got %q %q %v", local, remote, ok)
	}
	tooLong := []netAddrsOut{
		{localLen: 505},
		{localLen: 4, remoteLen: 501},
		{localLen: 1 << 31, remoteLen: 1 << 31},
	}
	for _, bad := range tooLong {
		if _, _, ok := bad.addrs(); ok {
			t.Errorf("lengths %d and %d were accepted", bad.localLen, bad.remoteLen)
		}
	}
}
