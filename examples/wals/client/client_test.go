package main

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The judge must accept what the server may answer and name the record in what it may not.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		position     int
		answer, want string
	}{
		{1, "REC r1-a", ""},
		{1, "NONE", `acknowledged record 1 missing after restart: the server answers "NONE", not "r1-a"`},
		{1, "REC r2-b", `acknowledged record 1 missing after restart: ` +
			`the server answers "REC r2-b", not "r1-a"`},
		{2, "NONE", ""},
		{2, "REC r2-b", ""},
		{3, "REC r2-b", ""}, // in doubt: it may stand anywhere
		{2, "REC r1-a", `record 2 was acknowledged at position 1: "r1-a"`},
		{2, "REC r9-x", `record 2 was never written by a client: "r9-x"`},
		{2, `ODD "x\ny"`, `record 2 was never written by a client: ODD "x\ny"`},
		{2, "OK", "record 2 was never written by a client: OK"},
	} {
		l := newLedger()
		l.sent = map[string]int{"r1-a": 0, "r2-b": 0}
		l.acknowledge("r1-a", 1)
		q := l.ask(c.position)
		if got := verdict(func() { l.judge(q, c.answer) }); got != c.want {
			t.Errorf("%d, %q:\n%q, want\n%q", c.position, c.answer, got, c.want)
		}
	}
}

// An answer may be older than a promise: what is acknowledged after the question does not count.
func TestAPromiseMadeLaterSaysNothing(t *testing.T) {
	l := newLedger()
	l.sent["r1-a"] = 0
	q := l.ask(1)
	l.acknowledge("r1-a", 1)
	if got := verdict(func() { l.judge(q, "NONE") }); got != "" {
		t.Error(got)
	}
}

// Two promises for one position mean that the first record is gone.
func TestAPositionIsPromisedOnce(t *testing.T) {
	l := newLedger()
	l.acknowledge("r1-a", 1)
	want := `acknowledged record 1 missing after restart: its position was given to another: ` +
		`"r2-b" was "r1-a"`
	if got := verdict(func() { l.acknowledge("r2-b", 1) }); got != want {
		t.Errorf("%q", got)
	}
}

// Records are unlike each other, and of sizes that the server takes.
func TestRecords(t *testing.T) {
	l := newLedger()
	short, long := 0, 0
	for range 400 {
		record, ok := l.next(400)
		if !ok || len(record) > 4096 || strings.ContainsAny(record, "\n\r") {
			t.Fatalf("%v, %q", ok, record)
		}
		if len(record) < 64 {
			short++
		} else {
			long++
		}
	}
	if _, ok := l.next(400); ok || len(l.sent) != 400 || short < 300 || long < 20 {
		t.Errorf("%d records, %d short, %d long", len(l.sent), short, long)
	}
}

// The whole client must pass against a server that keeps everything although connections break, and
// must notice one that forgets, one that invents, one that repeats, and one whose log is broken.
func TestRunAgainstAFakeServer(t *testing.T) {
	for damage, want := range map[string]string{
		"":        "",
		"forget":  "acknowledged record 200 missing after restart",
		"invent":  "record 401 was never written by a client",
		"repeat":  "record 401 was acknowledged at position 1",
		"doubled": `record "r`,
		"broken":  "the log does not open after a restart, acknowledged records 1 to 400 missing",
	} {
		f := &fake{}
		s := settings{writers: 3, duration: time.Minute, records: 300, quiet: 10 * time.Second}
		s.addr = f.listen(t)
		l := newLedger()
		write(s, l)
		f.fill(l, 400)
		f.hurt(damage, l)
		finished := false
		got := verdict(func() { finished = verify(s.addr, l, time.Now().Add(s.quiet)) })
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") || finished != (want == "") {
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

// fake is a server that keeps records in memory and cuts every 50th exchange: before the request
// has an effect, or after it and before the answer.
type fake struct {
	mu      sync.Mutex
	records []string
	count   int
	broken  bool
	calm    bool // no cuts: the window without faults
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
		verb, rest, _ := strings.Cut(in.Text(), " ")
		answer, ok := f.answer(verb, rest)
		if !ok {
			return
		}
		fmt.Fprintln(c, answer)
	}
}

func (f *fake) answer(verb, rest string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if !f.calm && f.count%100 == 50 {
		return "", false
	}
	answer := f.act(verb, rest)
	return answer, f.calm || f.count%100 != 0
}

func (f *fake) act(verb, rest string) string {
	switch {
	case f.broken:
		return "BROKEN log corrupt"
	case verb == "LAST":
		return fmt.Sprintf("LAST %d", len(f.records))
	case verb == "APPEND":
		f.records = append(f.records, rest)
		return fmt.Sprintf("OK %d", len(f.records))
	}
	position, _ := strconv.Atoi(rest)
	if position > len(f.records) {
		return "NONE"
	}
	return "REC " + f.records[position-1]
}

// fill makes a log of `size` acknowledged records out of what the writers left.
func (f *fake) fill(l *ledger, size int) {
	for i, record := range f.records {
		if l.sent[record] == 0 {
			l.acknowledge(record, i+1)
		}
	}
	for len(f.records) < size {
		record, _ := l.next(size * 2)
		f.records = append(f.records, record)
		l.acknowledge(record, len(f.records))
	}
}

func (f *fake) hurt(damage string, l *ledger) {
	f.calm = true
	switch damage {
	case "forget":
		f.records = slices.Delete(f.records, 199, 200)
	case "invent":
		f.records = append(f.records, "zzz")
	case "repeat":
		f.records = append(f.records, f.records[0])
	case "doubled": // a record in doubt that stands twice
		first := f.records[0]
		l.sent[first] = 0
		delete(l.acked, 1)
		f.records = append(f.records, first)
	case "broken":
		f.broken = true
	}
}
