package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// write runs the writers until the time is up. Each has keys of its own.
func write(s settings, l *ledger) {
	s.start = time.Now()
	deadline := s.start.Add(s.duration)
	var writers sync.WaitGroup
	for w := range s.writers {
		var mine []*key
		for i := w; i < len(l.keys); i += s.writers {
			mine = append(mine, l.keys[i])
		}
		writers.Add(1)
		go func() {
			defer writers.Done()
			writer(s, l, mine, deadline)
		}()
	}
	writers.Wait()
}

// writer connects again after every error, and then reads all keys first: what a restart loses, it
// has lost by then.
func writer(s settings, l *ledger, mine []*key, deadline time.Time) {
	for {
		c := connect(s.addr, deadline)
		if c == nil {
			return
		}
		err := readAll(l, c)
		if err == nil {
			err = writeVersions(s, l, c, mine, deadline)
		}
		c.close()
		if err == nil {
			return
		}
	}
}

// writeVersions writes versions of its keys, and reads a random key after every fourth on average.
// It returns nil when the time is up.
func writeVersions(s settings, l *ledger, c *session, mine []*key, deadline time.Time) error {
	random := sim.Rand()
	for time.Now().Before(deadline) {
		s.restAfterABurst()
		k := mine[random.IntN(len(mine))]
		version, request := l.next(k)
		answers, err := ask(l, c, request)
		if err != nil {
			return err
		}
		if answers[0] != "OK" {
			sim.Unreachable(fmt.Sprintf("the server refused %s: %q", k.name, answers[0]))
			return errors.New(answers[0])
		}
		l.acknowledge(k, version)
		if random.IntN(4) == 0 {
			if err := read(l, c, l.keys[random.IntN(len(l.keys))]); err != nil {
				return err
			}
		}
		time.Sleep(time.Duration(random.Int64N(2*int64(s.think) + 1)))
	}
	return nil
}

// restAfterABurst sleeps while all writers rest. What the library does in the background then stays
// as it left it for a while: no commit follows that would sync it.
func (s settings) restAfterABurst() {
	if into := time.Since(s.start) % (s.burst + s.rest); into >= s.burst {
		time.Sleep(s.burst + s.rest - into)
	}
}

// verify reads all keys. It returns whether it could finish before the deadline.
func verify(addr string, l *ledger, deadline time.Time) bool {
	for {
		c := connect(addr, deadline)
		if c == nil {
			return false
		}
		err := readAll(l, c)
		c.close()
		if err == nil {
			return true
		}
	}
}

func readAll(l *ledger, c *session) error { return read(l, c, l.keys...) }

// read reads keys in one go and judges the answers.
func read(l *ledger, c *session, keys ...*key) error {
	var questions []question
	var requests []string
	for _, k := range keys {
		q := l.ask(k)
		questions = append(questions, q)
		requests = append(requests, q.request())
	}
	answers, err := ask(l, c, requests...)
	for i, answer := range answers {
		l.judge(questions[i], answer)
	}
	return err
}

// ask is session.ask for a server whose database is open; one that did not open is a finding.
func ask(l *ledger, c *session, requests ...string) ([]string, error) {
	answers, err := c.ask(requests...)
	for _, answer := range answers {
		if reason, broken := strings.CutPrefix(answer, "BROKEN "); broken {
			sim.Assert(false, fmt.Sprintf("the database does not open after a restart, "+
				"acknowledged versions of %d keys missing: %s", l.ackedKeys(), reason))
		}
	}
	return answers, err
}
