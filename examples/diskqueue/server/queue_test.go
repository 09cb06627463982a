package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A queue gives back what was put, in order, also after it was closed and opened again.
func TestQueueKeepsMessages(t *testing.T) {
	for _, version := range []string{"1.0.0", "1.1.0"} {
		o := options{dir: t.TempDir(), version: version, sync: time.Hour, settle: true}
		putAll(t, o, "message-1", strings.Repeat("2", maxMessage))
		putAll(t, o, "message-3")
		got := readAll(t, o)
		if len(got) != 3 || got[0] != "message-1" || got[2] != "message-3" {
			t.Errorf("%s: %q", version, got)
		}
	}
}

// A crash leaves data behind what the metadata tells. Version 1.1.0 must deliver everything that
// was put before and after; version 1.0.0 loses some (the negative control).
// Method: ten messages, the metadata of the first five restored, four more messages.
func TestOldMetadata(t *testing.T) {
	for version, keeps := range map[string]bool{"1.0.0": false, "1.1.0": true} {
		o := options{dir: t.TempDir(), version: version, sync: time.Hour, settle: true}
		var all []string
		for i := range 14 {
			all = append(all, fmt.Sprintf("message-%d-%s", i, strings.Repeat("x", 7*i%40)))
		}
		meta := filepath.Join(o.dir, "queue.diskqueue.meta.dat")
		putAll(t, o, all[:5]...)
		old, err := os.ReadFile(meta)
		if err != nil {
			t.Fatal(err)
		}
		putAll(t, o, all[5:10]...)
		if err := os.WriteFile(meta, old, 0o600); err != nil {
			t.Fatal(err)
		}
		q := open(t, o)
		for _, message := range all[10:] {
			if err := q.Put([]byte(message)); err != nil {
				t.Fatal(err)
			}
		}
		found := map[string]bool{}
		for _, message := range drain(q) {
			found[message] = true
		}
		q.Close()
		missing := 0
		for _, message := range all {
			if !found[message] {
				missing++
			}
		}
		if (missing == 0) != keeps {
			t.Errorf("%s: %d of 14 messages are missing", version, missing)
		}
	}
}

// With -settle the metadata is on disk before the first message.
func TestSettle(t *testing.T) {
	for _, settle := range []bool{true, false} {
		o := options{dir: t.TempDir(), version: "1.1.0", sync: time.Hour, settle: settle}
		q := open(t, o)
		_, err := os.Stat(filepath.Join(o.dir, "queue.diskqueue.meta.dat"))
		q.Close()
		if (err == nil) != settle {
			t.Errorf("settle %v: %v", settle, err)
		}
	}
}

func TestUnknownVersion(t *testing.T) {
	if _, err := openQueue(options{dir: t.TempDir(), version: "2"}); err == nil {
		t.Error("no error")
	}
}

// The protocol names the life of the server in each answer, and says what is wrong with a request.
func TestProtocol(t *testing.T) {
	o := options{dir: t.TempDir(), version: "1.1.0", sync: time.Hour, settle: true}
	s := &server{life: 0xbee, queue: open(t, o)}
	for _, c := range []struct{ request, answer string }{
		{"TAKE", "EMPTY"},
		{"PUT three words here", "OK"},
		{"TAKE", `MSG "three words here"`},
		{"PUT short", "ERR want PUT <message of 8 to 1024 bytes>"},
		{"HELLO", `ERR unknown request "HELLO"`},
	} {
		if got := s.answer(c.request); got != c.answer {
			t.Errorf("%s: %q, want %q", c.request, got, c.answer)
		}
	}
}

func open(t *testing.T, o options) queue {
	t.Helper()
	q, err := openQueue(o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// putAll opens the queue, puts messages and closes it, which writes the metadata.
func putAll(t *testing.T, o options, messages ...string) {
	t.Helper()
	q := open(t, o)
	for _, message := range messages {
		if err := q.Put([]byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
}

func readAll(t *testing.T, o options) []string {
	t.Helper()
	q := open(t, o)
	defer q.Close()
	return drain(q)
}

// drain takes messages until none comes for a while.
func drain(q queue) (messages []string) {
	for {
		select {
		case message := <-q.ReadChan():
			messages = append(messages, string(message))
		case <-time.After(100 * time.Millisecond):
			return messages
		}
	}
}
