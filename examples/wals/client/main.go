// Command client is the workload of the wals example: it appends records through several
// connections, notes which position the server promised for which, and checks that none of them is
// lost and nothing appears that was never sent.
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
	writers  int           // goroutines, each with a connection of its own
	duration time.Duration // of the writing phase
	records  int           // end the writing phase earlier, after so many
	think    time.Duration // mean pause of a writer after each record
	quiet    time.Duration // window without faults, for the final check
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "server:7000", "TCP `address` of the server")
	flag.IntVar(&s.writers, "writers", 2, "concurrent `connections`")
	flag.DurationVar(&s.duration, "duration", 2900*time.Millisecond, "how long to write")
	flag.IntVar(&s.records, "records", 100_000, "write at most so many `records`")
	flag.DurationVar(&s.think, "think", 20*time.Millisecond, "mean pause of a writer after a record")
	flag.DurationVar(&s.quiet, "quiet", 5*time.Second, "window without faults for the final check")
	flag.Parse()
	if flag.NArg() > 0 || s.writers < 1 || s.think < 0 {
		fmt.Fprintln(os.Stderr, "client: bad arguments; see -help")
		os.Exit(2)
	}
	run(s)
}

func run(s settings) {
	l := newLedger()
	if !greet(s.addr, l, time.Now().Add(s.quiet)) {
		fmt.Fprintln(os.Stderr, "client: no server at", s.addr)
		os.Exit(1)
	}
	sim.SetupComplete()

	write(s, l)
	sent, acked := l.counts()
	fmt.Printf("wrote %d records, %d acknowledged\n", sent, acked)

	sim.QuietFor(s.quiet)
	sim.Assert(verify(s.addr, l, time.Now().Add(s.quiet)), fmt.Sprintf(
		"the server did not recover: its log could not be read in %v without faults", s.quiet))
}

// greet waits until the server answers.
func greet(addr string, l *ledger, deadline time.Time) bool {
	for {
		c := connect(addr, deadline)
		if c == nil {
			return false
		}
		_, err := askLast(l, c)
		c.close()
		if err == nil {
			return true
		}
	}
}
