package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// requestTimeout bounds a connection attempt and an exchange. A server that lost its power does not
// say goodbye: without a bound the client would wait until it is back.
const requestTimeout = 300 * time.Millisecond

// Pauses between attempts to connect; each doubles the one before, and half of it is random.
const (
	pauseMin = 5 * time.Millisecond
	pauseMax = 100 * time.Millisecond
)

// session is a connection to the server for one goroutine. After an error it must be closed.
type session struct {
	c  net.Conn
	in *bufio.Reader
}

// connect tries to reach the server until the deadline. It returns nil after it.
func connect(addr string, deadline time.Time) *session {
	for pause := pauseMin; time.Now().Before(deadline); pause = min(2*pause, pauseMax) {
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		c, err := sim.DialContext(ctx, "tcp", addr)
		cancel()
		if err == nil {
			return &session{c: c, in: bufio.NewReader(c)}
		}
		time.Sleep(pause/2 + time.Duration(sim.Rand().Int64N(int64(pause/2))))
	}
	return nil
}

// ask sends requests in one go and returns their answers in order. On error it returns the answers
// that came before.
func (s *session) ask(requests ...string) (answers []string, err error) {
	if err := s.c.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprint(s.c, strings.Join(requests, "\n")+"\n"); err != nil {
		return nil, err
	}
	for range requests {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return answers, err
		}
		answers = append(answers, strings.TrimSuffix(line, "\n"))
	}
	return answers, nil
}

func (s *session) close() { s.c.Close() }
