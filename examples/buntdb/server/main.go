// Command server keeps versions of values in a buntdb database and answers clients on a TCP
// address.
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
	flag.StringVar(&o.dir, "dir", "/data", "`folder` of the database")
	flag.BoolVar(&o.shrink, "shrink", true, "let the library rewrite its file in the background")
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

// run serves until something fails and returns the first error. If the database does not open the
// server still answers, with the reason: so the client learns which keys cannot be had.
func run(addr string, o options) error {
	failed := make(chan error, 2)
	s := &server{failed: failed}
	var err error
	if s.store, err = openStore(o); err != nil {
		fmt.Fprintln(os.Stderr, "server: open:", err)
		s.broken = err.Error()
	}
	ln, err := sim.Listen("tcp", addr)
	if err != nil {
		return err
	}
	go func() { failed <- serve(ln, s) }()
	return <-failed
}
