package main

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Only a message whose server lived on for an interval is promised, and only so many of these may
// be missing as were on their way.
func TestJudge(t *testing.T) {
	start := time.Now()
	for _, c := range []struct {
		acked     bool
		lived     time.Duration // how long the server answered after the acknowledgement
		delivered bool
		swallowed int
		lost      bool
	}{
		{acked: true, lived: time.Second, lost: true},
		{acked: true, lived: time.Second, delivered: true},
		{acked: true, lived: time.Second, swallowed: 1},
		{acked: true, lived: 999 * time.Millisecond},
		{acked: false, lived: time.Second},
	} {
		l := newLedger(time.Second)
		m := l.next()
		if c.acked {
			l.acknowledge(m, "a", start)
		}
		l.alive("a", start.Add(c.lived))
		l.alive("a", start) // an older answer changes nothing
		l.alive("b", start.Add(time.Hour))
		if c.delivered {
			l.deliver(m.text)
		}
		for range c.swallowed {
			l.swallow()
		}
		got := verdict(l.judge)
		if strings.HasPrefix(got, "synced message 1 was never delivered") != c.lost ||
			(got != "") != c.lost {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// What was never put may not be delivered; what was put may be delivered twice.
func TestDeliver(t *testing.T) {
	l := newLedger(time.Second)
	m := l.next()
	if got := verdict(func() { l.deliver(m.text); l.deliver(m.text) }); got != "" {
		t.Error(got)
	}
	want := `a message was delivered that was never put: "m1-x"`
	if got := verdict(func() { l.deliver("m1-x") }); got != want {
		t.Errorf("%q", got)
	}
}

// The whole client must pass against a queue that keeps everything although connections break, and
// must notice one that loses messages.
func TestRunAgainstAFakeServer(t *testing.T) {
	for _, loses := range []bool{false, true} {
		f := &fake{loses: loses}
		s := settings{duration: 300 * time.Millisecond, think: time.Millisecond,
			quiet: 10 * time.Second, addr: f.listen(t)}
		l := newLedger(10 * time.Millisecond)
		drive(s, l)
		f.calm = true
		if !drain(s, l, time.Now().Add(s.quiet)) {
			t.Error("did not finish")
		}
		got := verdict(l.judge)
		if strings.HasPrefix(got, "synced message ") != loses || (got != "") != loses {
			t.Errorf("loses %v: %d messages, %q", loses, len(l.messages), got)
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

// fake is a queue in memory that cuts every 20th exchange after its effect.
type fake struct {
	mu    sync.Mutex
	queue []string
	count int
	loses bool // every third message or so
	calm  bool // no cuts: the window without faults
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
					answer, ok := f.answer(in.Text())
					if !ok {
						return
					}
					fmt.Fprintln(c, "life "+answer)
				}
			}()
		}
	}()
	return ln.Addr().String()
}

func (f *fake) answer(line string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	ok := f.calm || f.count%20 != 0
	if message, put := strings.CutPrefix(line, "PUT "); put {
		if !f.loses || f.count%3 != 1 {
			f.queue = append(f.queue, message)
		}
		return "OK", ok
	}
	if len(f.queue) == 0 {
		return "EMPTY", ok
	}
	message := f.queue[0]
	f.queue = f.queue[1:]
	return "MSG " + strconv.Quote(message), ok
}
