package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Recovery after a cut at any byte must keep all whole records, and what is appended after it must
// survive the next recovery. With -recovery=append it does not (the negative control): wherever the
// cut leaves part of a record, the later entry is lost.
// Method: a log of three records, cut at every length; recover, append a fourth, recover again.
func TestRecoveryAtEveryCut(t *testing.T) {
	var full []byte
	ends := []int{0}
	for i := range uint64(3) {
		full = appendRecord(full, i, fmt.Sprintf("value-%d", i))
		ends = append(ends, len(full))
	}
	for cut := range len(full) + 1 {
		whole := 0
		for whole+1 < len(ends) && ends[whole+1] <= cut {
			whole++
		}
		torn := cut != ends[whole]
		for _, appendBehind := range []bool{false, true} {
			o := options{dir: t.TempDir(), dirSync: true, appendBehind: appendBehind}
			plant(t, o, full[:cut])
			if got := recovered(t, o, 9, "later"); len(got) != whole {
				t.Fatalf("cut at %d: recovered %v, want %d entries", cut, got, whole)
			}
			got := recovered(t, o, 10, "last")
			keepsLater := got[9] == "later"
			if want := !(torn && appendBehind); keepsLater != want {
				t.Errorf("cut at %d, append %v: later entry kept: %v", cut, appendBehind, keepsLater)
			}
			for i := range uint64(whole) {
				if got[i] != fmt.Sprintf("value-%d", i) {
					t.Errorf("cut at %d: entry %d is %q", cut, i, got[i])
				}
			}
		}
	}
}

// Recovery must write the last batch again, so that records a failed fsync left in the page cache
// become durable. The bytes must not change. Method: a log longer than a batch.
func TestRecoveryKeepsTheBytesOfALongLog(t *testing.T) {
	var full []byte
	for i := uint64(0); len(full) < 2*maxBatchBytes; i++ {
		full = appendRecord(full, i, "some value")
	}
	o := options{dir: t.TempDir()}
	plant(t, o, append(full[:len(full):len(full)], "torn"...))
	recovered(t, o, 0, "new")
	got, err := os.ReadFile(filepath.Join(o.dir, "log"))
	if err != nil || string(got) != string(appendRecord(full, 0, "new")) {
		t.Errorf("the log changed: %d bytes, %v", len(got), err)
	}
}

// A later record of the same entry replaces the earlier one.
func TestReplayTakesTheLastValue(t *testing.T) {
	index := map[uint64]string{}
	data := appendRecord(appendRecord(nil, 5, "old"), 5, "new")
	if valid := replay(data, index); valid != len(data) || index[5] != "new" {
		t.Errorf("%d of %d bytes valid, entry 5 is %q", valid, len(data), index[5])
	}
}

func plant(t *testing.T, o options, log []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(o.dir, "log"), log, 0o600); err != nil {
		t.Fatal(err)
	}
}

// recovered opens the log, appends an entry and returns what the recovery found.
func recovered(t *testing.T, o options, index uint64, value string) map[uint64]string {
	t.Helper()
	found := map[uint64]string{}
	l, err := openLog(o, found)
	if err != nil {
		t.Fatal(err)
	}
	defer l.file.Close()
	if err := l.Append(appendRecord(nil, index, value)); err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	return found
}
