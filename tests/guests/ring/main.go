// Command ring is one of several nodes that pass tokens around and write each one to a log.
//
// "node" takes tokens from its predecessor, appends them to a file, syncs it and passes them on; the
// first node also makes a token every 10 ms. "driver" is the workload: it waits, and with "assert"
// states something false on the way.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

func main() {
	switch os.Args[1] {
	case "node":
		node()
	case "driver":
		drive(len(os.Args) > 2 && os.Args[2] == "assert")
	}
}

func drive(wrong bool) {
	for i := range 15 {
		time.Sleep(100 * time.Millisecond)
		if wrong {
			sim.Assert(i != 3, "three hundred milliseconds never pass")
		}
	}
	fmt.Println("driver is done")
}

func node() {
	self, _ := strconv.Atoi(sim.Node()[len("ring-"):])
	log, err := os.OpenFile("/log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	check(err)
	tokens := make(chan string, 64)
	go receive(tokens)
	if self == 1 {
		go make10(tokens)
	}
	next := fmt.Sprintf("ring-%d:7000", self%3+1)
	var out net.Conn
	for token := range tokens {
		_, err := fmt.Fprintf(log, "%s %d\n", token, sim.Rand().Uint64())
		check(err)
		check(log.Sync())
		if out == nil {
			if out, err = sim.Dial("tcp", next); err != nil {
				out = nil
				continue // the token is lost; others follow
			}
		}
		if _, err := fmt.Fprintln(out, token+"+"); err != nil {
			out.Close()
			out = nil
		}
	}
}

func receive(tokens chan<- string) {
	listener, err := sim.Listen("tcp", ":7000")
	check(err)
	for {
		conn, err := listener.Accept()
		check(err)
		go func() {
			defer conn.Close()
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				if len(lines.Text()) < 20 {
					tokens <- lines.Text()
				}
			}
		}()
	}
}

func make10(tokens chan<- string) {
	for i := 0; ; i++ {
		tokens <- strconv.Itoa(i)
		time.Sleep(10 * time.Millisecond)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
