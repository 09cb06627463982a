package main

import (
	"fmt"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// readWindow is how many requests a reader has on the way at once.
const readWindow = 64

// verify reads the whole log and checks every record, and that none stands there twice. It returns
// whether it could finish before the deadline.
func verify(addr string, l *ledger, deadline time.Time) bool {
	for {
		c := connect(addr, deadline)
		if c == nil {
			return false
		}
		err := verifyOnce(l, c)
		c.close()
		if err == nil {
			return true
		}
	}
}

func verifyOnce(l *ledger, c *session) error {
	last, err := askLast(l, c)
	if err != nil {
		return err
	}
	first := map[string]int{}
	return readRange(l, c, 1, max(last, l.lastAcked()), func(position int, record string) {
		if other, twice := first[record]; twice {
			sim.Assert(false, fmt.Sprintf("record %q stands at positions %d and %d",
				short(record), other, position))
		}
		first[record] = position
	})
}

// readRange reads the positions first to last, judges every answer, and hands each record that is
// there to `found` (which may be nil).
func readRange(l *ledger, c *session, first, last int, found func(int, string)) error {
	for first <= last {
		var questions []question
		var requests []string
		for ; first <= last && len(questions) < readWindow; first++ {
			q := l.ask(first)
			questions = append(questions, q)
			requests = append(requests, q.request())
		}
		answers, err := ask(l, c, requests...)
		for i, answer := range answers {
			record := l.judge(questions[i], answer)
			if record != "" && found != nil {
				found(questions[i].position, record)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
