// Command client is the workload of the buntdb example: it writes versions of some keys through
// several connections, and checks that a key never falls behind its last acknowledged version.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// settings are the command line. Times are simulated when the program is.
type settings struct {
	addr     string
	writers  int           // goroutines, each with a connection and keys of its own
	keys     int           // of all writers
	duration time.Duration // of the writing phase
	think    time.Duration // mean pause of a writer after each version
	burst    time.Duration // how long all write, before they
	rest     time.Duration // all rest for so long, and so on
	start    time.Time     // of the writing phase; set by write
	quiet    time.Duration // window without faults, for the final check
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "server:7000", "TCP `address` of the server")
	flag.IntVar(&s.writers, "writers", 2, "concurrent `connections`")
	flag.IntVar(&s.keys, "keys", 12, "how many `keys` to write")
	flag.DurationVar(&s.duration, "duration", 5*time.Second, "how long to write")
	flag.DurationVar(&s.think, "think", 45*time.Millisecond, "mean pause of a writer after a version")
	flag.DurationVar(&s.burst, "burst", 500*time.Millisecond, "how long to write before a rest")
	flag.DurationVar(&s.rest, "rest", 900*time.Millisecond, "how long to rest then")
	flag.DurationVar(&s.quiet, "quiet", 5*time.Second, "window without faults for the final check")
	flag.Parse()
	if flag.NArg() > 0 || s.writers < 1 || s.keys < s.writers || s.think < 0 ||
		s.burst <= 0 || s.rest < 0 {
		fmt.Fprintln(os.Stderr, "client: bad arguments; see -help")
		os.Exit(2)
	}
	run(s)
}

func run(s settings) {
	l := newLedger(s.keys)
	if !verify(s.addr, l, time.Now().Add(s.quiet)) {
		fmt.Fprintln(os.Stderr, "client: no server at", s.addr)
		os.Exit(1)
	}
	sim.SetupComplete()
	write(s, l)
	sim.QuietFor(s.quiet)
	sim.Assert(verify(s.addr, l, time.Now().Add(s.quiet)), fmt.Sprintf(
		"the server did not recover: its keys could not be read in %v without faults", s.quiet))
}
