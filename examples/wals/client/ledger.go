package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// ledger is what the client knows: every record it ever sent, and which position the server
// promised for it. It is shared by the writers.
//
// A record that was sent and never acknowledged is in doubt for ever: it may stand at any position,
// once, or nowhere. So an answer can be judged only as: the record promised for this position, or
// else, where nothing was promised, a record in doubt.
type ledger struct {
	mu    sync.Mutex
	sent  map[string]int // position by record, 0 while in doubt
	acked map[int]string // record by position
	last  int            // highest acknowledged position
}

func newLedger() *ledger {
	return &ledger{sent: map[string]int{}, acked: map[int]string{}}
}

// next makes a record of its own, a number filled up with a digit. Most are short; one of eight
// is long, so that what a power loss leaves of it is longer than the records after it.
func (l *ledger) next(limit int) (record string, ok bool) {
	size := 16 + sim.Rand().IntN(48)
	if sim.Rand().IntN(8) == 0 {
		size = 300 + sim.Rand().IntN(1200)
	}
	fill := strconv.Itoa(sim.Rand().IntN(10))
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sent) >= limit {
		return "", false
	}
	record = fmt.Sprintf("r%d-", len(l.sent)+1)
	record += strings.Repeat(fill, size-len(record))
	l.sent[record] = 0
	return record, true
}

// acknowledge notes the server's promise to keep the record at the position.
func (l *ledger) acknowledge(record string, position int) {
	sim.Reachable("a record was acknowledged")
	l.mu.Lock()
	defer l.mu.Unlock()
	if other, taken := l.acked[position]; taken {
		sim.Assert(false, fmt.Sprintf("acknowledged record %d missing after restart: "+
			"its position was given to another: %q was %q", position, short(record), short(other)))
	}
	l.sent[record] = position
	l.acked[position] = record
	l.last = max(l.last, position)
}

// lastAcked returns the highest acknowledged position, 0 if there is none.
func (l *ledger) lastAcked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// counts returns how many records were sent and how many were acknowledged.
func (l *ledger) counts() (sent, acked int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.sent), len(l.acked)
}

// question is a READ on its way. It remembers what was promised when it was asked: a promise made
// later says nothing about the answer.
type question struct {
	position int
	promised string // or ""
}

func (l *ledger) ask(position int) question {
	l.mu.Lock()
	defer l.mu.Unlock()
	return question{position, l.acked[position]}
}

func (q question) request() string { return fmt.Sprintf("READ %d", q.position) }

// judge checks the server's answer to a question and returns the record in it, or "". Messages are
// made only when something is wrong: the judge is asked very often.
func (l *ledger) judge(q question, answer string) (record string) {
	record, found := strings.CutPrefix(answer, "REC ")
	switch {
	case q.promised != "" && record == q.promised && found:
		sim.Reachable("an acknowledged record was read back")
	case q.promised != "":
		sim.Assert(false, fmt.Sprintf(
			"acknowledged record %d missing after restart: the server answers %q, not %q",
			q.position, short(answer), short(q.promised)))
	case found:
		l.judgeInDoubt(q.position, record)
	case answer == "NONE":
		return ""
	default:
		sim.Assert(false, fmt.Sprintf(
			"record %d was never written by a client: %s", q.position, short(answer)))
	}
	return record
}

func (l *ledger) judgeInDoubt(position int, record string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	promised, sent := l.sent[record]
	switch {
	case !sent:
		sim.Assert(false, fmt.Sprintf(
			"record %d was never written by a client: %q", position, short(record)))
	case promised != 0 && promised != position:
		sim.Assert(false, fmt.Sprintf(
			"record %d was acknowledged at position %d: %q", position, promised, short(record)))
	default:
		sim.Reachable("a record in doubt was read")
	}
}

// short cuts a text for a message.
func short(text string) string {
	if len(text) <= 24 {
		return text
	}
	return text[:21] + "..."
}
