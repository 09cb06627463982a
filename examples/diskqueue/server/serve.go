package main

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// The protocol has one line per request and one per answer, in order. Every answer begins with the
// life of the server that gives it: a number drawn at its start.
//
//	PUT <message>   <life> OK
//	TAKE            <life> MSG <message, quoted as in Go>, or <life> EMPTY
//
// Any other line is answered with <life> ERR and a reason. A taken message is gone, also when its
// answer does not arrive. A message has 8 to 1024 bytes without line ends; what the queue delivers
// may be anything.

// takeWait is how long TAKE waits for a message: the library reads the disk beside.
const takeWait = 10 * time.Millisecond

type server struct {
	life   uint64
	queue  queue
	failed chan<- error // takes the error of a Put; the process must end then
}

// serve answers connections until the listener fails.
func serve(ln net.Listener, s *server) error {
	for {
		c, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			s.converse(c)
		}()
	}
}

// converse answers one connection until it breaks or a line is too long.
func (s *server) converse(c net.Conn) {
	in, out := bufio.NewReaderSize(c, maxMessage+64), bufio.NewWriter(c)
	for {
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		fmt.Fprintf(out, "%x %s\n", s.life, s.answer(strings.TrimRight(string(line), "\r\n")))
	}
}

func (s *server) answer(line string) string {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "PUT":
		if len(rest) < minMessage || len(rest) > maxMessage {
			return fmt.Sprintf("ERR want PUT <message of %d to %d bytes>", minMessage, maxMessage)
		}
		if err := s.queue.Put([]byte(rest)); err != nil {
			s.failed <- err
			select {}
		}
		return "OK"
	case "TAKE":
		select {
		case message := <-s.queue.ReadChan():
			return "MSG " + strconv.Quote(string(message))
		case <-time.After(takeWait):
			return "EMPTY"
		}
	}
	return fmt.Sprintf("ERR unknown request %q", verb)
}
