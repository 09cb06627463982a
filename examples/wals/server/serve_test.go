package main

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The protocol answers each request, and says what is wrong with a bad one.
func TestProtocol(t *testing.T) {
	s := openServer(t.TempDir(), openChecked, make(chan error, 1))
	for _, c := range []struct{ request, answer string }{
		{"LAST", "LAST 0"},
		{"READ 1", "NONE"},
		{"APPEND two words", "OK 1"},
		{"APPEND next", "OK 2"},
		{"READ 1", "REC two words"},
		{"READ 3", "NONE"},
		{"LAST", "LAST 2"},
		{"APPEND ", "ERR want APPEND <record of 1 to 4096 bytes>"},
		{"READ 0", "ERR want READ <position>"},
		{"HELLO you", `ERR unknown request "HELLO"`},
	} {
		if got := s.answer(c.request); got != c.answer {
			t.Errorf("%s: %q, want %q", c.request, got, c.answer)
		}
	}
	s.records[0] = "a\nb\xff"
	if got := s.answer("READ 1"); got != `ODD "a\nb\xff"` {
		t.Errorf("%q", got)
	}
}

// Several requests in one go are answered in order, and the log has them when the answers arrive.
func TestConverse(t *testing.T) {
	dir := t.TempDir()
	s := openServer(dir, openChecked, make(chan error, 1))
	client, conn := net.Pipe()
	go s.converse(conn)
	client.SetDeadline(time.Now().Add(10 * time.Second))
	go client.Write([]byte("APPEND a\r\nAPPEND b\nREAD 2\n"))
	want := "OK 1\nOK 2\nREC b\n"
	got := make([]byte, 0, len(want))
	for len(got) < len(want) {
		n, err := client.Read(got[len(got):cap(got)])
		if err != nil {
			t.Fatal(err)
		}
		got = got[:len(got)+n]
	}
	data, err := os.ReadFile(filepath.Join(dir, "log"))
	log := string(encodeChecked("a")) + string(encodeChecked("b"))
	if string(got) != want || err != nil || string(data) != log {
		t.Errorf("answers %q, log %q, %v", got, data, err)
	}
}

// A log that does not open is reported on every request, after some more attempts.
func TestABrokenLogIsReported(t *testing.T) {
	attempts := 0
	s := openServer(t.TempDir(), func(string) (engine, []string, error) {
		attempts++
		return nil, nil, errors.New("log corrupt")
	}, make(chan error, 1))
	if got := s.answer("READ 1"); got != "BROKEN log corrupt" || attempts != openAttempts {
		t.Errorf("%q after %d attempts", got, attempts)
	}
}

type failing struct{}

func (failing) Append(string) error { return errors.New("no") }

// When the engine fails, nothing is acknowledged and the process learns of it.
func TestAFailedAppendIsNotAcknowledged(t *testing.T) {
	failed := make(chan error, 1)
	s := &server{engine: failing{}, failed: failed}
	answered := make(chan string, 1)
	go func() { answered <- s.answer("APPEND x") }()
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "no") {
		t.Errorf("failed with %v", err)
	}
	select {
	case answer := <-answered:
		t.Errorf("answered %q", answer)
	case <-time.After(20 * time.Millisecond):
	}
}
