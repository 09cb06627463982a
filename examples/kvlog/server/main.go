// Command server keeps numbered entries in a log file and answers clients on a TCP address.
//
// Its flags choose between correct behaviour (the defaults) and classic durability bugs; README.md
// in the folder above tells their story.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

func main() {
	addr := flag.String("addr", "server:7000", "TCP `address` to listen on")
	var o options
	flag.StringVar(&o.dir, "dir", "/data", "`folder` of the log")
	flag.BoolVar(&o.dirSync, "dir-sync", true, "sync the folder and its parent at start")
	choice("ack", "when an entry is acknowledged", "after-fsync", "before-fsync", &o.ackBeforeFsync)
	choice("recovery", "what happens to a torn tail", "truncate", "append", &o.appendBehind)
	choice("on-eio", "what a failed fsync means", "stop", "retry", &o.retrySync)
	choice("index", "how connections share the index", "locked", "copied", &o.copiedIndex)
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "server: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*addr, o); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// choice defines a flag with a right and a wrong value; *wrong says that the wrong one was chosen.
func choice(name, usage, right, bad string, wrong *bool) {
	usage = fmt.Sprintf("%s: %s or %s (default %s)", usage, right, bad, right)
	flag.Func(name, usage, func(value string) error {
		*wrong = value == bad
		if value != right && value != bad {
			return fmt.Errorf("want %s or %s", right, bad)
		}
		return nil
	})
}

// run serves until something fails. It returns the first error; the process must then end, because
// the log may not be written any more.
func run(addr string, o options) error {
	s, err := openStore(o)
	if err != nil {
		return err
	}
	ln, err := sim.Listen("tcp", addr)
	if err != nil {
		return err
	}
	failed := make(chan error, 3)
	go func() { failed <- s.commitLoop() }()
	go func() { failed <- s.syncLoop() }()
	go func() { failed <- serve(ln, s) }()
	return <-failed
}
