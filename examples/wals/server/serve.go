package main

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
)

// The protocol has one line per request and one per answer, in order; a client may send several
// requests at once.
//
//	APPEND <record>   OK <position>, when the engine promises to keep the record
//	READ <position>   REC <record>, or NONE; ODD <record, quoted as in Go> if it has line ends
//	LAST              LAST <position>, 0 if there is no record
//
// Any other line is answered with ERR and a reason. If the log did not open, every answer is
// BROKEN and the engine's reason. A record has 1 to 4096 bytes without line ends; what the log
// holds may be anything.

const maxRecord = 4096

// server answers connections from one log.
type server struct {
	broken  string       // why the log did not open, or ""
	failed  chan<- error // takes the error of an Append; the process must end then
	mu      sync.Mutex
	engine  engine
	records []string // what may be read: all that the engine promised to keep
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
	in, out := bufio.NewReaderSize(c, maxRecord+64), bufio.NewWriter(c)
	for {
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		out.WriteString(s.answer(strings.TrimRight(string(line), "\r\n")))
		out.WriteByte('\n')
	}
}

func (s *server) answer(line string) string {
	if s.broken != "" {
		return "BROKEN " + s.broken
	}
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "APPEND":
		if rest == "" || len(rest) > maxRecord {
			return fmt.Sprintf("ERR want APPEND <record of 1 to %d bytes>", maxRecord)
		}
		return s.append(rest)
	case "READ":
		position, err := strconv.ParseUint(rest, 10, 32)
		if err != nil || position == 0 {
			return "ERR want READ <position>"
		}
		return s.read(int(position))
	case "LAST":
		s.mu.Lock()
		defer s.mu.Unlock()
		return fmt.Sprintf("LAST %d", len(s.records))
	}
	return fmt.Sprintf("ERR unknown request %q", verb)
}

// append answers only when the engine promised to keep the record. If the engine fails it never
// returns: the process ends.
func (s *server) append(record string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.engine.Append(record); err != nil {
		s.failed <- err
		select {}
	}
	s.records = append(s.records, record)
	return fmt.Sprintf("OK %d", len(s.records))
}

func (s *server) read(position int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if position > len(s.records) {
		return "NONE"
	}
	record := s.records[position-1]
	if strings.IndexByte(record, '\n') >= 0 || strings.IndexByte(record, '\r') >= 0 {
		return "ODD " + strconv.Quote(record)
	}
	return "REC " + record
}
