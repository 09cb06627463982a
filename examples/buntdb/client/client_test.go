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

// A key may hold any version from the one acknowledged last to the one sent last, and nothing else.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		acked        int
		answer, want string
	}{
		{0, "NONE", ""},
		{0, "VAL 1 a", ""}, // in doubt
		{2, "VAL 2 b", ""},
		{2, "VAL 3 c", ""},
		{2, "VAL 1 a", `acknowledged version 2 of key01 missing after restart: ` +
			`the server answers "VAL 1 a"`},
		{2, "NONE", `acknowledged version 2 of key01 missing after restart: the server answers "NONE"`},
		{2, "VAL 2 x", `key01 has a value that no client sent: "VAL 2 x"`},
		{2, "VAL 4 d", `key01 has a value that no client sent: "VAL 4 d"`},
	} {
		l := newLedger(1)
		k := l.keys[0]
		k.values = []string{"1 a", "2 b", "3 c"}
		l.acknowledge(k, c.acked)
		q := l.ask(k)
		l.acknowledge(k, 3) // later than the question: it must not count
		if got := verdict(func() { l.judge(q, c.answer) }); got != c.want {
			t.Errorf("%d, %q:\n%q, want\n%q", c.acked, c.answer, got, c.want)
		}
	}
}

// The whole client must pass against a server that keeps everything although connections break, and
// must notice one that forgets, one that goes back, and one that does not open.
func TestRunAgainstAFakeServer(t *testing.T) {
	for damage, want := range map[string]string{
		"":       "",
		"forget": `missing after restart: the server answers "NONE"`,
		"back":   `missing after restart: the server answers "VAL 1 `,
		"broken": "the database does not open after a restart, acknowledged versions of 3 keys missing",
	} {
		f := &fake{first: map[string]string{}, values: map[string]string{}}
		s := settings{writers: 3, keys: 3, duration: 300 * time.Millisecond,
			think: time.Millisecond, burst: 50 * time.Millisecond,
			rest: time.Millisecond, quiet: 10 * time.Second, addr: f.listen(t)}
		l := newLedger(s.keys)
		write(s, l)
		f.hurt(damage)
		finished := false
		got := verdict(func() { finished = verify(s.addr, l, time.Now().Add(s.quiet)) })
		if !strings.Contains(got, want) || (want == "") != (got == "") || finished != (want == "") {
			t.Errorf("%q: finished %v, %q", damage, finished, got)
		}
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

// fake is a store in memory that cuts every 40th exchange: before the request has an effect, or
// after it and before the answer.
type fake struct {
	mu     sync.Mutex
	first  map[string]string // the first version of each key
	values map[string]string
	count  int
	broken bool
	calm   bool // no cuts: the window without faults
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
			go func() {
				defer c.Close()
				for in := bufio.NewScanner(c); in.Scan(); {
					answer, ok := f.answer(strings.SplitN(in.Text(), " ", 3))
					if !ok {
						return
					}
					fmt.Fprintln(c, answer)
				}
			}()
		}
	}()
	return ln.Addr().String()
}

func (f *fake) answer(words []string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if !f.calm && f.count%80 == 40 {
		return "", false
	}
	ok := f.calm || f.count%80 != 0
	switch {
	case f.broken:
		return "BROKEN invalid database", ok
	case words[0] == "PUT":
		if f.first[words[1]] == "" {
			f.first[words[1]] = words[2]
		}
		f.values[words[1]] = words[2]
		return "OK", ok
	}
	if value := f.values[words[1]]; value != "" {
		return "VAL " + value, ok
	}
	return "NONE", ok
}

func (f *fake) hurt(damage string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calm = true
	switch damage {
	case "forget":
		delete(f.values, "key02")
	case "back":
		f.values["key02"] = f.first["key02"]
	case "broken":
		f.broken = true
	}
}
