package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// write runs the writers until the time or the records are used up.
func write(s settings, l *ledger) {
	deadline := time.Now().Add(s.duration)
	var writers sync.WaitGroup
	for range s.writers {
		writers.Add(1)
		go func() {
			defer writers.Done()
			writer(s, l, deadline)
		}()
	}
	writers.Wait()
}

// writer connects again after every error. The record of that moment stays in doubt.
func writer(s settings, l *ledger, deadline time.Time) {
	for {
		c := connect(s.addr, deadline)
		if c == nil {
			return
		}
		err := checkEnd(l, c)
		if err == nil {
			err = writeRecords(s, l, c, deadline)
		}
		c.close()
		if err == nil {
			return
		}
	}
}

// checkEnd reads the last acknowledged records and all behind them: a restart that loses or invents
// something does it there.
func checkEnd(l *ledger, c *session) error {
	first := max(1, l.lastAcked()-2)
	last, err := askLast(l, c)
	if err != nil {
		return err
	}
	last = max(last, l.lastAcked())
	return readRange(l, c, first, last, nil)
}

// writeRecords appends one record after another, and reads an acknowledged one after every fourth
// on average. It returns nil when the time or the records are used up.
func writeRecords(s settings, l *ledger, c *session, deadline time.Time) error {
	random := sim.Rand()
	for time.Now().Before(deadline) {
		record, more := l.next(s.records)
		if !more {
			return nil
		}
		answers, err := ask(l, c, "APPEND "+record)
		if err != nil {
			return err
		}
		position, err := parsePosition(answers[0], "OK ")
		if err != nil {
			sim.Unreachable(fmt.Sprintf("the server refused a record: %q", answers[0]))
			return err
		}
		l.acknowledge(record, position)
		if random.IntN(4) == 0 {
			position := 1 + random.IntN(position)
			if err := readRange(l, c, position, position, nil); err != nil {
				return err
			}
		}
		time.Sleep(time.Duration(random.Int64N(2*int64(s.think) + 1)))
	}
	return nil
}

// ask is session.ask for a server whose log is open; one whose log did not open is a finding.
func ask(l *ledger, c *session, requests ...string) ([]string, error) {
	answers, err := c.ask(requests...)
	for _, answer := range answers {
		if reason, broken := strings.CutPrefix(answer, "BROKEN "); broken {
			_, acked := l.counts()
			sim.Assert(false, fmt.Sprintf("the log does not open after a restart, "+
				"acknowledged records 1 to %d missing (%d): %s", l.lastAcked(), acked, reason))
		}
	}
	return answers, err
}

func askLast(l *ledger, c *session) (last int, err error) {
	answers, err := ask(l, c, "LAST")
	if err != nil {
		return 0, err
	}
	return parsePosition(answers[0], "LAST ")
}

func parsePosition(answer, prefix string) (int, error) {
	number, ok := strings.CutPrefix(answer, prefix)
	position, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0, fmt.Errorf("unexpected answer %q", answer)
	}
	return position, nil
}
