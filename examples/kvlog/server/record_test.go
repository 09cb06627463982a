package main

import (
	"strings"
	"testing"
)

// What is written must be read back, with nothing of the following bytes.
func TestRecordRoundTrip(t *testing.T) {
	for _, value := range []string{"x", "e141-1111", strings.Repeat("v", maxValue)} {
		record := appendRecord(nil, 141, value)
		index, got, size, ok := readRecord(append(record, "next"...))
		if !ok || index != 141 || got != value || size != len(record) {
			t.Errorf("%d bytes: index %d, size %d, ok %v", len(value), index, size, ok)
		}
	}
}

// The bytes on disk are a format: they may not change by accident.
// Method: one record written out by hand, the checksum computed with another program.
func TestRecordBytes(t *testing.T) {
	got := appendRecord([]byte("before"), 1, "a")[len("before"):]
	want := "\x09\x00\x00\x00" + "\x71\xee\x67\x68" + "\x01\x00\x00\x00\x00\x00\x00\x00" + "a"
	if string(got) != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A cut record, a flipped bit and zeros must not pass for a record.
func TestInvalidRecordsAreRefused(t *testing.T) {
	record := appendRecord(nil, 7, "value")
	for n := range record {
		if _, _, _, ok := readRecord(record[:n]); ok {
			t.Errorf("the first %d bytes were accepted", n)
		}
	}
	for bit := range len(record) * 8 {
		damaged := append([]byte(nil), record...)
		damaged[bit/8] ^= 1 << (bit % 8)
		if _, _, _, ok := readRecord(damaged); ok {
			t.Errorf("bit %d flipped was accepted", bit)
		}
	}
	if _, _, _, ok := readRecord(make([]byte, 64)); ok {
		t.Error("zeros were accepted")
	}
}
