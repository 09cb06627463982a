package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// drive runs a producer and a consumer until the time is up.
func drive(s settings, l *ledger) {
	deadline := time.Now().Add(s.duration)
	var both sync.WaitGroup
	for _, loop := range []func(settings, *ledger, *session, time.Time) error{produce, consume} {
		both.Add(1)
		go func() {
			defer both.Done()
			for {
				c := connect(s.addr, deadline)
				if c == nil {
					return
				}
				err := loop(s, l, c, deadline)
				c.close()
				if err == nil {
					return
				}
			}
		}()
	}
	both.Wait()
}

// produce puts one message after another until the time is up or the connection breaks.
func produce(s settings, l *ledger, c *session, deadline time.Time) error {
	for time.Now().Before(deadline) {
		m := l.next()
		life, answer, err := exchange(l, c, "PUT "+m.text)
		if err != nil {
			return err
		}
		if answer != "OK" {
			sim.Unreachable(fmt.Sprintf("the server refused message %d: %q", m.number, answer))
			return errors.New(answer)
		}
		l.acknowledge(m, life, time.Now())
		pause(s.think)
	}
	return nil
}

// consume takes messages, half as fast as they are put, until the time is up.
func consume(s settings, l *ledger, c *session, deadline time.Time) error {
	for time.Now().Before(deadline) {
		if _, err := take(l, c); err != nil {
			return err
		}
		pause(2 * s.think)
	}
	return nil
}

// take takes a message, if there is one, and judges it.
func take(l *ledger, c *session) (found bool, err error) {
	_, answer, err := exchange(l, c, "TAKE")
	if err != nil {
		l.swallow()
		return false, err
	}
	quoted, found := strings.CutPrefix(answer, "MSG ")
	if !found {
		if answer != "EMPTY" {
			sim.Unreachable(fmt.Sprintf("the answer to TAKE is %q", short(answer)))
		}
		return false, nil
	}
	text, err := strconv.Unquote(quoted)
	if err != nil {
		sim.Unreachable(fmt.Sprintf("the answer to TAKE is %q", short(answer)))
		return false, nil
	}
	l.deliver(text)
	return true, nil
}

// exchange sends a request and returns who answered what.
func exchange(l *ledger, c *session, request string) (life, answer string, err error) {
	sent := time.Now()
	answers, err := c.ask(request)
	if err != nil {
		return "", "", err
	}
	life, answer, ok := strings.Cut(answers[0], " ")
	if !ok {
		return "", "", fmt.Errorf("unexpected answer %q", answers[0])
	}
	l.alive(life, sent)
	return life, answer, nil
}

// emptyInARow is how many empty answers in a row, each after the server waited for a message, show
// that the queue is empty.
const emptyInARow = 5

// drain takes all messages. It returns whether it could finish before the deadline.
func drain(s settings, l *ledger, deadline time.Time) bool {
	for {
		c := connect(s.addr, deadline)
		if c == nil {
			return false
		}
		err := drainOnce(l, c, deadline)
		c.close()
		if err == nil {
			return time.Now().Before(deadline)
		}
	}
}

func drainOnce(l *ledger, c *session, deadline time.Time) error {
	for empty := 0; empty < emptyInARow && time.Now().Before(deadline); {
		found, err := take(l, c)
		if err != nil {
			return err
		}
		empty++
		if found {
			empty = 0
		}
	}
	return nil
}

// pause waits for a random time with that mean.
func pause(mean time.Duration) {
	time.Sleep(time.Duration(sim.Rand().Int64N(2*int64(mean) + 1)))
}
