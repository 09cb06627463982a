package main

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// random is xorshift64*: the same numbers everywhere, and cheap.
type random uint64

func (r *random) next() uint64 {
	x := uint64(*r)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*r = random(x)
	return x * 0x2545f4914f6cdd1d
}

func randomBytes(n int) []byte {
	r := random(1)
	b := make([]byte, n)
	for i := 0; i+8 <= n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], r.next())
	}
	return b
}

// fib costs calls: the tick sits at each function entry.
func fib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

// sha256Sum hashes so many megabytes. Natively the processor has instructions for it.
func sha256Sum(megabytes int) uint64 {
	data := randomBytes(1 << 20)
	h := sha256.New()
	for range megabytes {
		h.Write(data)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// crc32Table uses a polynomial without machine instructions, so that native Go uses tables too.
func crc32Table(megabytes int) uint64 {
	data := randomBytes(1 << 20)
	table := crc32.MakeTable(crc32.Koopman)
	sum := uint32(0)
	for range megabytes {
		sum = crc32.Update(sum, table, data)
	}
	return uint64(sum)
}

func sortInts(n int) uint64 {
	r := random(7)
	s := make([]uint64, n)
	for i := range s {
		s[i] = r.next()
	}
	slices.Sort(s)
	sum := uint64(0)
	for i, v := range s {
		sum += v * uint64(i)
	}
	return sum
}
