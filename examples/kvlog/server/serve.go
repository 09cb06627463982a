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
//	PUT <entry> <value>   OK <entry>, when the entry is as durable as -ack promises
//	GET <entry>           VAL <value> or NONE
//	PING                  PONG
//
// Any other line is answered with ERR and a reason. A value has 1 to 1024 bytes without line ends.

// maxLine bounds a request in bytes.
const maxLine = maxValue + 64

// serve answers connections until the listener fails.
func serve(ln net.Listener, s *store) error {
	for {
		c, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			converse(c, s)
		}()
	}
}

// converse answers one connection until it breaks or a line is too long.
func converse(c net.Conn, s *store) {
	in, out := bufio.NewReaderSize(c, maxLine), bufio.NewWriter(c)
	for {
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		out.WriteString(answer(strings.TrimRight(string(line), "\r\n"), s))
		out.WriteByte('\n')
	}
}

func answer(line string, s *store) string {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "PING":
		return "PONG"
	case "GET":
		index, err := strconv.ParseUint(rest, 10, 64)
		if err != nil {
			return "ERR want GET <entry>"
		}
		if value, ok := s.Get(index); ok {
			return "VAL " + value
		}
		return "NONE"
	case "PUT":
		number, value, _ := strings.Cut(rest, " ")
		index, err := strconv.ParseUint(number, 10, 64)
		if err != nil || value == "" || len(value) > maxValue {
			return "ERR want PUT <entry> <value>, value of 1 to 1024 bytes"
		}
		s.Put(index, value)
		return "OK " + number
	}
	return fmt.Sprintf("ERR unknown request %q", verb)
}
