package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What is put is there after opening again, and an older version does not undo a newer one.
func TestStoreKeepsTheNewestVersion(t *testing.T) {
	o := options{dir: t.TempDir()}
	s := open(t, o)
	for _, version := range []int{1, 3, 2} {
		if err := s.Put("k", version, "fill"); err != nil {
			t.Fatal(err)
		}
	}
	s.db.Close()
	s = open(t, o)
	defer s.db.Close()
	if stored, ok, err := s.Get("k"); stored != "3 fill" || !ok || err != nil {
		t.Errorf("%q, %v, %v", stored, ok, err)
	}
	if _, ok, err := s.Get("other"); ok || err != nil {
		t.Errorf("a key that was never put: %v, %v", ok, err)
	}
}

// The library rewrites its file when it is asked to, and the database stays the same. What a power
// loss makes of the rename without the data, an empty file, is the bug: the keys are gone and
// nothing complains.
func TestRewriteAndWhatAPowerLossMakesOfIt(t *testing.T) {
	for _, shrink := range []bool{true, false} {
		o := options{dir: t.TempDir(), shrink: shrink}
		s := open(t, o)
		name := filepath.Join(o.dir, fileName)
		var most int64
		rewritten := false
		begin := time.Now()
		for version := 1; time.Since(begin) < 2*time.Second && !rewritten; version++ {
			if err := s.Put("k", version, "some value to fill the file with"); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			rewritten = info.Size() < most
			most = max(most, info.Size())
			time.Sleep(10 * time.Millisecond)
		}
		if _, ok, err := s.Get("k"); rewritten != shrink || !ok || err != nil {
			t.Errorf("shrink %v: rewritten %v; %v, %v", shrink, rewritten, ok, err)
		}
		s.db.Close()
		if err := os.Truncate(name, 0); err != nil {
			t.Fatal(err)
		}
		s = open(t, o)
		if _, ok, err := s.Get("k"); ok || err != nil {
			t.Errorf("an empty file: %v, %v", ok, err)
		}
		s.db.Close()
	}
}

// The protocol answers each request, and says what is wrong with a bad one.
func TestProtocol(t *testing.T) {
	s := &server{store: open(t, options{dir: t.TempDir()})}
	for _, c := range []struct{ request, answer string }{
		{"GET k", "NONE"},
		{"PUT k 1 xxxx", "OK"},
		{"GET k", "VAL 1 xxxx"},
		{"PUT k 0 xxxx", "ERR want PUT <key> <version from 1> <fill>"},
		{"PUT k 1", `ERR unknown request "PUT"`},
	} {
		if got := s.answer(c.request); got != c.answer {
			t.Errorf("%s: %q, want %q", c.request, got, c.answer)
		}
	}
	s.broken = "invalid database"
	if got := s.answer("GET k"); got != "BROKEN invalid database" {
		t.Errorf("%q", got)
	}
}

func open(t *testing.T, o options) *store {
	t.Helper()
	s, err := openStore(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
