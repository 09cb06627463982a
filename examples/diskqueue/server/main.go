// Command server keeps messages in a queue on disk, github.com/nsqio/go-diskqueue in one of two
// versions, and answers clients on a TCP address.
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
	var o options
	flag.StringVar(&o.dir, "dir", "/data", "`folder` of the queue")
	flag.StringVar(&o.version, "version", "1.1.0", "`version` of the library: 1.0.0 or 1.1.0")
	flag.DurationVar(&o.sync, "sync", 400*time.Millisecond, "how often the library syncs")
	flag.BoolVar(&o.settle, "settle", true, "store what recovery decided before the first message")
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

// run serves until something fails and returns the first error.
func run(addr string, o options) error {
	q, err := openQueue(o)
	if err != nil {
		return err
	}
	ln, err := sim.Listen("tcp", addr)
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	s := &server{life: sim.Rand().Uint64(), queue: q, failed: failed}
	go func() { failed <- serve(ln, s) }()
	return <-failed
}
