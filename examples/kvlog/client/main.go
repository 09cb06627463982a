// Command client is the workload of the kvlog example: it writes entries through several
// connections, notes which ones the server acknowledged, and checks that none of those is lost.
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
	entries  int           // end the writing phase earlier, after so many
	think    time.Duration // mean pause of a writer after each entry
	quiet    time.Duration // window without faults, for the final check
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "server:7000", "TCP `address` of the server")
	flag.IntVar(&s.writers, "writers", 4, "concurrent `connections`")
	flag.DurationVar(&s.duration, "duration", 4*time.Second, "how long to write")
	flag.IntVar(&s.entries, "entries", 100_000, "write at most so many `entries`")
	flag.DurationVar(&s.think, "think", 7*time.Millisecond, "mean pause of a writer after an entry")
	flag.DurationVar(&s.quiet, "quiet", 5*time.Second, "window without faults for the final check")
	flag.Parse()
	if flag.NArg() > 0 || s.writers < 1 || s.think < 0 {
		fmt.Fprintln(os.Stderr, "client: bad arguments; see -help")
		os.Exit(2)
	}
	run(s)
}

func run(s settings) {
	if !greet(s.addr, time.Now().Add(s.quiet)) {
		fmt.Fprintln(os.Stderr, "client: no server at", s.addr)
		os.Exit(1)
	}
	sim.SetupComplete()

	l := &ledger{}
	write(s, l)
	entries, acked := l.all()
	fmt.Printf("wrote %d entries, %d acknowledged\n", len(entries), acked)

	sim.QuietFor(s.quiet)
	checked := verify(s.addr, entries, time.Now().Add(s.quiet))
	sim.Assert(checked == len(entries), fmt.Sprintf(
		"the server did not recover: %d of %d entries could be read in %v without faults",
		checked, len(entries), s.quiet))
	fmt.Printf("read %d entries back\n", checked)
}

// greet waits until the server answers a ping.
func greet(addr string, deadline time.Time) bool {
	for {
		c := connect(addr, deadline)
		if c == nil {
			return false
		}
		answers, err := c.ask("PING")
		c.close()
		if err == nil && answers[0] == "PONG" {
			return true
		}
	}
}
