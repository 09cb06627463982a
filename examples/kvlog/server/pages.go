package main

import (
	"maps"
	"sync"
)

// pageEntries is how many consecutive entries share a page.
const pageEntries = 16

// pages is an index in which readers need no lock for long: a page is never changed, only replaced by
// a changed copy. With -index=copied the connections keep the index this way.
//
// Every access is locked, and so the race detector finds nothing. But Set is two accesses. Two
// connections may copy the same page, and the one that puts its copy back last takes the other's
// entry away.
type pages struct {
	mu   sync.Mutex
	page map[uint64]map[uint64]string
}

func newPages(index map[uint64]string) *pages {
	p := &pages{page: map[uint64]map[uint64]string{}}
	for entry, value := range index {
		p.Set(entry, value)
	}
	return p
}

func (p *pages) Get(entry uint64) (value string, ok bool) {
	value, ok = p.of(entry)[entry]
	return value, ok
}

// Set is right as long as there is only one writer.
func (p *pages) Set(entry uint64, value string) {
	changed := map[uint64]string{}
	maps.Copy(changed, p.of(entry))
	changed[entry] = value
	p.replace(entry, changed)
}

func (p *pages) of(entry uint64) map[uint64]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.page[entry/pageEntries]
}

func (p *pages) replace(entry uint64, page map[uint64]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.page[entry/pageEntries] = page
}
