// Command client is the workload of the diskqueue example: it puts messages into a queue and takes
// them, and checks that none is lost that a sync had covered, and none appears that was never put.
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
	duration time.Duration // of the phase with faults
	think    time.Duration // mean pause of the producer after a message
	sync     time.Duration // how often the server syncs
	quiet    time.Duration // window without faults, for the final check
}

// syncSlack is added to the server's interval: how long a sync takes at most, and a tick may be
// late.
const syncSlack = 300 * time.Millisecond

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "server:7000", "TCP `address` of the server")
	flag.DurationVar(&s.duration, "duration", 4*time.Second, "how long to put and take")
	flag.DurationVar(&s.think, "think", 20*time.Millisecond, "mean pause after a message")
	flag.DurationVar(&s.sync, "sync", 400*time.Millisecond, "how often the server syncs")
	flag.DurationVar(&s.quiet, "quiet", 10*time.Second, "window without faults for the final check")
	flag.Parse()
	if flag.NArg() > 0 || s.think < 0 {
		fmt.Fprintln(os.Stderr, "client: bad arguments; see -help")
		os.Exit(2)
	}
	run(s)
}

func run(s settings) {
	l := newLedger(s.sync + syncSlack)
	first := connect(s.addr, time.Now().Add(s.quiet))
	if first == nil {
		fmt.Fprintln(os.Stderr, "client: no server at", s.addr)
		os.Exit(1)
	}
	first.close()
	sim.SetupComplete()
	drive(s, l)
	sim.QuietFor(s.quiet)
	sim.Assert(drain(s, l, time.Now().Add(s.quiet)), fmt.Sprintf(
		"the server did not recover: its queue could not be read in %v without faults", s.quiet))
	l.judge()
}
