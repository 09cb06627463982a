package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is appended is there after opening again, in order, with every engine.
func TestEnginesKeepRecords(t *testing.T) {
	for name := range engines {
		dir := t.TempDir()
		want := []string{"x", strings.Repeat("y", 100), strings.Repeat("z", maxRecord), "last"}
		for i, record := range want {
			e, found, err := engines[name](dir)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Equal(found, want[:i]) {
				t.Errorf("%s: found %d records, want %d", name, len(found), i)
			}
			if err := e.Append(record); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// What each engine makes of a log whose last record is cut, and of what is appended behind the cut.
// `checked` keeps everything that was whole or came later; the others are the negative controls.
// Method: two whole records and a third cut at every length; open, append a short one, open again.
func TestEnginesAtEveryCut(t *testing.T) {
	long := "r3-" + strings.Repeat("c", 200)
	for name, want := range map[string]struct{ opens, keepsLater, invents bool }{
		"checked": {opens: true, keepsLater: true},
		"tidwall": {opens: false},
		"seeking": {opens: true, keepsLater: true, invents: true},
		"rosedb":  {opens: true, keepsLater: false},
	} {
		whole := logBytes(t, name, "r1-aaaa", "r2-bbbb")
		full := logBytes(t, name, "r1-aaaa", "r2-bbbb", long)
		invented := 0
		for cut := len(whole) + 1; cut < len(full); cut++ {
			dir := t.TempDir()
			plantLog(t, name, dir, full[:cut])
			e, found, err := engines[name](dir)
			if (err == nil) != want.opens {
				t.Fatalf("%s, cut at %d: open: %v", name, cut, err)
			}
			if err != nil {
				continue
			}
			if !slices.Equal(found, []string{"r1-aaaa", "r2-bbbb"}) {
				t.Errorf("%s, cut at %d: found %q", name, cut, found)
			}
			if err := e.Append("later"); err != nil {
				t.Fatal(err)
			}
			_, found, err = engines[name](dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(found, "later"); got != want.keepsLater {
				t.Errorf("%s, cut at %d: the later record is there: %v", name, cut, got)
			}
			if len(found) > 3 {
				invented++
			}
		}
		if (invented > 0) != want.invents {
			t.Errorf("%s: records out of nothing at %d cuts", name, invented)
		}
	}
}

// `seeking` and tidwall/wal read each other's files: what one finds wrong concerns the other.
func TestSeekingHasTheFormatOfTidwall(t *testing.T) {
	for _, from := range []string{"seeking", "tidwall"} {
		records := []string{"one", strings.Repeat("two", 99), "3"}
		data := logBytes(t, from, records...)
		for _, to := range []string{"seeking", "tidwall"} {
			dir := t.TempDir()
			plantLog(t, to, dir, data)
			_, found, err := engines[to](dir)
			if err != nil || !slices.Equal(found, records) {
				t.Errorf("%s to %s: %q, %v", from, to, found, err)
			}
		}
	}
}

// The reader of rosedblabs/wal may panic behind a torn length field. The server must start all the
// same, with the records before it. Method: two bytes of the length field that make a large number.
func TestRosedbSurvivesAPanicOfTheReader(t *testing.T) {
	data := append(logBytes(t, "rosedb", "one"), "crc.\xff\xff\x00later"...)
	dir := t.TempDir()
	plantLog(t, "rosedb", dir, data)
	if _, found, err := engines["rosedb"](dir); err != nil || !slices.Equal(found, []string{"one"}) {
		t.Errorf("found %q, %v", found, err)
	}
}

func TestUnknownEngine(t *testing.T) {
	if _, err := findEngine("rose"); err == nil || !strings.Contains(err.Error(), "rosedb") {
		t.Errorf("the error names no engine: %v", err)
	}
}

var logNames = map[string]string{
	"checked": "log",
	"tidwall": fmt.Sprintf("%020d", 1),
	"seeking": fmt.Sprintf("%020d", 1),
	"rosedb":  "000000001.SEG",
}

// logBytes returns the file that the engine makes of the records.
func logBytes(t *testing.T, name string, records ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	e, _, err := engines[name](dir)
	for _, record := range records {
		if err == nil {
			err = e.Append(record)
		}
	}
	data, readErr := os.ReadFile(filepath.Join(dir, logNames[name]))
	if err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	return data
}

func plantLog(t *testing.T, name, dir string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, logNames[name]), data, 0o600); err != nil {
		t.Fatal(err)
	}
}
