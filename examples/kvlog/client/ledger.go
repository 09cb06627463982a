package main

import (
	"fmt"
	"sync"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// entry is what the client knows of one entry it sent.
type entry struct {
	number uint64
	value  string
	acked  bool
}

// ledger remembers all entries. It is shared by the writers.
type ledger struct {
	mu      sync.Mutex
	entries []entry // by number
	acked   []uint64
}

// next starts a new entry with a value of its own; false when there are `limit` entries.
func (l *ledger) next(limit int) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.entries)
	if n >= limit {
		return entry{}, false
	}
	e := entry{number: uint64(n), value: fmt.Sprintf("e%d-%04d", n, sim.Rand().IntN(10000))}
	l.entries = append(l.entries, e)
	return e, true
}

// acknowledge records that the server promised to keep the entry.
func (l *ledger) acknowledge(number uint64) {
	sim.Reachable("an entry was acknowledged")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[number].acked = true
	l.acked = append(l.acked, number)
}

// pick returns a random acknowledged entry; false if there is none.
func (l *ledger) pick() (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.acked) == 0 {
		return entry{}, false
	}
	return l.entries[l.acked[sim.Rand().IntN(len(l.acked))]], true
}

// all returns a copy of the entries, and how many of them are acknowledged.
func (l *ledger) all() (entries []entry, acked int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(entries, l.entries...), len(l.acked)
}

func (e entry) put() string { return fmt.Sprintf("PUT %d %s", e.number, e.value) }
func (e entry) get() string { return fmt.Sprintf("GET %d", e.number) }

// check judges the server's answer to get. An acknowledged entry must be there. One that was sent
// but never acknowledged may be there or not; no answer may hold anything else.
func (e entry) check(answer string) {
	switch {
	case answer == "VAL "+e.value:
		sim.Reachable("an entry was read back")
	case e.acked:
		sim.Assert(false, fmt.Sprintf(
			"acknowledged entry %d lost: server now answers %q", e.number, answer))
	case answer != "NONE":
		sim.Assert(false, fmt.Sprintf(
			"entry %d was never acknowledged, but the server answers %q", e.number, answer))
	}
}
