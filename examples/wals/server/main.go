// Command server keeps records in a write-ahead log and answers clients on a TCP address. Which
// library keeps the log is a choice of the command line; README.md in the folder above compares
// them.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

func main() {
	addr := flag.String("addr", "server:7000", "TCP `address` to listen on")
	dir := flag.String("dir", "/data", "`folder` of the log")
	name := flag.String("engine", "checked", "`name` of the log's engine")
	flag.Parse()
	open, err := findEngine(*name)
	if err == nil && flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(2)
	}
	if err := run(*addr, *dir, open); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until something fails and returns the first error.
func run(addr, dir string, open opener) error {
	failed := make(chan error, 2)
	s := openServer(dir, open, failed)
	ln, err := sim.Listen("tcp", addr)
	if err != nil {
		return err
	}
	go func() { failed <- serve(ln, s) }()
	return <-failed
}

// A log that does not open gets this many chances, in case the reason passes.
const (
	openAttempts = 3
	openPause    = 20 * time.Millisecond
)

// openServer opens the log. If that is impossible the server still answers, with the reason: so the
// client learns which records cannot be had.
func openServer(dir string, open opener, failed chan<- error) *server {
	for attempt := 1; ; attempt++ {
		e, records, err := open(dir)
		if err == nil {
			if len(records) > 0 {
				sim.Reachable("recovery found an earlier log")
			}
			return &server{engine: e, records: records, failed: failed}
		}
		fmt.Fprintln(os.Stderr, "server: open:", err)
		if attempt == openAttempts {
			return &server{broken: err.Error(), failed: failed}
		}
		time.Sleep(openPause)
	}
}
