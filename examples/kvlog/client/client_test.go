package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// The check must accept what the server may answer and name the entry in what it may not.
func TestCheck(t *testing.T) {
	acked := entry{number: 27, value: "e27-0420", acked: true}
	doubtful := entry{number: 28, value: "e28-0815"}
	for _, c := range []struct {
		e            entry
		answer, want string
	}{
		{acked, "VAL e27-0420", ""},
		{acked, "NONE", `acknowledged entry 27 lost: server now answers "NONE"`},
		{acked, "VAL e141-1111", `acknowledged entry 27 lost: server now answers "VAL e141-1111"`},
		{doubtful, "VAL e28-0815", ""},
		{doubtful, "NONE", ""},
		{doubtful, "VAL e27-0420",
			`entry 28 was never acknowledged, but the server answers "VAL e27-0420"`},
	} {
		if got := verdict(func() { c.e.check(c.answer) }); got != c.want {
			t.Errorf("entry %d, %q: %q", c.e.number, c.answer, got)
		}
	}
}

// The whole client must pass against a server that keeps everything although connections break, and
// must notice one that forgets. Method: a fake server in memory that cuts every 50th exchange.
func TestRunAgainstAFakeServer(t *testing.T) {
	s := settings{writers: 3, duration: time.Minute, entries: 400, quiet: 10 * time.Second}
	for _, forgets := range []bool{false, true} {
		f := &fake{values: map[string]string{}, forgets: forgets}
		s.addr = f.listen(t)
		l := &ledger{}
		write(s, l)
		entries, acked := l.all()
		if len(entries) != 400 || acked < 300 || acked == 400 {
			t.Errorf("%d entries, %d acknowledged", len(entries), acked)
		}
		f.forget("7")
		checked := 0
		message := verdict(func() { checked = verify(s.addr, entries, time.Now().Add(s.quiet)) })
		if !forgets && (message != "" || checked != 400) {
			t.Errorf("%d entries checked, %q", checked, message)
		}
		if forgets && !strings.HasPrefix(message, "acknowledged entry 7 lost") {
			t.Errorf("a lost entry gave %q", message)
		}
	}
}

// A server that is not there must not hold the client beyond its deadline.
func TestConnectGivesUp(t *testing.T) {
	begin := time.Now()
	if c := connect("127.0.0.1:1", begin.Add(30*time.Millisecond)); c != nil {
		t.Error("connected to nothing")
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("gave up after %v", took)
	}
}

// verdict returns the message of the assertion that f breaks, or "".
func verdict(f func()) (message string) {
	defer func() {
		if broken := recover(); broken != nil {
			message = strings.TrimPrefix(fmt.Sprint(broken), "sim.Assert failed: ")
		}
	}()
	f()
	return ""
}

// fake is a server that keeps entries in memory and drops connections.
type fake struct {
	mu      sync.Mutex
	values  map[string]string
	count   int
	forgets bool
}

func (f *fake) listen(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go f.converse(c)
		}
	}()
	return ln.Addr().String()
}

func (f *fake) converse(c net.Conn) {
	defer c.Close()
	for in := bufio.NewScanner(c); in.Scan(); {
		answer, ok := f.answer(strings.SplitN(in.Text(), " ", 3))
		if !ok {
			return
		}
		fmt.Fprintln(c, answer)
	}
}

func (f *fake) answer(words []string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count++; f.count%50 == 0 {
		return "", false
	}
	if words[0] == "PUT" {
		f.values[words[1]] = words[2]
		return "OK " + words[1], true
	}
	if value, ok := f.values[words[1]]; ok {
		return "VAL " + value, true
	}
	return "NONE", true
}

func (f *fake) forget(number string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.forgets {
		delete(f.values, number)
	}
}
