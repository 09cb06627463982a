package main

import "testing"

// With one writer nothing is lost, over the borders of pages and with values that are replaced.
func TestPagesKeepWhatOneWriterSets(t *testing.T) {
	p := newPages(map[uint64]string{3: "before"})
	for i := range uint64(3 * pageEntries) {
		p.Set(i, "old")
		p.Set(i, "new")
	}
	for i := range uint64(3 * pageEntries) {
		if value, ok := p.Get(i); !ok || value != "new" {
			t.Errorf("entry %d is %q, %v", i, value, ok)
		}
	}
	if _, ok := p.Get(3 * pageEntries); ok {
		t.Error("an entry that was never set is there")
	}
}
