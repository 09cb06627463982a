package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// write runs the writers until the time or the entries are used up.
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

// writer connects again after every error. The entry of that moment stays in doubt: the server may
// have it or not.
func writer(s settings, l *ledger, deadline time.Time) {
	for {
		c := connect(s.addr, deadline)
		if c == nil {
			return
		}
		err := writeEntries(s, l, c, deadline)
		c.close()
		if err == nil {
			return
		}
	}
}

// writeEntries writes one entry after another, and reads an acknowledged one after every fourth on
// average. It returns nil when the time or the entries are used up.
func writeEntries(s settings, l *ledger, c *session, deadline time.Time) error {
	random := sim.Rand()
	for time.Now().Before(deadline) {
		e, more := l.next(s.entries)
		if !more {
			return nil
		}
		answers, err := c.ask(e.put())
		if err != nil {
			return err
		}
		if answers[0] != fmt.Sprintf("OK %d", e.number) {
			sim.Unreachable(fmt.Sprintf("the server refused entry %d: %q", e.number, answers[0]))
			return fmt.Errorf("refused: %s", answers[0])
		}
		l.acknowledge(e.number)
		if random.IntN(4) == 0 {
			if err := readOne(l, c); err != nil {
				return err
			}
		}
		time.Sleep(time.Duration(random.Int64N(2*int64(s.think) + 1)))
	}
	return nil
}

// readOne checks a random acknowledged entry.
func readOne(l *ledger, c *session) error {
	e, ok := l.pick()
	if !ok {
		return nil
	}
	answers, err := c.ask(e.get())
	if err != nil {
		return err
	}
	e.check(answers[0])
	return nil
}
