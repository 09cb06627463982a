package main

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// The protocol has one line per request and one per answer, in order; a client may send several
// requests at once.
//
//	PUT <key> <version> <fill>   OK, when the version is durable
//	GET <key>                    VAL <version> <fill> or NONE
//
// Any other line is answered with ERR and a reason. If the database did not open, every answer is
// BROKEN and the library's reason. Key and fill have no spaces, a line at most 1024 bytes.

const maxLine = 1024

type server struct {
	broken string // why the database did not open, or ""
	store  *store
	failed chan<- error // takes the first error of the store; the process must end then
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
	in, out := bufio.NewReaderSize(c, maxLine), bufio.NewWriter(c)
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
	words := strings.Split(line, " ")
	switch {
	case words[0] == "PUT" && len(words) == 4:
		version, err := strconv.Atoi(words[2])
		if err != nil || version < 1 {
			return "ERR want PUT <key> <version from 1> <fill>"
		}
		if err := s.store.Put(words[1], version, words[3]); err != nil {
			s.fail(err)
		}
		return "OK"
	case words[0] == "GET" && len(words) == 2:
		stored, ok, err := s.store.Get(words[1])
		if err != nil {
			s.fail(err)
		}
		if !ok {
			return "NONE"
		}
		return "VAL " + stored
	}
	return fmt.Sprintf("ERR unknown request %q", words[0])
}

// fail never returns: the process ends.
func (s *server) fail(err error) {
	s.failed <- err
	select {}
}
